internal import POIRecords
internal import POISQLite

/// Removes losers from their table, a batch at a time, and moves references to them.
///
/// Rows of other tables that refer to a loser refer to its winner afterwards. If that would violate a unique
/// constraint, the winner already has such a row; then the loser's row is removed as its duplicate, in the
/// same way.
///
/// A portion of a batch is listed in a temporary table. One statement archives it and another deletes it:
/// this takes a tenth less time than two statements for each row. Most of the time SQLite writes nearly every
/// page to the write-ahead log and from there to the file. A log of 8,000 pages, 8 MB of page cache, an
/// exclusive lock and a second thread for checkpoints made no difference.
struct LoserRemoval {
  let layout: TableLayout
  private var preparedArchives: Set<ExactText> = []

  var reservedTables: Set<ExactText> = []

  private var madeTables: Set<SQL> = []

  let statements: PreparedStatements

  var connection: Connection { statements.connection }

  let root: TableSchema

  /// The columns by which rows belong to a loser and are removed with it.
  let ownerships: Set<Ownership>

  /// Whether the connection enforces foreign keys. If not, they are not deferred: that setting makes SQLite
  /// prepare all statements again in every batch.
  private let enforcesReferences: Bool

  /// The run that redirects, archived rows and changes belong to.
  private(set) var run: Int64?

  /// Whether rows are archived and moved references are logged in the journal.
  private(set) var archives = false

  private let rootReferences: [TableReference]

  /// The references to each table and the schemas, by name, as far as they are known.
  private var referencesByTable: [ExactText: [TableReference]] = [:]
  private var schemas: [ExactText: TableSchema] = [:]

  /// The temporary tables that list the rows that refer to losers, for references without an index.
  var lists: [TableReference: SQL] = [:]

  /// The prepared statements that write merged values to winners. Each set of columns has its own UPDATE; at
  /// most 64 stay prepared.
  var keptUpdates: Set<SQL> = []

  /// For each reference of the root, its columns and a query of row `?1` if that refers to a missing row; nil before
  /// they are needed.
  var danglingChecks: [(columns: [String], find: SQL)]?

  /// The digest of the remaining rows; nil if it is not known without a pass over them.
  private(set) var remainingDigest: RemainingDigest?

  var counts = DeduplicationReport.Changes()

  /// - Parameter arrays: how the rows of the losers' relations to many are treated.
  /// - Throws: `StoreFailure` when a table that refers to this one has no row ids.
  init(
    _ layout: TableLayout, schema: TableSchema, arrays: DeduplicationOptions.ArrayRule,
    statements: PreparedStatements
  ) throws {
    self.layout = layout
    ownerships = arrays == .winner ? Ownership.all(in: layout.model.relations) : []
    self.statements = statements
    root = schema
    enforcesReferences = try statements.connection.integer("PRAGMA foreign_keys") == 1
    rootReferences = try TableReference.all(to: schema)
    schemas[ExactText(schema.name)] = schema
    for reference in rootReferences {
      _ = try child(of: reference, to: schema)
      try checkTarget(of: reference)
    }
    try checkSharedColumns()
  }

  /// Throws if a row that may have to move has two references that share a column. A table whose rows may be removed as
  /// duplicates, or with their losers, has such rows below it.
  private mutating func checkSharedColumns() throws {
    var parents = [root]
    var known: Set = [ExactText(root.name)]
    while let parent = parents.popLast() {
      for reference in try references(to: parent) {
        guard let child = try? child(of: reference, to: parent) else { continue }
        let move = ReferenceMove(reference: reference, parent: parent, child: child)
        let isOwning = isOwning(reference)
        if !isOwning {
          try move.checkSharedColumns(
            besides: parent.name.isExactly(root.name) ? layout.keyColumns : [], by: statements)
        }
        if try isOwning || !move.conflictQueries().isEmpty,
          known.insert(ExactText(child.name)).inserted
        {
          parents.append(child)
        }
      }
    }
  }

  /// Throws if rows refer to a column that the key does not make equal and whose values are not unique, so that
  /// a value does not tell the row. SQLite itself checks the foreign keys.
  private func checkTarget(of reference: TableReference) throws {
    let column = reference.parentColumns[0]
    guard !reference.isDeclared, column != root.rowIDName, !layout.keyColumns.contains(column),
      try root.uniqueCollation(of: column) == nil
    else { return }
    let name = SQL(name: column)
    let repeated = try connection.integer(
      """
      SELECT 1 FROM main.\(name: root.name) WHERE \(name) IS NOT NULL
      GROUP BY \(name) HAVING count(*) > 1 LIMIT 1
      """)
    guard repeated != nil else { return }
    throw StoreFailure(
      .unmovableReference,
      """
      '\(reference.childTable)'.'\(reference.childColumns[0])' refers to '\(root.name)'.'\(column)', whose \
      values repeat, so they do not tell the rows: deduplicate by '\(column)' first
      """)
  }

