internal import POIRecords
internal import SQLiteKit

/// Makes the database refuse records with a key that it has already.
///
/// The index is sorted by SQLite, in as much memory as its page cache may take. With the 2 MB of its
/// default an index of 880,000 identifiers takes 0.70 s of processor time and 7 MB; with 1, 3 and
/// 4 MB it takes the same, with 6 MB 0.86, with 24 MB 1.3 and with all in memory 1.35. Worker
/// threads (`PRAGMA threads`) save nothing and cost 0.2 s: so the settings are left alone.
struct KeyEnforcer {
  /// The column that holds a compact key.
  static let hashColumn = Bookkeeping.prefix + "key"

  /// How many rows stand in a message about what is in the way.
  private static let listedCount = 10

  /// How many rows get their compact key between two looks at the table.
  private static let portion = 4_096

  let layout: TableLayout
  let schema: TableSchema
  let enforcement: KeyEnforcement
  let nullKey: NullKeyRule
  let keyHash: @Sendable (Digest) -> Digest

  /// The name of the index that enforces the key of a table.
  static func indexName(_ table: String) -> String { Bookkeeping.prefix + "key_" + table }

  /// The columns of the index that enforces the key of a table; none where no key is enforced. An index
  /// of that name on another table is that of a former one, which has another name by now.
  static func indexedColumns(
    of table: String, in connection: Connection
  ) throws(SQLiteError) -> [String] {
    var columns: [String] = []
    var statement = try connection.prepare(
      """
      SELECT c.name FROM pragma_index_list(?1, 'main') AS i, pragma_index_info(i.name, 'main') AS c
      WHERE i.name = ?2 COLLATE NOCASE ORDER BY c.seqno
      """, isPersistent: false)
    try statement.bind(1, text: table)
    try statement.bind(2, text: indexName(table))
    while try statement.step() { columns.append(statement.text(0)) }
    return columns
  }

  private var quotedTable: SQL { "main.\(name: schema.name)" }
  private var quotedRowID: SQL { SQL(name: schema.rowIDName) }

  private var indexColumns: [String] {
    enforcement == .hash ? [Self.hashColumn] : layout.keyColumns
  }

  /// Looks, before anything is removed, for what keeps the key from being enforced whatever the rows
  /// are.
  ///
  /// - Throws: `DeduplicationError` when another key is enforced, a compact key has no place, or rows
  ///   are to be grouped by keys that have none.
  func check(in connection: Connection) throws(DeduplicationError) {
    guard enforcement != .none else { return }
    if enforcement == .hash, !layout.isToolkitTable {
      throw DeduplicationError(
        .invalidOptions,
        """
        '\(schema.name)' is no table of the toolkit's own, so it gets no column for a compact key: \
        enforce the key itself
        """)
    }
    if enforcement == .hash, nullKey == .group {
      throw DeduplicationError(
        .invalidOptions,
        "a key with a NULL has no compact key, so rows cannot be grouped by it: enforce the key itself"
      )
    }
    _ = try hasIndex(in: connection)
  }

  /// Creates the index, inside the caller's transaction, unless it is there.
  ///
  /// - Throws: `DeduplicationError` when rows stand in its way, which the message lists, or another
  ///   index has its name.
  func enforce(in connection: Connection) throws(DeduplicationError) -> EnforcementOutcome {
    var outcome = EnforcementOutcome()
    guard enforcement != .none else { return outcome }
    do {
      if enforcement == .hash {
        outcome.addedKeyColumn = try addHashColumn(in: connection)
        try fillHashColumn(in: connection)
      }
    } catch {
      throw DeduplicationError(error)
    }
    guard try !hasIndex(in: connection) else {
      if enforcement == .hash { try watchKey(in: connection) }
      return outcome
    }

    // Two texts are the same key if their bytes are, whatever the column's collation says.
    let columns: [SQL] = indexColumns.map { "\(name: $0) COLLATE BINARY" }
    do {
      try connection.execute(
        """
        CREATE UNIQUE INDEX main.\(name: Self.indexName(schema.name))
        ON \(name: schema.name) (\(columns.joined(separator: ", ")))
        """)
      outcome.createdIndex = true
      try Self.unwatchKey(of: schema.name, in: connection)
      if enforcement == .hash { try makeTrigger(in: connection) }
      if try RunRecord.isBookkept(connection) {
        var update = try connection.prepare(
          "UPDATE main.poikit_table SET enforced_key = ?2 WHERE name = ?1", isPersistent: false)
        try update.bind(1, text: schema.name)
        try update.bind(2, text: try RunRecord.json(layout.keyColumns, in: connection))
        try update.run()
      }
      return outcome
    } catch {
      guard error.isUniqueViolation, connection.isInTransaction else {
        throw DeduplicationError(error)
      }
      throw try obstacles(error, in: connection)
    }
  }

