internal import POIRecords
internal import POISQLite

/// A list of keys in a store of its own.
struct KeyList {
  private let lines: Store
  private let table: SQL
  private let columns: [SQL]

  /// - Parameters:
  ///   - lines: a store with a table of keys.
  ///   - model: the model of that table, see `Model.ofKeys`; the records' columns have the same names.
  init(_ lines: Store, _ model: Model) {
    self.lines = lines
    table = SQL(name: model.table)
    columns = model.columns.map { SQL(name: $0) }
  }

  /// The condition that a row has a key of the list, for one statement of a connection.
  ///
  /// - Parameter row: the alias of the row's table.
  func holds(row: SQL, in connection: Connection) throws -> SQL {
    let list: SQL = "temp.poikit_key"
    let names = columns.joined(separator: ", ")
    try connection.execute(
      """
      DROP TABLE IF EXISTS \(list);
      CREATE TABLE \(list) (\(names), PRIMARY KEY (\(names))) WITHOUT ROWID
      """)
    let parameters = columns.map { _ in "?" as SQL }.joined(separator: ", ")
    var insertion = try connection.prepare("INSERT OR IGNORE INTO \(list) VALUES (\(parameters))")
    try lines.withConnection { connection in
      var keys = try connection.prepare("SELECT \(names) FROM \(table)")
      while try keys.step() {
        for place in columns.indices {
          try StoredValue(place, of: keys)?.bind(to: &insertion, at: place + 1)
        }
        try insertion.run()
      }
    }
    let isSame = columns.map { "k.\($0) = \(row).\($0)" as SQL }.joined(separator: " AND ")
    return "EXISTS (SELECT 1 FROM \(list) AS k WHERE \(isSame))"
  }
}