  /// Stores redirects under a run from now on. If it `archives`, also removed rows and moved references.
  mutating func beginRun(_ run: Int64, archives: Bool) {
    self.run = run
    self.archives = archives
  }

  /// Tracks the digest of the remaining rows, if the database remembers the digest of the table. No other program
  /// changes the database until the first batch.
  mutating func trackRemainingDigest() throws {
    remainingDigest = try RemainingDigest(layout, schema: root, references: rootReferences)
  }

  /// The number of losers to remove before `BatchPace.isDue` is asked again.
  ///
  /// It is small, so that the losers' pages, which are read three times, stay in the cache. It is larger if
  /// there are references to the table, because a search for referring rows costs more.
  var portionSize: Int { rootReferences.isEmpty ? 100 : 500 }

  /// Prepares the transaction of a batch, at its start.
  func beginBatch() throws {
    guard enforcesReferences else { return }
    // A row and the rows that refer to it cannot move in one statement.
    try connection.execute("PRAGMA defer_foreign_keys = ON")
  }

  /// Removes losers, inside the transaction of their batch. After an error the caller must roll back.
  mutating func remove(_ pairs: [LoserEntry]) throws {
    try replaceByWinners(pairs, of: root, depth: 0)
    counts.removedRowCount += pairs.count
  }

  /// Whether rows of another table can conflict with each other when they move to one winner.
  ///
  /// If so, losers are removed by rank, so that the rows of the best one move first. Otherwise they are
  /// removed by id, so that each page of the table is read once.
  mutating func needsRanks() throws -> Bool {
    for move in try movesOfOtherTables()
    where try !move.conflictQueries().isEmpty {
      return true
    }
    return false
  }

  /// The moves along references to the table of the losers, except references from this table and references
  /// whose rows are removed with the losers.
  mutating func movesOfOtherTables() throws -> [ReferenceMove] {
    var moves: [ReferenceMove] = []
    for reference in rootReferences where !isOwning(reference) {
      let child = try child(of: reference, to: root)
      guard !child.name.isExactly(root.name) else { continue }
      moves.append(ReferenceMove(reference: reference, parent: root, child: child))
    }
    return moves
  }

  mutating func references(to schema: TableSchema) throws -> [TableReference] {
    if let known = referencesByTable[ExactText(schema.name)] { return known }
    let references = try TableReference.all(to: schema)
    referencesByTable[ExactText(schema.name)] = references
    return references
  }

  /// The child table of a reference.
  ///
  /// - Throws: `StoreFailure` when it has no row ids.
  mutating func child(of reference: TableReference, to parent: TableSchema) throws -> TableSchema {
    let name = ExactText(reference.childTable)
    if let known = schemas[name] { return known }
    do {
      let schema = try TableSchema(of: reference.childTable, in: connection)
      schemas[name] = schema
      return schema
    } catch let error as StoreFailure {
      throw StoreFailure(
        error.code,
        "rows of '\(reference.childTable)' refer to '\(parent.name)', but \(error.message)")
    }
  }

  /// Archives rows, moves references to them, and deletes them.
  ///
  /// If rows of several losers cannot all refer to the winner, the row of the first loser in `pairs` moves and
  /// the others are removed as its duplicates.
  mutating func replaceByWinners(_ pairs: [LoserEntry], of schema: TableSchema, depth: Int) throws {
    let pairTable = Self.pairTable(depth: depth)
    try writePairs(pairs, to: pairTable)
    if depth == 0 {
      try remainingDigest?.subtract(rowsListedIn: "temp.\(pairTable)")
    }
    // The archive gets the rows before their references move, because an app's trigger may change them then.
    let archived = archives ? try archive(schema, pairTable) : nil
    let references = try references(to: schema)
    for reference in references {
      let child: TableSchema
      do {
        child = try self.child(of: reference, to: schema)
      } catch let error as StoreFailure where error.code == .unsupportedTable {
        let losers: SQL = "SELECT loser FROM temp.\(pairTable)"
        let isReferredTo =
          try connection.integer(reference.findAny(to: losers, of: schema)) != nil
        guard !isReferredTo else { throw error }
        continue
      }
      let move = ReferenceMove(reference: reference, parent: schema, child: child)
      if isOwning(reference) {
        try removeRows(of: move, pairTable, depth: depth)
      } else {
        // Only owned rows, at depth 1 and below, can be without a winner.
        if depth > 0, !ownerships.isEmpty {
          try refuseReferences(through: move, pairTable)
        }
        try self.move(move, pairTable, depth: depth)
      }
    }
    // The rows were archived before their references moved. Undo restores them before it moves the references
    // back, so the archive must name the last move.
    if let archived, !references.isEmpty {
      try statements.run(
        """
        UPDATE \(ArchiveTable(source: schema).quotedName) SET poikit_change = \(Journal.lastChange)
        WHERE \(name: ArchiveTable.number) BETWEEN ?1 AND ?2 AND poikit_change < \(Journal.lastChange)
        """, archived.lowerBound, archived.upperBound)
    }
    if depth == 0 { try redirect(pairTable) }
    try statements.run(
      """
      DELETE FROM main.\(name: schema.name)
      WHERE \(name: schema.rowIDName) IN (SELECT loser FROM temp.\(pairTable))
      """)
    let deletedCount = connection.changeCount
    guard deletedCount == pairs.count else {
      throw StoreFailure(
        .interferingTrigger,
        """
        \(deletedCount) rows of '\(schema.name)' were deleted instead of \(pairs.count): a trigger of the \
        table interferes; drop it during the deduplication
        """)
    }
  }

