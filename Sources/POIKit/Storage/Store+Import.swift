internal import SQLiteKit

/// What an import asks of the store.
extension Store {
  /// Whether the tables may refuse a record of the model: by a unique index or a trigger other than
  /// those that the toolkit makes, by a check, by a foreign key of a column of somebody else, or
  /// because others refer to a row that is to be deleted.
  private borrowing func mayRefuseRecords(of model: Model) throws(StoreError) -> Bool {
    if model.tombstone?.removal == .delete { return true }
    do {
      var statement = try connection.prepare(
        """
        SELECT 1 FROM pragma_index_list(?1)
        WHERE "unique" = 1 AND name <> ?2 AND (origin = 'c' OR ?3)
        UNION ALL
        SELECT 1 FROM sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE
          AND (type = 'trigger' AND name NOT GLOB \(literal: RememberedDigest.triggerPrefix + "*")
            OR type = 'table' AND sql LIKE '%CHECK%')
        UNION ALL
        SELECT 1 FROM pragma_foreign_key_list(?1), pragma_foreign_keys
        WHERE foreign_keys = 1 AND "to" IS NOT \(literal: StoreSchema.idColumn.text)
        LIMIT 1
        """)
      let tables = model.tablesOfRelationsToOne + model.tablesOfRelationsToMany
      for table in [model.table] + tables {
        try statement.bind(1, text: table)
        try statement.bind(2, text: KeyEnforcer.indexName(table))
        try statement.bind(3, integer: table == model.table ? 1 : 0)
        if try statement.step() { return true }
      }
      return false
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The model's table as an import finds it.
  borrowing func importedTable(of model: Model) throws(StoreError) -> ImportedTable {
    let version: Int64
    do { version = try connection.dataVersion() } catch { throw StoreError(error, path: path) }
    let document = try document(ofTable: model.table)
    let mayRefuse = try mayRefuseRecords(of: model)
    do {
      return ImportedTable(
        version: version, document: document, key: try EnforcedKey.read(of: model, in: connection),
        hasTimes: try PropertyTimes.isKept(in: model.table, of: connection), mayRefuse: mayRefuse)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The imports into the table that stopped before their inputs ended, the latest first.
  borrowing func unfinishedImports(
    of table: String
  ) throws(StoreError) -> [RunRecord.Unfinished] {
    do {
      return try RunRecord.unfinishedImports(into: table, in: connection)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The number of the latest import into the table; nothing where there is none, or it is not finished.
  borrowing func finishedImport(into table: String) throws(StoreError) -> Int64? {
    do {
      return try RunRecord.finishedImport(into: table, in: connection)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Gives up an unfinished run; the rows that it committed stay.
  borrowing func abandonRun(_ id: Int64) throws(StoreError) {
    do {
      try RunRecord(id: id).abandon(in: connection)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Begins an import, inside the transaction of its first batch.
  ///
  /// - Returns: the id of the run.
  borrowing func beginImport(
    into table: String, started: Instant, options: String
  ) throws(SQLiteError) -> Int64 {
    try RunRecord(
      tool: RunRecord.importTool, table: table, started: started, options: options, in: connection
    ).id
  }

  /// Ends an import.
  ///
  /// - Parameters:
  ///   - id: the run; where it has none, because its first batch failed, it gets one here.
  ///   - options: what it was asked to do, as JSON text.
  ///   - token: is kept with it; nothing where it was with a batch before.
  borrowing func endImport(
    _ id: Int64?, into table: String, _ state: RunRecord.State, at end: Instant, options: String,
    counters: String, keeping token: SourceToken?
  ) throws(SQLiteError) {
    try connection.inTransaction(.immediate) { () throws(SQLiteError) in
      if let token { try keep(token) }
      let run: Int64
      if let id {
        run = id
      } else {
        run = try beginImport(into: table, started: end, options: options)
      }
      try RunRecord(id: run).end(state, at: end, counters: counters, in: connection)
    }
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
