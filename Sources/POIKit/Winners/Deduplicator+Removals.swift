internal import SQLiteKit

/// Rows that are superseded by stored tombstones.
extension Deduplicator {
  /// The tombstones of the table, or nil if the database has none.
  func removals(in connection: Connection) throws -> TombstoneTable? {
    guard let removals = layout.removals else { return nil }
    return try removals.exists(in: connection) ? removals : nil
  }

  /// The number of rows superseded by a stored tombstone.
  func beatenRowCount(
    _ removals: TombstoneTable?, _ schema: TableSchema, in connection: Connection
  ) throws -> Int {
    guard let removals else { return 0 }
    let count = try connection.integer(
      """
      SELECT count(*) FROM main.\(name: schema.name) AS t
      WHERE \(removals.condition(ofRow: "t"))
      """)
    return Int(count ?? 0)
  }

  /// Removes the rows superseded by a stored tombstone, in one transaction.
  ///
  /// - Parameter plan: receives the number of all rows and of the removed rows.
  func removeBeatenRows(
    _ removals: TombstoneTable, _ schema: TableSchema, _ removal: inout LoserRemoval,
    _ plan: inout DeduplicationPlan, _ record: DeduplicationRun?, on connection: Connection
  ) throws {
    let rows = RowRemoval(schema: schema)
    let archives = options.archive
    let statements = removal.statements
    var counts = removal.counts
    var found = DeduplicationPlan()
    try RowRemoval.enforcingReferences(on: connection) {
      try connection.inTransaction(.immediate) {
        found.rowCount = try schema.rowCount(in: connection)
        _ = try rows.list(where: removals.condition(ofRow: "t"), in: connection)
        let deleted = try rows.delete(archivingUnder: archives ? record?.id : nil, in: connection)
        counts.beatenRowCount = deleted.goneCount
        counts.archivedRowCount = deleted.archivedCount
        found.beatenRowCount = deleted.goneCount
        try record?.save(found, counts, by: statements, in: connection)
      }
    }
    removal.counts = counts
    plan = found
  }
}
