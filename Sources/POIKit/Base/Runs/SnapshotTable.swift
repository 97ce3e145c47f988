internal import POIRecords
internal import POISQLite

/// The table with the keys of a snapshot while a run imports it.
///
/// Keys are appended with their batch. The index is created at the end, so that they are sorted
/// once.
struct SnapshotTable {
  private let connection: Connection
  private let run: Int64

  let keyColumns: [String]

  private let columnTypes: [SQL]

  init(_ model: Model, ofRun run: Int64, in connection: Connection) {
    self.connection = connection
    self.run = run
    let key = model.key.compactMap(model.attribute(named:))
    keyColumns = key.map(\.column)
    columnTypes = key.map(StoreSchema(model).columnType)
  }

  static let prefix = Bookkeeping.prefix + "snapshot_"

  private static func name(ofRun run: Int64) -> SQL { SQL(verbatim: "\(prefix)\(run)") }

  var quotedName: SQL { "main.\(SnapshotTable.name(ofRun: run))" }

  private var names: [SQL] { keyColumns.map(SQL.init(name:)) }

  func prepare() throws {
    let columns: [SQL] = zip(names, columnTypes).map { "\($0) \($1) NOT NULL" }
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(quotedName) (\(columns.joined(separator: ", "))) STRICT")
  }

  func createIndex() throws {
    try connection.execute(
      """
      CREATE INDEX IF NOT EXISTS main.\(SnapshotTable.name(ofRun: run))_key
      ON \(SnapshotTable.name(ofRun: run)) (\(names.joined(separator: ", ")))
      """)
  }

  static func remove(ofRun run: Int64, in connection: Connection) throws {
    try connection.execute("DROP TABLE IF EXISTS main.\(name(ofRun: run))")
  }

  /// The condition that the snapshot has the key of a row.
  ///
  /// - Parameter row: the alias of the row's table.
  func holds(row: SQL) -> SQL {
    let conditions: [SQL] = names.map { "s.\($0) = \(row).\($0)" }
    return
      "EXISTS (SELECT 1 FROM \(quotedName) AS s WHERE \(conditions.joined(separator: " AND ")))"
  }
}
