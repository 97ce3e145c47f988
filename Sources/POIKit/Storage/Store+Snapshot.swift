internal import SQLiteKit

/// The rows that a snapshot lacks.
extension Store {
  /// Removes the rows whose keys a snapshot lacks, and ends its run, in one transaction.
  ///
  /// Rows without a key are left alone, and so are those that are marked as removed already.
  ///
  /// - Parameter limit: how many of the rows may go.
  borrowing func endSnapshot(
    of model: Model, run: Int64, _ checkpoint: ImportCheckpoint, limit: ImportOptions.Limit,
    ended: Instant
  ) throws(ImportError) -> SnapshotOutcome {
    do {
      return try RowRemoval.enforcingReferences(on: connection) {
        () throws(DeduplicationError) -> SnapshotOutcome in
        try DeduplicationError.converting { () throws(SQLiteError) in
          try connection.begin(.immediate)
        }
        do throws(DeduplicationError) {
          let outcome = try removeMissing(model, run, checkpoint, limit, ended)
          if case .done = outcome {
            try DeduplicationError.converting { () throws(SQLiteError) in try connection.commit() }
          } else {
            connection.rollback()
          }
          return outcome
        } catch {
          connection.rollback()
          throw error
        }
      }
    } catch {
      if let cause = error.cause, error.code == .database {
        throw ImportError(StoreError(cause, path: path))
      }
      throw ImportError(.snapshotRefused, "\(path): \(error.message); nothing was removed")
    }
  }

  private borrowing func removeMissing(
    _ model: Model, _ run: Int64, _ checkpoint: ImportCheckpoint, _ limit: ImportOptions.Limit,
    _ ended: Instant
  ) throws(DeduplicationError) -> SnapshotOutcome {
    let keys = SnapshotTable(model, ofRun: run)
    let schema = try TableSchema(of: model.table, in: connection)
    let layout: TableLayout
    do { layout = try TableLayout(model) } catch {
      throw DeduplicationError(.invalidOptions, error.message)
    }
    let rows = RowRemoval(schema: schema)
    var condition = keys.hasKey(row: "t")
    if let mark = model.tombstoneColumn.map(SQL.init(name:)) {
      condition += " AND coalesce(t.\(mark), 0) = 0"
    }
    var next = checkpoint
    var gone = try DeduplicationError.converting { () throws(SQLiteError) in
      try keys.createIndex(in: connection)
      return try rows.list(where: "\(condition) AND NOT \(keys.holds(row: "t"))", in: connection)
    }
    if model.tombstoneColumn == nil { gone += try rows.listDependents(in: connection) }
    do throws(SQLiteError) {
      let table = SQL(name: model.table)
      let all = try connection.integer("SELECT count(*) FROM main.\(table) AS t WHERE \(condition)")
      guard !limit.isExceeded(by: gone, of: Int(all ?? 0)) else {
        return .tooMany(gone: gone, of: Int(all ?? 0))
      }
      next.counters.removed = gone
      next.digest -= try rows.digest(layout, in: connection)
    } catch {
      throw DeduplicationError(error)
    }
    if let mark = model.tombstoneColumn {
      do throws(SQLiteError) {
        try rows.mark(mark, as: model.removalMark(at: ended), under: run, in: connection)
        next.digest += try rows.digest(layout, in: connection)
      } catch {
        throw DeduplicationError(error)
      }
    } else {
      try rows.archive(under: run, in: connection)
      try rows.delete(in: connection)
    }
    do throws(SQLiteError) {
      try RunRecord(id: run).end(
        .finished, at: ended, counters: next.countersJSON.description, in: connection)
    } catch {
      throw DeduplicationError(error)
    }
    return .done(next)
  }
}
