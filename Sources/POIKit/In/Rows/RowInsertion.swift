internal import POISQLite

/// The statement that inserts rows into a table of a store. New rows do not get reserved ids.
struct RowInsertion: ~Copyable {
  private let table: String
  private let columns: [SQL]
  private let values: [SQL]
  private let conflictClause: SQL

  /// The greatest reserved id; nil if no id is reserved.
  private var lastReserved: Int64?

  var statement: Statement

  /// - Parameters:
  ///   - columns: the columns of a row, without its id.
  ///   - values: the parameters of the columns; by default parameter 1 is the first column.
  init(
    into table: String, columns: [SQL], values: [SQL]? = nil, _ facts: SchemaFacts,
    connection: Connection
  ) throws {
    let values = values ?? columns.indices.map { "?\($0 + 1)" }
    let lastReserved = try ReservedRowIDs.last(of: table, in: connection)
    let conflictClause = facts.conflictClause(on: table)
    statement = try connection.prepare(
      RowInsertion.text(conflictClause, into: table, columns, values, behind: lastReserved))
    self.table = table
    self.columns = columns
    self.values = values
    self.conflictClause = conflictClause
    self.lastReserved = lastReserved
  }

  mutating func readReservedRowIDs(in connection: Connection) throws {
    let last = try ReservedRowIDs.last(of: table, in: connection)
    guard last != lastReserved else { return }
    statement = try connection.prepare(
      RowInsertion.text(conflictClause, into: table, columns, values, behind: last))
    lastReserved = last
  }

  /// Inserts the bound row.
  ///
  /// - Returns: its id.
  mutating func run() throws -> Int64 {
    try statement.runChangingOneRow()
    return statement.lastInsertRowID
  }

  private static func text(
    _ conflictClause: SQL, into table: String, _ columns: [SQL], _ values: [SQL],
    behind lastReserved: Int64?
  ) -> SQL {
    var rowID: SQL = "NULL"
    if let lastReserved {
      // After the greatest possible id SQLite finds a free one.
      let greatest: SQL = "max(\(StoreSchema.idColumn))"
      rowID = """
        (SELECT CASE \(greatest) WHEN \(Int64.max) THEN NULL
           ELSE max(\(lastReserved), coalesce(\(greatest), \(lastReserved))) + 1 END
         FROM \(name: table))
        """
    }
    // The row id is named because a model may have only relations to many.
    return """
      INSERT \(conflictClause)INTO \(name: table) (\(([StoreSchema.idColumn] + columns).joined(separator: ", ")))
      VALUES (\(([rowID] + values).joined(separator: ", ")))
      """
  }
}
