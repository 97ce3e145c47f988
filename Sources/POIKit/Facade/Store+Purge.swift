public import POIRecords
internal import POISQLite

/// Deletes old tombstones.
extension Store {
  /// What purging tombstones removed from a store.
  public struct PurgeReport: Sendable, Hashable {
    /// The number of deleted rows that were marked as removed.
    public let rowCount: Int

    /// The number of deleted tombstones.
    public let deletedTombstoneCount: Int

    /// The digest of the table afterwards.
    public let digest: Digest
  }

  /// Deletes rows that are marked as removed, and stored tombstones, if their timestamp is older than an
  /// age. Rows and tombstones without a timestamp stay. So do rows that were removed more recently, by an
  /// instant in their mark or by a snapshot, and local removals that were not acknowledged.
  ///
  /// Afterwards an older record with such a key counts as new. So the age must be greater than the age of
  /// any record that may still arrive.
  ///
  /// - Precondition: the age is not negative.
  /// - Throws: `StoreError` if the model names no timestamp, or no tombstone and its table is not tracked, if the store
  ///   lacks its table (`noSuchTable`), if rows of other tables refer to a row to delete, or if the store cannot be
  ///   written.
  public func purgeTombstones(
    of model: Model, olderThan age: Duration
  ) throws(StoreError) -> PurgeReport {
    try purgeTombstones(of: model, olderThan: age, clock: SystemClock.now)
  }

  /// Deletes old tombstones, with another clock.
  package func purgeTombstones(
    of model: Model, olderThan age: Duration, clock: () -> Instant
  ) throws(StoreError) -> PurgeReport {
    try leased { (lease) in
      try lease.purgeTombstones(of: model, olderThan: age, clock: clock)
    }
  }
}

extension Store.Lease {
  func purgeTombstones(
    of model: Model, olderThan age: Duration, clock: () -> Instant
  ) throws -> Store.PurgeReport {
    precondition(age >= .zero)
    let log = try ChangeLog.existing(of: model, in: connection)
    guard model.tombstone != nil || log != nil, let name = model.timestamp,
      let timestamp = model.attribute(named: name)
    else {
      throw StoreFailure(
        .invalidOptions,
        """
        the model "\(model.name)" does not say how old a removal is: it needs "x-timestamp", and "x-tombstone" \
        unless its table is tracked
        """)
    }
    try checkTable(of: model)
    let now = clock()
    let limit = now.advanced(by: .zero - age).microseconds
    let (rowCount, deletedTombstoneCount) = try RowRemoval.enforcingReferences(on: connection) {
      try connection.inTransaction {
        let rowCount = try connection.writing(.unlogged) {
          try deleteMarked(model, log, timestamp, before: limit)
        }
        let deletedTombstoneCount = try forgetRemovals(model, log, before: limit)
        let run = try RunRecord.begin(
          tool: RunRecord.deduplicationTool, table: model.table, started: now,
          options: .object(["purgedBefore": .number(limit)]), in: connection)
        try RunRecord.end(
          run, .finished, at: now,
          counters: .counts([
            ("purgedRows", rowCount), ("forgottenRemovals", deletedTombstoneCount),
          ]),
          in: connection)
        return (rowCount, deletedTombstoneCount)
      }
    }
    return Store.PurgeReport(
      rowCount: rowCount, deletedTombstoneCount: deletedTombstoneCount,
      digest: try digest(of: model).digest)
  }

  private func deleteMarked(
    _ model: Model, _ log: ChangeLog?, _ timestamp: Attribute, before limit: Int64
  ) throws -> Int {
    guard let column = model.tombstoneColumn else { return 0 }
    let mark = SQL(name: column)
    let time = StoreSchema.microseconds(
      "t.\(name: timestamp.column)", isDate: timestamp.storage.isDate)
    let rows = RowRemoval(schema: try TableSchema(of: model.table, in: connection))
    _ = try rows.list(
      where: """
        t.\(mark) <> 0 AND \(time) < \(limit) AND NOT \(log?.holds(row: "t") ?? "0")
        AND NOT (\(model.isTombstoneInstant ? SQL("t.\(mark) >= \(limit)") : "0"))
        AND t.\(name: rows.schema.rowIDName) NOT IN (
          SELECT m.row_id FROM main.poikit_run AS r CROSS JOIN main.poikit_journal AS m ON m.run = r.id
          WHERE r.table_name = \(literal: model.table) AND r.ended >= \(limit)
            AND r.tool = \(literal: RunRecord.importTool)
            AND m.table_name = \(literal: model.table) AND m.column_name = \(literal: column))
        """)
    return try rows.delete(archivingUnder: nil).deletedCount
  }

  private func forgetRemovals(
    _ model: Model, _ log: ChangeLog?, before limit: Int64
  ) throws -> Int {
    guard let table = try TombstoneTable.used(by: model, in: connection),
      try table.exists(in: connection)
    else { return 0 }
    // A removal that was not acknowledged is handed out with its time.
    let isLocal: SQL =
      log.map {
        "(\($0.keyList)) IN (SELECT \($0.keyList) FROM \($0.quotedName) WHERE \($0.hasKey))"
      } ?? "0"
    try connection.execute(
      """
      DELETE FROM \(table.quotedName) WHERE \(TombstoneTable.timestampColumn) < \(limit) AND NOT \(isLocal)
      """)
    return connection.changeCount
  }
}
