internal import POIRecords
internal import POISQLite

/// Removal of the rows that a snapshot lacks.
extension Store.Lease {
  /// The rows that a snapshot can remove: rows with a key that are not marked as removed.
  func removableRows(of model: Model) throws -> RemovableRows {
    let table: SQL = "main.\(name: model.table)"
    let count = try connection.integer(
      "SELECT count(*) FROM \(table) AS t WHERE \(Self.isRemovable(model))")
    let lastRow = try connection.integer("SELECT max(\(StoreSchema.idColumn)) FROM \(table)")
    return RemovableRows(count: Int(count ?? 0), lastRow: lastRow ?? 0)
  }

  /// The condition that a row `t` has a key and is not marked as removed.
  private static func isRemovable(_ model: Model) -> SQL {
    let key = model.key.compactMap { model.attribute(named: $0)?.column }
    var conditions: [SQL] = key.map { "t.\(name: $0) IS NOT NULL" }
    if let mark = model.tombstoneColumn { conditions.append("coalesce(t.\(name: mark), 0) = 0") }
    return conditions.joined(separator: " AND ")
  }

  /// Removes the rows whose keys a snapshot lacks, and ends its run, in one transaction.
  ///
  /// Rows without a key, and rows that are already marked as removed, are left alone.
  ///
  /// - Parameters:
  ///   - limit: how many of the rows stored before the run may be removed.
  ///   - token: stored if the rows are removed.
  func endSnapshot(
    of model: Model, run: Int64, _ checkpoint: ImportCheckpoint, limit: ImportOptions.Limit,
    ended: Instant, keeping token: SourceToken
  ) throws -> SnapshotOutcome {
    try RowRemoval.enforcingReferences(on: connection) {
      try connection.begin(.immediate)
      do {
        let outcome = try removeMissing(model, run, checkpoint, limit, ended)
        if case .done = outcome {
          try keep(token)
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

  /// The refusal if too many of the rows stored before earlier refused snapshots would be removed; nil if
  /// not.
  ///
  /// - Parameter countUpTo: returns how many of the rows to remove have at most the given id.
  private func tooManySinceEarlier(
    _ model: Model, _ run: Int64, _ limit: ImportOptions.Limit, countUpTo: (Int64) throws -> Int
  ) throws -> SnapshotOutcome? {
    guard let earlier = try EarlierSnapshot.first(before: run, into: model.table, in: connection)
    else { return nil }
    // Rows marked as removed then are not in `earlier.rows.count`, but may have come back since.
    let gone = min(try countUpTo(earlier.rows.lastRow), earlier.rows.count)
    guard limit.isExceeded(by: gone, of: earlier.rows.count) else { return nil }
    return .tooManySince(earlier, gone: gone)
  }

  private func removeMissing(
    _ model: Model, _ run: Int64, _ checkpoint: ImportCheckpoint, _ limit: ImportOptions.Limit,
    _ ended: Instant
  ) throws -> SnapshotOutcome {
    let keys = SnapshotTable(model, ofRun: run)
    let schema = try TableSchema(of: model.table, in: connection)
    let layout = try TableLayout(model)
    let rows = RowRemoval(schema: schema)
    var next = checkpoint
    try keys.createIndex(in: connection)
    let gone = try rows.list(
      where: "\(Self.isRemovable(model)) AND NOT \(keys.holds(row: "t"))", in: connection)
    guard !limit.isExceeded(by: gone, of: checkpoint.removableRowCount) else {
      return .tooMany(gone: gone, of: checkpoint.removableRowCount)
    }
    let refusal = try tooManySinceEarlier(model, run, limit) { (lastRow) in
      try rows.listedCount(upTo: lastRow, in: connection)
    }
    if let refusal { return refusal }
    var archivedCount: Int?
    next.counters.removed = gone
    next.digest -= try rows.digest(layout, in: connection)
    if let mark = model.tombstoneColumn {
      try rows.mark(
        mark, as: model.removalMark(at: ended), timestamp: layout.timestampColumn, under: run,
        in: connection)
      next.digest += try rows.digest(layout, in: connection)
    } else {
      let deleted = try rows.delete(archivingUnder: run, in: connection)
      // Rows that depend on the missing ones were deleted with them.
      guard !limit.isExceeded(by: deleted.deletedCount, of: checkpoint.removableRowCount) else {
        return .tooMany(gone: deleted.deletedCount, of: checkpoint.removableRowCount)
      }
      let refusal = try tooManySinceEarlier(model, run, limit) { (lastRow) in
        try rows.archivedCount(under: run, upTo: lastRow, in: connection)
      }
      if let refusal { return refusal }
      next.counters.removed = deleted.deletedCount
      archivedCount = deleted.archivedCount
    }
    try RunRecord.end(
      run, .finished, at: ended, counters: next.countersJSON(archivedCount: archivedCount),
      in: connection)
    return .done(next)
  }
}
