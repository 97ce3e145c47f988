internal import POIRecords
internal import SQLiteKit

/// What an import asks of the store.
extension Store.Lease {
  /// The model's table as an import finds it.
  func importedTable(of model: Model) throws -> ImportedTable {
    let version = try connection.dataVersion()
    let document = try document(ofTable: model.table)
    return ImportedTable(
      version: version, document: document, key: try EnforcedKey.read(of: model, in: connection),
      hasTimes: try PropertyTimes.isKept(in: model.table, of: connection),
      mayRefuse: try RecordRefusals.read(of: model, in: connection).arePossible)
  }

  /// The imports into the table that stopped before their inputs ended, the latest first.
  func unfinishedImports(
    of table: String
  ) throws -> [RunRecord.Unfinished] {
    return try RunRecord.unfinishedImports(into: table, in: connection)
  }

  /// The number of the latest import into the table; nothing where there is none, or it is not finished.
  func finishedImport(into table: String) throws -> Int64? {
    return try RunRecord.finishedImport(into: table, in: connection)
  }

  /// Gives up an unfinished run; the rows that it committed stay.
  func abandonRun(_ id: Int64) throws {
    try RunRecord(id: id).abandon(in: connection)
  }

  /// Begins an import, inside the transaction of its first batch.
  ///
  /// - Returns: the id of the run.
  func beginImport(
    into table: String, started: Instant, options: String
  ) throws -> Int64 {
    try RunRecord(
      tool: RunRecord.importTool, table: table, started: started, options: options, in: connection
    ).id
  }

  /// Ends an import, without waiting for the disk.
  ///
  /// - Parameters:
  ///   - id: the run; where it has none, because its first batch failed, it gets one here.
  ///   - options: what it was asked to do, as JSON text.
  ///   - token: is kept with it; nothing where it was with a batch before.
  func endImport(
    _ id: Int64?, into table: String, _ state: RunRecord.State, at end: Instant, options: String,
    counters: String, keeping token: SourceToken?
  ) throws {
    try connection.withoutWaitingForDisk {
      try connection.inTransaction(.immediate) {
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
  }

  /// A writer of batches for a run.
  ///
  /// - Parameter generation: how many batches the run has committed before.
  func batchWriter(
    for model: Model, policy: MergePolicy, runID: Int64, generation: Int64, isSnapshot: Bool
  ) throws -> BatchWriter {
    try BatchWriter(
      model: model, runID: runID, generation: generation, policy: policy, isSnapshot: isSnapshot,
      connection: connection)
  }
}