  mutating func makeTemporaryTable(_ name: SQL, columns: SQL) throws {
    guard madeTables.insert(name).inserted else { return }
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(name) (\(columns))")
  }

  /// The name of the temporary table with the losers and winners at one depth.
  static func pairTable(depth: Int) -> SQL { "poikit_pair_\(depth)" }

  mutating func writePairs(_ pairs: [LoserEntry], to pairTable: SQL) throws {
    try makeTemporaryTable(
      pairTable,
      columns: """
        loser INTEGER NOT NULL PRIMARY KEY, winner INTEGER NOT NULL, rank INTEGER NOT NULL
        """)
    try statements.run("DELETE FROM temp.\(pairTable)")
    let insert = try statements.statement("INSERT INTO temp.\(pairTable) VALUES (?1, ?2, ?3)")
    for (rank, pair) in pairs.enumerated() {
      try insert.statement.bind(1, integer: pair.loser)
      try insert.statement.bind(2, integer: pair.winner)
      try insert.statement.bind(3, integer: Int64(rank))
      try insert.statement.run()
    }
  }

  /// - Returns: the numbers of the archived rows.
  private mutating func archive(
    _ schema: TableSchema, _ pairTable: SQL
  ) throws -> ClosedRange<Int64>? {
    guard let run else { return nil }
    let archive = ArchiveTable(source: schema)
    if preparedArchives.insert(ExactText(schema.name)).inserted {
      try archive.prepare()
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
      """, run)
    let count = connection.changeCount
    counts.archivedRowCount += count
    let last = connection.lastInsertRowID
    return count > 0 ? last - Int64(count) + 1...last : nil
  }

  /// Stores a redirect from the identity of a loser to the identity of its winner, if they differ.
  private mutating func redirect(_ pairTable: SQL) throws {
    // If the identity is part of the key, loser and winner have the same identity.
    guard let run, !layout.identityColumns.isEmpty,
      !layout.identityColumns.allSatisfy(layout.keyColumns.contains)
    else { return }
    let (loser, winner) = (layout.identity(of: "l"), layout.identity(of: "w"))
    let table: SQL = "main.\(name: root.name)"
    let rowID = SQL(name: root.rowIDName)
    try statements.run(
      """
      INSERT INTO main.poikit_redirect (run, table_name, loser_key, winner_key)
      SELECT ?1, \(literal: root.name), \(loser), \(winner)
      FROM temp.\(pairTable) AS p
      CROSS JOIN \(table) AS l ON l.\(rowID) = p.loser
      CROSS JOIN \(table) AS w ON w.\(rowID) = p.winner
      WHERE \(loser) <> \(winner)
      """, run)
    counts.redirectCount += connection.changeCount
  }

  /// Deletes the redirects of earlier runs from keys that this run gave a redirect, or whose rows won.
  func endOlderRedirects() throws {
    guard let run, !layout.identityColumns.isEmpty else { return }
    let own: SQL = "FROM main.poikit_redirect WHERE run = \(run)"
    try connection.execute(
      """
      DELETE FROM main.poikit_redirect WHERE table_name = \(literal: root.name) AND run <> \(run)
        AND loser_key IN (SELECT loser_key \(own) UNION SELECT winner_key \(own))
      """)
  }
}

/// A loser and its winner, in the order of the losers' ids.
///
/// If `winner` equals `loser`, the row is removed without a winner.
struct LoserEntry: SortableEntry {
  private let orderedLoser: UInt64
  private let orderedWinner: UInt64

  init(loser: Int64, winner: Int64) {
    orderedLoser = UInt64(bitPattern: loser) ^ 1 << 63
    orderedWinner = UInt64(bitPattern: winner) ^ 1 << 63
  }

  var loser: Int64 { Int64(bitPattern: orderedLoser ^ 1 << 63) }

  var winner: Int64 { Int64(bitPattern: orderedWinner ^ 1 << 63) }

  static var wordCount: Int { 2 }

  func word(_ index: Int) -> UInt64 { index == 0 ? orderedLoser : orderedWinner }
}