  /// Whether the index is there already.
  ///
  /// - Throws: `DeduplicationError` when it enforces another key, or this one in another form.
  private func hasIndex(in connection: Connection) throws(DeduplicationError) -> Bool {
    let name = Self.indexName(schema.name)
    let (indexed, key) = try DeduplicationError.converting { () throws(SQLiteError) in
      let indexed = try Self.indexedColumns(of: schema.name, in: connection)
      // A column of hashes does not say of what.
      guard indexed.elementsEqual([Self.hashColumn], by: { $0.isExactly($1) }) else {
        return (indexed, indexed)
      }
      return (indexed, try EnforcedKey.columns(ofTable: schema.name, in: connection))
    }
    guard !indexed.isEmpty else { return false }
    guard indexed.elementsEqual(indexColumns, by: { $0.isExactly($1) }),
      key.elementsEqual(layout.keyColumns, by: { $0.isExactly($1) })
    else {
      let wanted = enforcement == .hash ? ", as a hash," : ""
      let present = indexed.elementsEqual(key, by: { $0.isExactly($1) }) ? "" : ", as a hash,"
      throw DeduplicationError(
        .invalidOptions,
        """
        the key of '\(schema.name)' is enforced on \(TableSchema.list(key))\(present) already: drop the \
        index '\(name)' to enforce \(TableSchema.list(layout.keyColumns))\(wanted) instead
        """)
    }
    return true
  }

  /// The error that lists the rows in the way of the index.
  private func obstacles(
    _ cause: SQLiteError, in connection: Connection
  ) throws(DeduplicationError) -> DeduplicationError {
    let grouping: [SQL] = indexColumns.map { "\(name: $0) COLLATE BINARY" }
    let isWhole: [SQL] = indexColumns.map { "\(name: $0) IS NOT NULL" }
    let keys = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    var found: [String] = []
    do {
      var statement = try connection.prepare(
        """
        SELECT
          CASE WHEN count(*) <= \(Self.listedCount) THEN 'rows ' || group_concat(\(quotedRowID), ', ')
            ELSE count(*) || ' rows, the first ' || min(\(quotedRowID)) END,
          \(keys)
        FROM \(quotedTable)
        WHERE \(isWhole.joined(separator: " AND "))
        GROUP BY \(grouping.joined(separator: ", ")) HAVING count(*) > 1
        ORDER BY min(\(quotedRowID)) LIMIT \(Self.listedCount)
        """, isPersistent: false)
      while try statement.step() {
        let values = (1...layout.keyColumns.count).map {
          KeyReader.display($0, of: statement).map { "'\($0)'" } ?? "null"
        }
        found.append("\(values.joined(separator: ", ")) in \(statement.text(0))")
      }
    } catch {
      throw DeduplicationError(error)
    }
    return DeduplicationError(
      .keyNotUnique,
      """
      the key \(TableSchema.list(layout.keyColumns)) of '\(schema.name)' cannot be enforced, because rows \
      share it: \(found.joined(separator: "; "))
      """, cause: cause)
  }
}

