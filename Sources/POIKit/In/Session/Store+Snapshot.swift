internal import POIRecords
internal import POISQLite

/// Removal of the rows that a snapshot lacks.
extension Store.Lease {
  /// The number of rows that a snapshot can remove: rows with a key that are not marked as removed.
  func removableRowCount(of model: Model) throws -> Int {
    let count = try connection.integer(
      "SELECT count(*) FROM main.\(name: model.table) AS t WHERE \(Self.isRemovable(model))")
    return Int(count ?? 0)
  }

  /// Refuses a snapshot after one that added rows but removed none, unless it names another limit: a share of all rows
  /// no longer shows how many are missing.
  ///
  /// Such a snapshot was refused, was undone or did not end, and no later one has ended. If the table had no rows before
  /// it, or if it stored no record, it does not count.
  ///
  /// - Parameter run: the run to resume; nil for a new one.
  func checkEarlierSnapshots(
    of model: Model, before run: Int64? = nil, limit: ImportOptions.Limit?
  ) throws {
    let snapshots: SQL = """
      \(RunRecord.imports(into: model.table)) AND id < \(run ?? .max) AND options ->> 'snapshot' = 1
      """
    let earlier = try RunRecord.latest(
      where: """
        \(snapshots) AND options ->> 'rows' > 0 AND \(RunRecord.hasStored) AND id > coalesce((
          SELECT max(id) FROM main.poikit_run
          WHERE \(snapshots) AND state = 'finished' AND counters ->> 'refused' IS NULL), 0)
        """, in: connection)
    guard let earlier, limit == nil || limit?.notation == earlier.options["maxRemovals"]?.string
    else { return }
    throw StoreError(
      .snapshotRefused,
      "\(path): the snapshot of run \(earlier.id) was refused, undone or did not end, and the rows that it added may "
        + "hide how many are missing now, so nothing \(run == nil ? "" : "more ")was imported; "
        + "look whether the snapshot is complete"
        + (limit == nil ? "" : ", and name another limit than that run did"),
      advice: .nameRemovalLimit)
  }

  /// The condition that a row `t` has a key and is not marked as removed.
  private static func isRemovable(_ model: Model) -> SQL {
    let key = model.key.compactMap { model.attribute(named: $0)?.column }
    var conditions: [SQL] = key.map { "t.\(name: $0) IS NOT NULL" }
    if let mark = model.tombstoneColumn { conditions.append("coalesce(t.\(name: mark), 0) = 0") }
    return conditions.joined(separator: " AND ")
  }

  /// Removes the rows that a snapshot lacks, and ends its run, in one transaction.
  ///
  /// Rows without a key, and rows that are already marked as removed, are left alone.
  ///
  /// - Parameters:
  ///   - limit: how many of the rows stored before the run may be removed.
  ///   - keys: the keys that the snapshot holds, too.
  ///   - token: stored if the rows are removed.
  func endSnapshot(
    of model: Model, run: Int64, _ checkpoint: ImportCheckpoint, limit: ImportOptions.Limit,
    ended: Instant, holding keys: KeyList?, of inputs: [ImportReport.Input],
    keeping token: SourceToken
  ) throws -> SnapshotOutcome {
    try RowRemoval.enforcingReferences(on: connection) {
      try connection.begin(.immediate)
      do {
        let outcome = try connection.writing(ServerLink.ownWrites(to: model.table, in: connection))
        {
          try removeMissing(model, run, checkpoint, limit, ended, keys)
        }
        if case .done = outcome {
          try keep(token)
          if inputs.contains(where: { $0.version != nil }) {
            try RunRecord.note(inputs, ofRun: run, in: connection)
          }
          try connection.commit()
        } else {
          connection.rollback()
        }
        return outcome
      } catch {
        connection.rollback()
        throw error
      }
    }
  }

  private func removeMissing(
    _ model: Model, _ run: Int64, _ checkpoint: ImportCheckpoint, _ limit: ImportOptions.Limit,
    _ ended: Instant, _ keys: KeyList?
  ) throws -> SnapshotOutcome {
    let snapshot = SnapshotTable(ofRun: run, in: connection)
    let schema = try TableSchema(of: model.table, in: connection)
    let layout = try TableLayout(model)
    let rows = RowRemoval(schema: schema)
    var next = checkpoint
    try snapshot.complete()
    let log = try ChangeLog.checked(of: model, in: connection)
    try log?.expand()
    let isLocal = log?.holds(row: "t") ?? "0"
    let missing = snapshot.missing(from: rows.quotedTable)
    let isHeld = try keys?.holds(row: "t", in: connection) ?? "0"
    let isGone: SQL = "\(Self.isRemovable(model)) AND NOT \(isLocal) AND NOT \(isHeld)"
    // They are counted before a list of them is made.
    let gone = Int(
      try connection.integer("SELECT count(*) FROM \(missing) WHERE \(isGone)") ?? 0)
    guard !limit.isExceeded(by: gone, of: checkpoint.removableRowCount) else {
      return .tooMany(gone: gone, of: checkpoint.removableRowCount)
    }
    try rows.list(from: missing, where: isGone)
    var archivedCount: Int?
    next.counters.removed = gone
    next.digest -= try rows.digest(layout)
    if let mark = model.tombstoneColumn {
      try rows.mark(
        mark, as: model.removalMark(at: ended), timestamp: layout.timestampColumn, under: run)
      next.digest += try rows.digest(layout)
    } else {
      let deleted = try rows.delete(archivingUnder: run)
      // Rows that depend on the missing ones were deleted with them.
      guard !limit.isExceeded(by: deleted.deletedCount, of: checkpoint.removableRowCount) else {
        return .tooMany(gone: deleted.deletedCount, of: checkpoint.removableRowCount)
      }
      next.counters.removed = deleted.deletedCount
      archivedCount = deleted.archivedCount
    }
    try RunRecord.end(
      run, .finished, at: ended, counters: next.countersJSON(archivedCount: archivedCount),
      in: connection)
    return .done(next)
  }
}

enum SnapshotOutcome {
  /// The missing rows are removed and the run has ended, with this checkpoint.
  case done(ImportCheckpoint)
  /// It lacks more of the rows stored before it than may be removed; nothing has changed.
  case tooMany(gone: Int, of: Int)
}
