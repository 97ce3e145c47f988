internal import POIRecords
internal import SQLiteKit

/// Removes losers from their table, a batch at a time, with all that hangs on them.
///
/// Rows of other tables that refer to a loser are made to refer to its winner. Where that would
/// violate a unique constraint of their own table, the winner has such a row already, and the
/// loser's is removed as a duplicate of it, in the same way.
///
/// A portion of a batch is listed in a temporary table, from which one statement archives and another
/// deletes: that takes a tenth less than two statements for each row. Most of the time is SQLite's, which
/// writes nearly every page of the table to the write-ahead log and from there to the file: 8,000 pages of
/// log, 8 MB of page cache, an exclusive lock and a second thread for the checkpoints all made no difference
/// beyond noise.
struct LoserRemoval {
  let layout: TableLayout
  private var preparedArchives: Set<ExactText> = []

  /// The tables whose row ids are reserved.
  var reservedTables: Set<ExactText> = []

  /// The temporary tables that have been made.
  private var madeTables: Set<SQL> = []

  /// The statements of the run.
  let statements: PreparedStatements

  /// The table that the losers are from.
  let root: TableSchema

  /// By what the rows belong to losers that go with them.
  let ownerships: Set<Ownership>

  /// Whether the connection enforces foreign keys. Where it does not, nothing is to be deferred: the
  /// setting makes SQLite prepare all statements again, in every batch.
  private let enforcesReferences: Bool

  /// The run under which what is changed is kept.
  private(set) var run: Int64?

  /// Whether rows are archived and moved references remembered.
  private(set) var archives = false

  /// The references to the tables met so far, by table.
  private(set) var referencesByTable: [ExactText: [TableReference]] = [:]

  /// The schemas of the tables met so far, by name.
  private(set) var schemas: [ExactText: TableSchema] = [:]

  /// The temporary tables that list who refers to losers, for references that no index serves.
  var lists: [TableReference: SQL] = [:]

  /// Why the rows of a table cannot be changed, for tables met so far that have no row ids.
  private var obstacles: [ExactText: StoreFailure] = [:]

  /// The statements that give winners values of their losers and are kept.
  var fillTexts: Set<SQL> = []

  /// The digest of what is left of the table, where it can be told without a look at all rows.
  private(set) var remainingDigest: RemainingDigest?

  /// What has been changed so far.
  var counts = RemovalCounts()

  /// A removal from a table.
  ///
  /// - Parameters:
  ///   - layout: the table's layout.
  ///   - schema: the table.
  ///   - arrays: what becomes of the rows of the losers' relations to many.
  ///   - statements: the statements of the run.
  ///   - connection: the database.
  /// - Throws: `StoreFailure` when a table that refers to this one has no row ids, or the
  ///   database cannot be read.
  init(
    _ layout: TableLayout, schema: TableSchema, arrays: ArrayRule, statements: PreparedStatements,
    in connection: Connection
  ) throws {
    self.layout = layout
    ownerships = arrays == .winner ? Ownership.all(in: layout.relations) : []
    self.statements = statements
    root = schema
    enforcesReferences = try connection.integer("PRAGMA foreign_keys") == 1
    schemas[ExactText(schema.name)] = schema
    try readReferences(to: schema, in: connection)
  }

  /// Makes the removal keep redirects under a run, and archived rows and moved references too if it
  /// `archives`.
  mutating func keep(under run: Int64, archives: Bool) {
    self.run = run
    self.archives = archives
  }

  /// Makes the removal keep the digest of what is left of the table, if one is remembered.
  ///
  /// - Parameter connection: the database, in a view that nobody changes until the first batch.
  mutating func keepDigest(in connection: Connection) throws {
    remainingDigest = try RemainingDigest(
      layout, schema: root, references: referencesByTable[ExactText(root.name)] ?? [],
      in: connection)
  }

  /// How many losers are best removed at once. The pages of their rows are read three times, and should be
  /// held in memory meanwhile, beside those that the batch has changed. Rows that refer to losers cost more
  /// than pages, and the way to find them is looked for each time.
  var portionSize: Int { referencesByTable[ExactText(root.name)]?.isEmpty == true ? 100 : 500 }

  /// Begins a batch, inside its transaction.
  func beginBatch(in connection: Connection) throws {
    guard enforcesReferences else { return }
    // While a row and those that refer to it move, one of them is ahead of the other.
    try connection.execute("PRAGMA defer_foreign_keys = ON")
  }

