internal import SQLiteKit

/// Rows that are superseded by stored tombstones.
extension Deduplicator {
  /// The tombstones of the table, or nil if the database has none.
  func removals(in connection: Connection) throws(DeduplicationError) -> TombstoneTable? {
    guard let removals = layout.removals else { return nil }
    return try DeduplicationError.converting { () throws(SQLiteError) in
      try removals.exists(in: connection) ? removals : nil
    }
  }

  /// The number of rows superseded by a stored tombstone.
  func beatenRowCount(
    _ removals: TombstoneTable?, _ schema: TableSchema, in connection: Connection
  ) throws(DeduplicationError) -> Int {
    guard let removals else { return 0 }
    return try DeduplicationError.converting { () throws(SQLiteError) in
      let count = try connection.integer(
        """
        SELECT count(*) FROM main.\(name: schema.name) AS t
        WHERE \(removals.condition(ofRow: "t"))
        """)
      return Int(count ?? 0)
    }
  }

  /// Removes the rows superseded by a stored tombstone, in one transaction.
  ///
  /// - Parameter plan: receives the number of all rows and of the removed rows.
  func removeBeatenRows(
    _ removals: TombstoneTable, _ schema: TableSchema, _ removal: inout LoserRemoval,
    _ plan: inout DeduplicationPlan, _ record: RunRecord?, on connection: Connection
  ) throws(DeduplicationError) {
    let rows = RowRemoval(schema: schema)
    let archives = options.archive
    let statements = removal.statements
    var counts = removal.counts
    var found = DeduplicationPlan()
    try RowRemoval.enforcingReferences(on: connection) { () throws(DeduplicationError) in
      try connection.inTransaction(.immediate) { () throws(DeduplicationError) in
        do throws(SQLiteError) {
          found.rowCount = try schema.rowCount(in: connection)
          _ = try rows.list(where: removals.condition(ofRow: "t"), in: connection)
        } catch {
          throw DeduplicationError(error)
        }
        let deleted = try rows.delete(archivingUnder: archives ? record?.id : nil, in: connection)
        counts.beatenRowCount = deleted.goneCount
        counts.archivedRowCount = deleted.archivedCount
        found.beatenRowCount = deleted.goneCount
        do throws(SQLiteError) {
          try record?.save(found, counts, by: statements, in: connection)
        } catch {
          throw DeduplicationError(error)
        }
      }
    }
    removal.counts = counts
    plan = found
  }
}
