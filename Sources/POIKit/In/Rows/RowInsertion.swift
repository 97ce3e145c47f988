internal import POISQLite

/// The statement that inserts rows into a table of a store. New rows do not get reserved ids.
struct RowInsertion: ~Copyable {
  var statement: Statement

  /// - Parameters:
  ///   - columns: the columns of a row, without its id.
  ///   - values: the parameters of the columns; by default parameter 1 is the first column.
  init(
    into table: String, columns: [SQL], values: [SQL]? = nil, _ facts: SchemaFacts,
    connection: Connection
  ) throws {
    let values = values ?? columns.indices.map { "?\($0 + 1)" }
    var rowID: SQL = "NULL"
    if let lastReserved = try ReservedRowIDs.last(of: table, in: connection) {
      // After the greatest possible id SQLite finds a free one.
      let greatest: SQL = "max(\(StoreSchema.idColumn))"
      rowID = """
        (SELECT CASE \(greatest) WHEN \(Int64.max) THEN NULL
           ELSE max(\(lastReserved), coalesce(\(greatest), \(lastReserved))) + 1 END
         FROM \(name: table))
        """
    }
    // The row id is named because a model may have only relations to many.
    statement = try connection.prepare(
      """
      INSERT \(facts.conflictClause(on: table))INTO \(name: table)
        (\(([StoreSchema.idColumn] + columns).joined(separator: ", ")))
      VALUES (\(([rowID] + values).joined(separator: ", ")))
      """)
  }

  /// Inserts the bound row.
  ///
  /// - Returns: its id.
  mutating func run() throws -> Int64 {
    try statement.runChangingOneRow()
    return statement.lastInsertRowID
  }
}
