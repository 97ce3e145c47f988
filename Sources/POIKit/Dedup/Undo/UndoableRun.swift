internal import POIRecords
internal import POISQLite

/// A deduplication or snapshot import that removed rows and can be undone.
struct UndoableRun {
  let connection: Connection
  let id: Int64

  /// The deduplicated table, or the table of the snapshot.
  let table: String

  /// Whether it is the import of a snapshot.
  let isSnapshot: Bool

  let archivedTables: [String]

  let changedTables: [String]

  /// What the run created to enforce the key.
  let outcome: EnforcementOutcome

  /// The run with the given id, or the latest one that changed something and is not undone.
  ///
  /// - Throws: `StoreFailure` when the log has no such run, when its archive is missing or incomplete, and
  ///   when a later run must be undone first.
  static func find(_ id: Int64?, in connection: Connection) throws -> UndoableRun {
    let condition: SQL = id.map { "id = \($0)" } ?? "state <> 'undone' AND \(hasChanged)"
    guard
      let found = try RunRecord.latest(where: "\(removesRows) AND \(condition)", in: connection)
    else {
      let what = id.map { "there is no deduplication with the number \($0)" }
      throw StoreFailure(
        .cannotUndo, what ?? "there is no deduplication in this database that could be undone")
    }
    guard found.state != .undone else {
      throw StoreFailure(.cannotUndo, "run \(found.id) is undone already")
    }
    guard case .bool(true) = found.options["archive"] else {
      throw StoreFailure(
        .cannotUndo, "run \(found.id) kept no archive, so what it removed cannot be put back")
    }
    let archived = try ArchiveTable.tables(ofRun: found.id, in: connection)
    let changed = try Journal.tables(ofRun: found.id, in: connection)
    let hasRemovedRows =
      found.count("losers") > 0 || found.isImport && found.count("removed") > 0
    guard !hasRemovedRows || !archived.isEmpty || found.isImport && !changed.isEmpty else {
      throw StoreFailure(
        .cannotUndo,
        "the archive of run \(found.id) is gone, so what it removed cannot be put back")
    }
    let archivedCount = try ArchiveTable.rowCount(ofRun: found.id, in: connection)
    if let expected = found.counters["archived"]?.integer, expected != archivedCount {
      throw StoreFailure(
        .cannotUndo,
        """
        of the \(expected) rows that run \(found.id) archived, \(archivedCount) are left, so what it removed \
        cannot be put back as it was
        """)
    }
    if let later = try laterRun(than: found, archived + changed, in: connection) {
      throw StoreFailure(
        .cannotUndo,
        "run \(later) came after run \(found.id) and changed the same tables: undo it first")
    }
    return UndoableRun(
      connection: connection, id: found.id, table: found.table, isSnapshot: found.isImport,
      archivedTables: archived,
      changedTables: changed,
      outcome: EnforcementOutcome(
        createdIndex: found.count("indexCreated") == 1,
        addedKeyColumn: found.count("keyColumnAdded") == 1))
  }

  private static let hasChanged: SQL =
    """
    (counters ->> 'losers' > 0 OR counters ->> 'removed' > 0 OR counters ->> 'indexCreated' = 1)
    """

  /// The condition that a run can remove rows: a deduplication, or the import of a snapshot.
  private static let removesRows: SQL = "options ->> 'archive' IS NOT NULL"

  /// A later run that changed one of the same tables and is not undone.
  private static func laterRun(
    than run: RunRecord, _ tables: [String], in connection: Connection
  ) throws -> Int64? {
    let touched = Set((tables + [run.table]).map(ExactText.init))
    let later = try RunRecord.list(
      where: "\(removesRows) AND id > \(run.id) AND state <> 'undone'", in: connection)
    return try later.first { later in
      var tables = try ArchiveTable.tables(ofRun: later.id, in: connection)
      tables += try Journal.tables(ofRun: later.id, in: connection)
      let hasChanged =
        later.count("losers") > 0 || later.count("removed") > 0 || later.count("indexCreated") == 1
      if hasChanged { tables.append(later.table) }
      return !touched.isDisjoint(with: tables.map(ExactText.init))
    }?.id
  }
}

extension UndoableRun {
  /// The error that a run cannot be undone.
  static func obstacle(
    _ run: Int64, _ reason: String, advice: [Advice] = [], _ cause: SQLiteError? = nil
  ) -> StoreFailure {
    StoreFailure(
      .cannotUndo, "run \(run) cannot be undone: \(reason)", advice: advice, cause: cause)
  }

  func obstacle(
    _ reason: String, advice: Advice..., cause: SQLiteError? = nil
  ) -> StoreFailure {
    Self.obstacle(id, reason, advice: advice, cause)
  }

  /// The error that a trigger changes a restored row.
  func changedByTrigger(row: Int64, of table: String) throws -> StoreFailure {
    let triggers = try Trigger.ofApp(on: table, in: connection).map(\.name)
    let own = triggers.isEmpty ? "" : ", which has \(TableSchema.list(triggers))"
    return obstacle(
      """
      a trigger changes row \(row) of '\(table)' when it is restored: drop the triggers of that \
      table\(own), undo, and create them again
      """)
  }
}