  /// Removes losers, inside the transaction of their batch.
  ///
  /// - Throws: `StoreFailure`; the transaction is then to be rolled back.
  mutating func remove(
    _ pairs: [LoserEntry], in connection: Connection
  ) throws {
    try fold(pairs, of: root, depth: 0, in: connection)
    counts.removedRowCount += pairs.count
  }

  /// Whether rows of another table can be in each other's way to a winner, so that those of its best
  /// loser are to go there first. It costs pages: losers that come in the order of their ids meet every
  /// page of their table once.
  func needsRanks(in connection: Connection) throws -> Bool {
    for reference in referencesByTable[ExactText(root.name)] ?? [] {
      guard let child = schemas[ExactText(reference.childTable)], !child.name.isExactly(root.name),
        !isOwning(reference)
      else { continue }
      let move = ReferenceMove(reference: reference, parent: root, child: child)
      let twins = try move.findTwins(in: connection)
      if !twins.isEmpty { return true }
    }
    return false
  }

  /// Reads which tables refer to a table.
  mutating func readReferences(
    to schema: TableSchema, in connection: Connection
  ) throws {
    guard referencesByTable[ExactText(schema.name)] == nil else { return }
    let references = try TableReference.all(to: schema, in: connection)
    referencesByTable[ExactText(schema.name)] = references
    for reference in references where schemas[ExactText(reference.childTable)] == nil {
      do {
        schemas[ExactText(reference.childTable)] = try TableSchema(
          of: reference.childTable, in: connection)
      } catch let error as StoreFailure where error.code != .database {
        let obstacle = StoreFailure(
          error.code,
          "rows of '\(reference.childTable)' refer to '\(schema.name)', but \(error.message)")
        guard schema.name != root.name, error.code == .unsupportedTable else { throw obstacle }
        obstacles[ExactText(reference.childTable)] = obstacle
      }
    }
  }

  /// The table that refers, or nil if its rows cannot be changed and need not be.
  ///
  /// - Parameters:
  ///   - reference: the reference.
  ///   - rows: a statement that returns the ids of the rows that go or change.
  ///   - schema: their table.
  ///   - connection: the database.
  /// - Throws: `StoreFailure` when a row that cannot be changed refers to one of them.
  func child(
    of reference: TableReference, to rows: SQL, of schema: TableSchema,
    in connection: Connection
  ) throws -> TableSchema? {
    if let child = schemas[ExactText(reference.childTable)] { return child }
    guard try connection.integer(reference.findAny(to: rows, of: schema)) != nil else {
      return nil
    }
    if let obstacle = obstacles[ExactText(reference.childTable)] { throw obstacle }
    return nil
  }

  /// Archives rows, moves what refers to them and deletes them.
  ///
  /// Of rows that are in each other's way to a winner, that of the loser goes there which comes first
  /// in `pairs`.
  mutating func fold(
    _ pairs: [LoserEntry], of schema: TableSchema, depth: Int, in connection: Connection
  ) throws {
    let pairTable: SQL = "poikit_pair_\(depth)"
    try fill(pairTable, with: pairs, in: connection)
    if depth == 0 { try remainingDigest?.remove(listedIn: "temp.\(pairTable)", in: connection) }
    // As the rows are before their references move: a trigger of an app may change them with these.
    let archived = archives ? try archive(schema, pairTable, in: connection) : nil
    try readReferences(to: schema, in: connection)
    let references = referencesByTable[ExactText(schema.name)] ?? []
    for reference in references {
      guard
        let child = try child(
          of: reference, to: "SELECT loser FROM temp.\(pairTable)", of: schema, in: connection)
      else { continue }
      let move = ReferenceMove(
        reference: reference, parent: schema, child: child)
      if isOwning(reference) {
        try removeRows(of: move, pairTable, depth: depth, in: connection)
      } else {
        if depth > 0, !ownerships.isEmpty {
          try refuseReferences(through: move, pairTable, in: connection)
        }
        try self.move(move, pairTable, depth: depth, in: connection)
      }
    }
    // The rows go behind the moves.
    if let archived, !references.isEmpty {
      try statements.run(
        """
        UPDATE \(ArchiveTable(source: schema).quotedName) SET poikit_change = \(Journal.lastChange)
        WHERE \(name: ArchiveTable.number) BETWEEN ?1 AND ?2 AND poikit_change < \(Journal.lastChange)
        """, archived.lowerBound, archived.upperBound, in: connection)
    }
    if depth == 0 { try redirect(pairTable, in: connection) }
    try statements.run(
      """
      DELETE FROM main.\(name: schema.name)
      WHERE \(name: schema.rowIDName) IN (SELECT loser FROM temp.\(pairTable))
      """, in: connection)
    let deletedCount = connection.changeCount
    guard deletedCount == pairs.count else {
      throw StoreFailure(
        .interferingTrigger,
        """
        \(deletedCount) rows of '\(schema.name)' were deleted where \(pairs.count) should be: a trigger of \
        the table interferes; drop it for the time of the deduplication
        """)
    }
  }

