internal import POIRecords
internal import SQLiteKit

/// A run that removed rows, of a deduplication or of a snapshot, and can be undone.
struct UndoableRun {
  /// The run's id.
  let id: Int64

  /// The table that it deduplicated, or that the snapshot was imported into.
  let table: String

  /// Whether it imported a snapshot.
  let isSnapshot: Bool

  /// The tables that it removed rows from.
  let archivedTables: [String]

  /// The tables with rows that it changed.
  let changedTables: [String]

  /// What it made to enforce the key.
  let outcome: EnforcementOutcome

  /// The run with the given id, or the latest one that changed something and is not undone.
  ///
  /// - Throws: `StoreFailure` when there is none, it kept no archive, some of that is gone, or a
  ///   later one has to be undone before.
  static func find(
    _ id: Int64?, in connection: Connection
  ) throws -> UndoableRun {
    let found = try RunRecord.isBookkept(connection) ? try read(id, in: connection) : nil
    guard let found else {
      let what = id.map { "there is no deduplication with the number \($0)" }
      throw StoreFailure(
        .cannotUndo, what ?? "there is no deduplication in this database that could be undone")
    }
    guard found.state != "undone" else {
      throw StoreFailure(.cannotUndo, "run \(found.id) is undone already")
    }
    guard found.hasArchive else {
      throw StoreFailure(
        .cannotUndo, "run \(found.id) kept no archive, so what it removed cannot be put back")
    }
    let archived = try ArchiveTable.tables(ofRun: found.id, in: connection)
    let changed = try Journal.tables(ofRun: found.id, in: connection)
    let archivedCount = try ArchiveTable.rowCount(ofRun: found.id, in: connection)
    guard !found.hasRemovedRows || !archived.isEmpty || found.isSnapshot && !changed.isEmpty else {
      throw StoreFailure(
        .cannotUndo,
        "the archive of run \(found.id) is gone, so what it removed cannot be put back")
    }
    guard found.archivedCount.map({ $0 == archivedCount }) ?? true else {
      throw StoreFailure(
        .cannotUndo,
        """
        of the \(found.archivedCount ?? 0) rows that run \(found.id) archived, \(archivedCount) are left, so \
        what it removed cannot be put back as it was
        """)
    }
    if let later = try laterRun(than: found, archived + changed, in: connection) {
      throw StoreFailure(
        .cannotUndo,
        "run \(later) came after run \(found.id) and changed the same tables: undo it first")
    }
    return UndoableRun(
      id: found.id, table: found.table, isSnapshot: found.isSnapshot, archivedTables: archived,
      changedTables: changed, outcome: found.outcome)
  }
}

extension UndoableRun {
  /// What the table of runs says about a run.
  private struct Row {
    let id: Int64
    let table: String
    let state: String
    let hasArchive: Bool
    let isSnapshot: Bool
    /// Whether it removed or marked rows.
    let hasRemovedRows: Bool
    /// How many rows it put into archives, where it says so.
    let archivedCount: Int?
    let outcome: EnforcementOutcome
  }

  /// The condition that a run changed something.
  private static let hasChanged: SQL =
    """
    (counters ->> 'losers' > 0 OR counters ->> 'removed' > 0 OR counters ->> 'indexCreated' = 1)
    """

  /// The condition that a run is one of those that remove rows: a deduplication, or the import of a
  /// snapshot.
  private static let removesRows: SQL = "options ->> 'archive' IS NOT NULL"

  private static func read(
    _ id: Int64?, in connection: Connection
  ) throws -> Row? {
    var statement = try connection.prepare(
      """
      SELECT id, table_name, state, options ->> 'archive', counters ->> 'indexCreated',
        counters ->> 'keyColumnAdded', tool,
        counters ->> 'losers' > 0 OR (tool = ?2 AND counters ->> 'removed' > 0),
        counters ->> 'archived'
      FROM main.poikit_run
      WHERE \(removesRows) AND (id = ?1 OR (?1 IS NULL AND state <> 'undone' AND \(hasChanged)))
      ORDER BY id DESC
      """, isPersistent: false)
    if let id { try statement.bind(1, integer: id) }
    try statement.bind(2, text: RunRecord.importTool)
    guard try statement.step() else { return nil }
    return Row(
      id: statement.integer(0), table: statement.text(1), state: statement.text(2),
      hasArchive: statement.integer(3) == 1, isSnapshot: statement.text(6) == RunRecord.importTool,
      hasRemovedRows: statement.integer(7) == 1,
      archivedCount: statement.isNull(8) ? nil : Int(statement.integer(8)),
      outcome: EnforcementOutcome(
        createdIndex: statement.integer(4) == 1, addedKeyColumn: statement.integer(5) == 1))
  }

  /// A run after `run` that changed one of the tables that it changed, and that is not undone.
  private static func laterRun(
    than run: Row, _ tables: [String], in connection: Connection
  ) throws -> Int64? {
    let touched = Set((tables + [run.table]).map(ExactText.init))
    var later: [(id: Int64, table: String?)] = []
    var statement = try connection.prepare(
      """
      SELECT id, table_name, \(hasChanged)
      FROM main.poikit_run WHERE \(removesRows) AND id > ?1 AND state <> 'undone' ORDER BY id DESC
      """, isPersistent: false)
    try statement.bind(1, integer: run.id)
    while try statement.step() {
      later.append((statement.integer(0), statement.integer(2) == 1 ? statement.text(1) : nil))
    }
    for candidate in later {
      var tables = try ArchiveTable.tables(ofRun: candidate.id, in: connection)
      tables += try Journal.tables(ofRun: candidate.id, in: connection)
      if let table = candidate.table { tables.append(table) }
      if !touched.isDisjoint(with: tables.map(ExactText.init)) { return candidate.id }
    }
    return nil
  }
}

extension UndoableRun {
  /// The error that something stands in the way of undoing a run.
  static func obstacle(
    _ run: Int64, _ reason: String, _ cause: SQLiteError? = nil
  ) -> StoreFailure {
    StoreFailure(.cannotUndo, "run \(run) cannot be undone: \(reason)", cause: cause)
  }

  func obstacle(_ reason: String, _ cause: SQLiteError? = nil) -> StoreFailure {
    Self.obstacle(id, reason, cause)
  }

  /// The error that a row does not come back as it was.
  func changedByTrigger(
    row: Int64, of table: String, in connection: Connection
  ) throws -> StoreFailure {
    let triggers = try TableSchema.triggers(of: table, in: connection)
    let own = triggers.isEmpty ? "" : ", which has \(TableSchema.list(triggers))"
    return obstacle(
      """
      a trigger changes row \(row) of '\(table)' as it comes back: drop the triggers of that \
      table\(own), undo, and make them again
      """)
  }
}
