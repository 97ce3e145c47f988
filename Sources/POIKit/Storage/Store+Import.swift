internal import SQLiteKit

/// What an import asks of the store.
extension Store {
  static let importTool = "poi-import"

  /// Whether the tables may refuse a record of the model: by a unique index or a trigger other than
  /// those that the toolkit makes, by a check, or because others refer to a row that is to be
  /// deleted.
  borrowing func mayRefuseRecords(of model: Model) throws(StoreError) -> Bool {
    if model.tombstone?.removal == .delete { return true }
    do {
      var statement = try connection.prepare(
        """
        SELECT 1 FROM pragma_index_list(?1)
        WHERE "unique" = 1 AND name <> ?2 AND (origin = 'c' OR ?3)
        UNION ALL
        SELECT 1 FROM sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE
          AND (type = 'trigger' AND name NOT GLOB '\(RememberedDigest.triggerPrefix)*'
            OR type = 'table' AND sql LIKE '%CHECK%')
        LIMIT 1
        """)
      for table in [model.table] + model.tablesOfRelationsToMany {
        try statement.bind(1, text: table)
        try statement.bind(2, text: KeyEnforcer.indexName(table))
        try statement.bind(3, integer: table == model.table ? 1 : 0)
        defer { statement.reset() }
        if try statement.step() { return true }
      }
      return false
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The imports into the table that stopped before their inputs ended, the latest first.
  borrowing func unfinishedImports(
    of table: String
  ) throws(StoreError) -> [RunLog.Unfinished] {
    do {
      return try RunLog.unfinished(tool: Store.importTool, table: table, in: connection)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Gives up an unfinished run; the rows that it committed stay.
  borrowing func abandonRun(_ id: Int64) throws(StoreError) {
    do {
      try RunLog.abandon(id, in: connection)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Begins an import; the row of the run goes to the disk with the first batch.
  ///
  /// - Returns: the id of the run.
  borrowing func beginImport(
    into table: String, started: Instant, options: String
  ) throws(SQLiteError) -> Int64 {
    try connection.withoutWaitingForDisk { () throws(SQLiteError) in
      try RunLog.begin(
        tool: Store.importTool, table: table, started: started, options: options, in: connection)
    }
  }

  /// Ends a run.
  borrowing func endRun(
    _ id: Int64, state: String, ended: Instant, counters: String
  ) throws(SQLiteError) {
    try RunLog.end(id, state: state, ended: ended, counters: counters, in: connection)
  }

  /// A writer of batches for a run.
  ///
  /// - Parameter generation: how many batches the run has committed before.
  borrowing func batchWriter(
    for model: Model, policy: MergePolicy, runID: Int64, generation: Int64, isSnapshot: Bool
  ) throws(SQLiteError) -> BatchWriter {
    try BatchWriter(
      model: model, runID: runID, generation: generation, policy: policy, isSnapshot: isSnapshot,
      connection: connection)
  }
}