extension KeyEnforcer {
  /// Adds the column for compact keys; false if it is there already.
  private func addHashColumn(in connection: Connection) throws(SQLiteError) -> Bool {
    guard !schema.storedColumns.contains(Self.hashColumn) else { return false }
    try connection.execute("ALTER TABLE \(quotedTable) ADD COLUMN \(name: Self.hashColumn) BLOB")
    return true
  }

  /// Makes a trigger that takes the compact key from a row whose key another program changes: it is
  /// given again by `completeHashes`.
  private func watchKey(in connection: Connection) throws(DeduplicationError) {
    do { try makeTrigger(in: connection) } catch { throw DeduplicationError(error) }
  }

  private func makeTrigger(in connection: Connection) throws(SQLiteError) {
    let columns = layout.keyColumns.map(SQL.init(name:))
    let isChanged: [SQL] = columns.map { "old.\($0) IS NOT new.\($0) COLLATE BINARY" }
    try connection.execute(
      """
      CREATE TRIGGER IF NOT EXISTS main.\(name: Self.indexName(schema.name))
      AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(name: schema.name)
      WHEN \(isChanged.joined(separator: " OR "))
      BEGIN
        UPDATE \(name: schema.name) SET \(name: Self.hashColumn) = NULL
        WHERE \(quotedRowID) = new.\(quotedRowID);
      END
      """)
  }

  /// Removes the trigger of a table's compact keys, if there is one.
  static func unwatchKey(
    of table: String, in connection: Connection
  ) throws(SQLiteError) {
    try connection.execute("DROP TRIGGER IF EXISTS main.\(name: indexName(table))")
  }

  /// The condition that a row has a key and no compact key, because another program wrote it.
  private var lacksHash: SQL {
    let isWhole: [SQL] = layout.keyColumns.map { "\(name: $0) IS NOT NULL" }
    return "\(name: Self.hashColumn) IS NULL AND \(isWhole.joined(separator: " AND "))"
  }

  /// Whether rows lack their compact keys.
  func lacksHashes(in connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT 1 FROM \(quotedTable) WHERE \(lacksHash) LIMIT 1") != nil
  }

  /// Gives the rows that lack them their compact keys, inside the caller's transaction.
  ///
  /// - Throws: `SQLiteError`, a unique violation where a row has the key of another one.
  func completeHashes(in connection: Connection) throws(SQLiteError) {
    try fillHashColumn(where: lacksHash, in: connection)
  }

  /// Gives rows their compact keys: the 16 bytes of the key's hash in the order in which
  /// MurmurHash3 defines them, or null where a part of the key is null.
  private func fillHashColumn(
    where condition: SQL = "1", in connection: Connection
  ) throws(SQLiteError) {
    let columns = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    var select = try connection.prepare(
      """
      SELECT \(quotedRowID), \(columns) FROM \(quotedTable)
      WHERE (\(quotedRowID) > ?1 OR ?1 IS NULL) AND \(condition) ORDER BY \(quotedRowID) LIMIT \(Self.portion)
      """)
    var update = try connection.prepare(
      """
      UPDATE \(quotedTable) SET \(name: Self.hashColumn) = ?2
      WHERE \(quotedRowID) = ?1 AND \(name: Self.hashColumn) IS NOT ?2
      """)
    var key = CanonicalContent()
    while true {
      var portion: [(rowID: Int64, hash: Digest?)] = []
      while try select.step() {
        key.removeAll()
        let isWhole = KeyReader.append(
          keyOf: select, from: 1, count: layout.keyColumns.count, to: &key)
        let hash = isWhole ? keyHash(key.digest) : nil
        portion.append((select.integer(0), hash))
      }
      guard let last = portion.last else { return }
      for row in portion {
        try update.bind(1, integer: row.rowID)
        if let hash = row.hash {
          try update.bind(2, blob: hash.bytes.span)
        } else {
          try update.bindNull(2)
        }
        try update.run()
      }
      try select.bind(1, integer: last.rowID)
    }
  }
}
