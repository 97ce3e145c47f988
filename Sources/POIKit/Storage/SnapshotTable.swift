internal import SQLiteKit

/// The table that holds, while a snapshot is imported, the keys that it has.
///
/// Keys are appended as they come, with their batch, and get their index when all are there: sorted
/// once, whatever their number.
struct SnapshotTable {
  /// The table of the records.
  let records: String

  /// The columns of the model's key.
  let keyColumns: [String]

  private let columnTypes: [String]

  init(_ model: Model) {
    records = model.table
    let key = model.key.compactMap(model.attribute(named:))
    keyColumns = key.map(\.column)
    columnTypes = key.map(StoreSchema(model).columnType)
  }

  private var name: String { Bookkeeping.prefix + "snapshot_" + records }

  var quotedName: String { "main." + Connection.quoteIdentifier(name) }

  private var names: [String] { keyColumns.map(Connection.quoteIdentifier) }

  /// Makes the table, or leaves it as it is for a run that goes on.
  func prepare(isNew: Bool, in connection: borrowing Connection) throws(SQLiteError) {
    if isNew { try remove(in: connection) }
    let columns = zip(names, columnTypes).map { "\($0) \($1) NOT NULL" }
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(quotedName) (\(columns.joined(separator: ", "))) STRICT")
  }

  /// Makes keys fast to find.
  func createIndex(in connection: borrowing Connection) throws(SQLiteError) {
    try connection.execute(
      """
      CREATE INDEX main.\(Connection.quoteIdentifier(name + "_key"))
      ON \(Connection.quoteIdentifier(name)) (\(names.joined(separator: ", ")))
      """)
  }

  func remove(in connection: borrowing Connection) throws(SQLiteError) {
    try connection.execute("DROP TABLE IF EXISTS \(quotedName)")
  }

  /// The condition that a row has a key.
  ///
  /// - Parameter row: the alias of the row's table.
  func hasKey(row: String) -> String {
    names.map { "\(row).\($0) IS NOT NULL" }.joined(separator: " AND ")
  }

  /// The condition that the snapshot has a row's key.
  ///
  /// - Parameter row: the alias of the row's table.
  func holds(row: String) -> String {
    let conditions = names.map { "s.\($0) = \(row).\($0)" }
    return
      "EXISTS (SELECT 1 FROM \(quotedName) AS s WHERE \(conditions.joined(separator: " AND ")))"
  }
}
