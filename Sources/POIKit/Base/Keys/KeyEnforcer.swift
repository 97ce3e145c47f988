internal import POIRecords
internal import POISQLite

/// Makes the database refuse a record whose key it already has: with a unique index on the columns
/// of the key, or on a column that holds its `KeyHash`.
///
/// SQLite sorts the index in the memory of its page cache. With the default of 2 MB an index of
/// 880,000 identifiers takes 0.70 s of processor time and 7 MB. With 1, 3 and 4 MB it takes the
/// same, with 6 MB 0.86 s, with 24 MB 1.3 s and with all in memory 1.35 s. Worker threads do not
/// make it faster, and cost 0.2 s. So the settings are not changed.
struct KeyEnforcer {
  static let hashColumn = Bookkeeping.prefix + "key"

  /// The largest number of rows in a message about rows that share a key.
  private static let listedCount = 10

  /// The number of rows read before their hashes are written.
  private static let portion = 4_096

  let layout: TableLayout
  let schema: TableSchema
  let enforcement: DeduplicationOptions.KeyEnforcement
  let nullKey: DeduplicationOptions.NullKeyRule

  /// Replaces the hash of a key in tests.
  let keyHash: @Sendable (KeyHash) -> KeyHash

  static func indexName(_ table: String) -> String { Bookkeeping.prefix + "key_" + table }

  /// The columns of the index that enforces the key of a table; empty if no key is enforced.
  ///
  /// An index of that name on another table does not count: it belongs to a table that was renamed.
  static func indexedColumns(of table: String, in connection: Connection) throws -> [String] {
    try connection.rows(
      """
      SELECT c.name FROM pragma_index_list(\(literal: table), 'main') AS i,
        pragma_index_info(i.name, 'main') AS c
      WHERE i.name = \(literal: indexName(table)) COLLATE NOCASE ORDER BY c.seqno
      """
    ) { $0.text(0) }
  }

  private var connection: Connection { schema.connection }
  private var quotedTable: SQL { "main.\(name: schema.name)" }
  private var quotedRowID: SQL { SQL(name: schema.rowIDName) }

  private var indexColumns: [String] {
    enforcement == .hash ? [Self.hashColumn] : layout.keyColumns
  }

  /// Checks, before anything is removed, that the key can be enforced if no rows share it.
  ///
  /// - Throws: `StoreFailure` when another key is enforced, the table cannot have a hash
  ///   column, or rows are to be grouped by keys that have no hash.
  func check() throws {
    guard enforcement != .none else { return }
    if enforcement == .hash, !layout.isToolkitTable {
      throw StoreFailure(
        .invalidOptions,
        """
        '\(schema.name)' is not a table of the toolkit, so it cannot have a column of hashes: \
        enforce the key itself
        """)
    }
    if enforcement == .hash, nullKey == .group {
      throw StoreFailure(
        .invalidOptions,
        "a key with a NULL has no hash, so rows cannot be grouped by it: enforce the key itself")
    }
    _ = try hasIndex()
  }

  /// Creates the index inside the caller's transaction, unless it exists.
  ///
  /// - Throws: `StoreFailure` when rows share a key, which the message lists, or another
  ///   index has its name.
  func enforce() throws -> EnforcementOutcome {
    var outcome = EnforcementOutcome()
    guard enforcement != .none else { return outcome }
    if enforcement == .hash {
      outcome.addedKeyColumn = try addHashColumn()
      try fillHashColumn()
    }
    guard try !hasIndex() else {
      try watchKey()
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
      try watchKey()
      if try RunRecord.hasBookkeeping(connection) {
        var update = try connection.prepare(
          "UPDATE main.poikit_table SET enforced_key = ?2 WHERE name = ?1", isPersistent: false)
        try update.bind(1, text: schema.name)
        try update.bind(
          2, text: JSONValue.array(layout.keyColumns.map(JSONValue.string)).description)
        try update.run()
      }
      return outcome
    } catch let error as SQLiteError where error.isUniqueViolation && connection.isInTransaction {
      throw try obstacles(error)
    }
  }

