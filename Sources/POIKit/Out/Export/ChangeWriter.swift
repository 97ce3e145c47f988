internal import POIRecords
internal import POISQLite

/// Writes what became of changed keys: their records, or the keys and times of their removals.
final class ChangeWriter {
  private let records: RecordWriter
  private let removals: RecordWriter
  private var isRemoved = false

  init(_ log: ChangeLog) throws {
    let (model, connection) = (log.model, log.connection)
    // A row that is marked as removed is a record, too.
    let reader = try RowReader(
      RecordLayout(model), of: model, rest: "WHERE \(RowReader.rowID) = ?1", in: connection)
    records = try RecordWriter(model, columns: [], reader: reader, in: connection)
    // The entry has the key of the removed row, and the tombstone, or else the entry, its time.
    let names = model.key + (model.timestamp.map { [$0] } ?? [])
    let columns: [SQL] = model.columns.map { column in
      let value: SQL =
        if log.key.contains(where: { $0.column.isExactly(column) }) {
          "l.\(name: column)"
        } else if model.timestamp.flatMap(model.attribute(named:))?.column.isExactly(column) == true
        {
          log.tombstones.value(
            ofTime: "coalesce(d.\(TombstoneTable.timestampColumn), l.\(ChangeLog.time))")
        } else {
          "NULL"
        }
      return "\(value) AS \(name: column)"
    }
    let source: SQL = """
      (SELECT l.\(ChangeLog.number) AS \(StoreSchema.idColumn), \(columns.joined(separator: ", "))
      FROM \(log.quotedName) AS l LEFT JOIN \(log.tombstones.quotedName) AS d ON \(log.isSameKey("d", "l"))) AS t
      """
    let removedRow = try RowReader(
      RecordLayout(model), of: model, from: source, rest: "WHERE \(RowReader.rowID) = ?1",
      in: connection)
    removals = try RecordWriter(model, columns: names, reader: removedRow, in: connection)
  }

  /// Finds the record of an entry.
  ///
  /// - Parameters:
  ///   - edition: the number of the entry.
  ///   - row: the id of the row that has its key; nil if the key was removed.
  func find(_ edition: Int64, row: Int64?) throws -> Bool {
    isRemoved = row == nil
    let reader = (isRemoved ? removals : records).reader
    try reader.restart(atRowsOf: row ?? edition)
    return try reader.step()
  }

  /// Appends it as a JSON object.
  func append(to output: inout RowOutput) throws {
    try (isRemoved ? removals : records).append(to: &output)
  }
}
