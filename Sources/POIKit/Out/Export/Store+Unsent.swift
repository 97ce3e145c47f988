internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Local changes out of a store.
extension Store {
  /// Hands out the local changes of a tracked table that were not acknowledged, a line each, by edition:
  /// `{"edition":17,"record":{…}}`, or `{"edition":18,"removed":{…}}` with the key and the time of the removal.
  ///
  /// A change may be handed out many times until it is acknowledged. The store notes what is handed out before the first
  /// line is written; while lines are written, other programs may write the store.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - progress: called after each piece; returns whether to continue.
  ///   - write: receives the lines, piece by piece, as UTF-8. During it the store is in use.
  /// - Throws: `StoreError` with `noSuchTable`, with `invalidOptions` if the table is not tracked or triggers are
  ///   missing, or when the store cannot be written; or the error of `write`, which ends the export.
  /// - Complexity: O(local changes) in time, and in memory what SQLite needs to sort them.
  @discardableResult
  public func exportUnsent(
    _ table: String? = nil, progress: (StoreProgress) -> BatchDecision = { _ in .proceed },
    to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    try Store.throwingErrors(of: write) { (write) throws(StoreError) in
      try leased { (lease) in
        let connection = lease.connection
        let (log, last) = try connection.inTransaction {
          let model = try lease.model(ofTable: table)
          guard let log = try ChangeLog.checked(of: model, in: connection) else {
            throw lease.notTracked(model)
          }
          return (log, try log.handOut())
        }
        return try connection.inTransaction(.deferred) {
          try UnsentChanges(log, upTo: last).write(progress: progress, to: write)
        }
      }
    }
  }
}

/// The lines of the local changes of a table.
private struct UnsentChanges: ~Copyable {
  private static let pieceSize = 1 << 16

  private var changes: Statement
  private let writer: ChangeWriter
  private var output = RowOutput()
  private var report: ExportReport

  /// - Parameter last: the number of the last entry that was handed out.
  init(_ log: ChangeLog, upTo last: Int64) throws {
    let connection = log.connection
    let model = log.model
    let changes = try connection.prepare(
      """
      SELECT n.poikit_edition, t.\(StoreSchema.idColumn) FROM (\(log.netChanges(upTo: last))) AS n
      LEFT JOIN main.\(name: model.table) AS t ON \(log.isSameKey("t", "n")) ORDER BY n.poikit_edition
      """)
    writer = try ChangeWriter(log)
    self.changes = changes
    report = ExportReport(table: model.table)
  }

  consuming func write(
    progress: (StoreProgress) -> BatchDecision, to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    while report.isFinished, try changes.step() {
      let (edition, row) = (changes.integer(0), changes.isNull(1) ? nil : changes.integer(1))
      guard try writer.find(edition, row: row) else { continue }
      let member = row == nil ? "removed" : "record"
      output.bytes.append(copying: "{\"edition\":\(edition),\"\(member)\":".utf8Span.span)
      try writer.append(to: &output)
      output.bytes.append(copying: "}\n".utf8Span.span)
      report.recordCount += 1
      if output.bytes.count >= Self.pieceSize { try flush(progress, write) }
    }
    try flush(progress, write)
    report.repairedTextCount = output.repairedTextCount
    return report
  }

  private mutating func flush(
    _ progress: (StoreProgress) -> BatchDecision, _ write: (Span<UInt8>) throws -> Void
  ) throws {
    report.byteCount += output.bytes.count
    try write(output.bytes.span)
    output.bytes.removeAll()
    let decision = progress(StoreProgress(.reading, completedCount: report.recordCount))
    if decision == .stop { report.isFinished = false }
  }
}