  /// Whether the index exists.
  ///
  /// - Throws: `StoreFailure` when it enforces another key, or this key in another way.
  private func hasIndex() throws -> Bool {
    let indexed = try Self.indexedColumns(of: schema.name, in: connection)
    // The hash column does not say which columns are hashed.
    let isHashed = indexed.elementsEqual([Self.hashColumn], by: { $0.isExactly($1) })
    let key =
      isHashed ? try EnforcedKey.columns(ofTable: schema.name, in: connection) : indexed
    guard !indexed.isEmpty else { return false }
    guard indexed.elementsEqual(indexColumns, by: { $0.isExactly($1) }),
      key.elementsEqual(layout.keyColumns, by: { $0.isExactly($1) })
    else {
      let wanted = enforcement == .hash ? ", as a hash," : ""
      let present = indexed.elementsEqual(key, by: { $0.isExactly($1) }) ? "" : ", as a hash,"
      throw StoreFailure(
        .invalidOptions,
        """
        the key of '\(schema.name)' is enforced on \(TableSchema.list(key))\(present) already: drop the \
        index '\(Self.indexName(schema.name))' to enforce \(TableSchema.list(layout.keyColumns))\(wanted) instead
        """)
    }
    return true
  }

  /// The error that lists the rows that share a key.
  private func obstacles(_ cause: SQLiteError) throws -> StoreFailure {
    let grouping: [SQL] = indexColumns.map { "\(name: $0) COLLATE BINARY" }
    let isWhole: [SQL] = indexColumns.map { "\(name: $0) IS NOT NULL" }
    let keys = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    var found: [String] = []
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
        statement.displayText($0).map { "'\($0)'" } ?? "null"
      }
      found.append("\(values.joined(separator: ", ")) in \(statement.text(0))")
    }
    return StoreFailure(
      .keyNotUnique,
      """
      the key \(TableSchema.list(layout.keyColumns)) of '\(schema.name)' cannot be enforced, because rows \
      share it: \(found.joined(separator: "; "))
      """, cause: cause)
  }
}

extension KeyEnforcer {
  /// Adds the hash column; returns false if it exists.
  private func addHashColumn() throws -> Bool {
    guard !schema.storedColumns.contains(Self.hashColumn) else { return false }
    try connection.execute("ALTER TABLE \(quotedTable) ADD COLUMN \(name: Self.hashColumn) BLOB")
    return true
  }

  /// Creates a trigger that deletes the hash of a row if another program changes its key. Then
  /// `completeHashes` computes it again.
  private func watchKey() throws {
    let name = Self.indexName(schema.name)
    try Trigger.drop(name, in: connection)
    guard enforcement == .hash else { return }
    let isChanged: [SQL] = layout.keyColumns.map {
      "old.\(name: $0) IS NOT new.\(name: $0) COLLATE BINARY"
    }
    let trigger = Trigger(
      name: name, event: .update, columns: layout.keyColumns, table: schema.name,
      condition: isChanged.joined(separator: " OR "),
      body: """
        UPDATE \(name: schema.name) SET \(name: Self.hashColumn) = NULL
        WHERE \(quotedRowID) = new.\(quotedRowID)
        """)
    try trigger.create(in: connection)
  }

  /// The condition that a row has a key without a hash, because another program wrote it.
  private var lacksHash: SQL {
    let isWhole: [SQL] = layout.keyColumns.map { "\(name: $0) IS NOT NULL" }
    return "\(name: Self.hashColumn) IS NULL AND \(isWhole.joined(separator: " AND "))"
  }

  func lacksHashes() throws -> Bool {
    try connection.integer("SELECT 1 FROM \(quotedTable) WHERE \(lacksHash) LIMIT 1") != nil
  }

  /// Writes the hashes that are missing, inside the caller's transaction.
  ///
  /// - Throws: `SQLiteError`, a unique violation if two rows share a key.
  func completeHashes() throws {
    try fillHashColumn(where: lacksHash)
  }

  /// Writes the hashes of rows; a row with NULL in its key gets NULL.
  private func fillHashColumn(where condition: SQL = "1") throws {
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
    var key = CanonicalKey()
    while true {
      var portion: [(rowID: Int64, hash: KeyHash?)] = []
      while try select.step() {
        let isWhole = key.read(1..<layout.keyColumns.count + 1, of: select)
        portion.append((select.integer(0), isWhole ? keyHash(key.hash) : nil))
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

/// What enforcing a key created; undoing drops it again.
struct EnforcementOutcome {
  var createdIndex = false
  var addedKeyColumn = false
}