  /// Makes a temporary table on its first use.
  mutating func makeTemporaryTable(
    _ name: SQL, columns: SQL, in connection: Connection
  ) throws {
    guard madeTables.insert(name).inserted else { return }
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(name) (\(columns))")
  }

  private mutating func fill(
    _ pairTable: SQL, with pairs: [LoserEntry], in connection: Connection
  ) throws {
    try makeTemporaryTable(
      pairTable,
      columns: """
        loser INTEGER NOT NULL PRIMARY KEY, winner INTEGER NOT NULL, place INTEGER NOT NULL
        """, in: connection)
    try statements.run("DELETE FROM temp.\(pairTable)", in: connection)
    let insert = try statements.statement(
      "INSERT INTO temp.\(pairTable) VALUES (?1, ?2, ?3)", in: connection)
    for (place, pair) in pairs.enumerated() {
      try insert.statement.bind(1, integer: pair.loser)
      try insert.statement.bind(2, integer: pair.winner)
      try insert.statement.bind(3, integer: Int64(place))
      try insert.statement.run()
    }
  }

  /// - Returns: the numbers of the archived rows.
  private mutating func archive(
    _ schema: TableSchema, _ pairTable: SQL, in connection: Connection
  ) throws -> ClosedRange<Int64>? {
    guard let run else { return nil }
    let archive = ArchiveTable(source: schema)
    if preparedArchives.insert(ExactText(schema.name)).inserted {
      try archive.prepare(in: connection)
    }
    let columns = schema.storedColumns.map(SQL.init(name:))
    let rowID = SQL(name: schema.rowIDName)
    let targets = ArchiveTable.ownColumns.map(SQL.init(name:)) + columns
    let values: [SQL] =
      ["?1", "l.\(rowID)", "p.winner", Journal.lastChange] + columns.map { "l.\($0)" }
    try statements.run(
      """
      INSERT INTO \(archive.quotedName) (\(targets.joined(separator: ", ")))
      SELECT \(values.joined(separator: ", "))
      FROM temp.\(pairTable) AS p
      CROSS JOIN main.\(name: schema.name) AS l ON l.\(rowID) = p.loser
      """, run, in: connection)
    let count = connection.changeCount
    counts.archivedRowCount += count
    let last = connection.lastInsertRowID
    return count > 0 ? last - Int64(count) + 1...last : nil
  }

  /// Keeps where the identity of a loser leads, if its winner has another one.
  private mutating func redirect(
    _ pairTable: SQL, in connection: Connection
  ) throws {
    guard let run, !layout.identityColumns.isEmpty,
      !layout.identityColumns.allSatisfy(layout.keyColumns.contains)
    else { return }
    func identity(_ table: SQL) -> SQL {
      let values: [SQL] = layout.identityColumns.map { column in
        let value: SQL = "\(table).\(name: column)"
        return "CASE typeof(\(value)) WHEN 'blob' THEN hex(\(value)) ELSE \(value) END"
      }
      guard values.count > 1 else { return "CAST(\(values[0]) AS TEXT)" }
      return .jsonArray(values)
    }
    let table: SQL = "main.\(name: root.name)"
    let rowID = SQL(name: root.rowIDName)
    try statements.run(
      """
      INSERT INTO main.poikit_redirect (run, table_name, loser_key, winner_key)
      SELECT ?1, \(literal: root.name), \(identity("l")), \(identity("w"))
      FROM temp.\(pairTable) AS p
      CROSS JOIN \(table) AS l ON l.\(rowID) = p.loser
      CROSS JOIN \(table) AS w ON w.\(rowID) = p.winner
      WHERE \(identity("l")) <> \(identity("w"))
      """, run, in: connection)
    counts.redirectCount += connection.changeCount
  }
}
