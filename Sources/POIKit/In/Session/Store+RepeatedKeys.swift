internal import POIRecords
internal import POISQLite

/// Whether the records of an import that appends were in the table before.
extension Store.Lease {
  private static let keyLimit = 1_000
  private static let rowLimit = 100_000

  /// The greatest row id of a model's table; 0 if the table is empty.
  func lastRow(of model: Model) throws -> Int64 {
    try connection.integer("SELECT max(\(StoreSchema.idColumn)) FROM main.\(name: model.table)")
      ?? 0
  }

  /// How many of the first keys behind a row are also in front of it; nil if no key can be, or the table is large.
  ///
  /// - Complexity: O(rows)
  func repeatedKeys(of model: Model, behind row: Int64) throws -> (count: Int, keyCount: Int)? {
    let table: SQL = "main.\(name: model.table)"
    let id = StoreSchema.idColumn
    let key = model.key.compactMap { model.attribute(named: $0).map { SQL(name: $0.column) } }
    guard !key.isEmpty, row > 0,
      try connection.integer("SELECT count(*) FROM \(table)") ?? 0 <= Self.rowLimit
    else { return nil }
    let columns = key.joined(separator: ", ")
    let isWhole = key.map { "\($0) IS NOT NULL" as SQL }.joined(separator: " AND ")
    var statement = try connection.prepare(
      """
      WITH n AS MATERIALIZED (
        SELECT DISTINCT \(columns) FROM (
          SELECT \(columns) FROM \(table) WHERE \(id) > ?1 AND \(isWhole)
          ORDER BY \(id) LIMIT \(Self.keyLimit)))
      SELECT (SELECT count(*) FROM (SELECT DISTINCT \(columns) FROM \(table)
        WHERE \(id) <= ?1 AND (\(columns)) IN (SELECT \(columns) FROM n))), (SELECT count(*) FROM n)
      """, isPersistent: false)
    try statement.bind(1, integer: row)
    guard try statement.step() else { return nil }
    return (Int(statement.integer(0)), Int(statement.integer(1)))
  }
}
