internal import POISQLite

/// The statements that restore the changed values of a row, all at once: one after the other they could
/// violate constraints.
struct ValueRestoration {
  private let connection: Connection
  private let update: PreparedStatements.Box
  private let verify: PreparedStatements.Box

  init(of columns: [String], in schema: TableSchema, by statements: PreparedStatements) throws {
    connection = statements.connection
    let quotedTable: SQL = "main.\(name: schema.name)"
    let rowID = SQL(name: schema.rowIDName)
    let oldValues: [SQL] = columns.indices.map {
      "(SELECT old_value FROM main.poikit_journal WHERE id = ?\($0 + 2))"
    }
    let settings: [SQL] = zip(columns, oldValues).map { "\(name: $0) = \($1)" }
    update = try statements.statement(
      """
      UPDATE OR ABORT \(quotedTable) SET \(settings.joined(separator: ", ")) WHERE \(rowID) = ?1
      """)
    let conditions: [SQL] = zip(columns, oldValues).map {
      "+s.\(name: $0) IS \($1) COLLATE BINARY"
    }
    let idPlace = columns.firstIndex { TableSchema.isSame($0, schema.rowIDColumn) }
    verify = try statements.statement(
      """
      SELECT 1 FROM \(quotedTable) AS s
      WHERE s.\(rowID) = \(idPlace.map { oldValues[$0] } ?? "?1")
        AND \(conditions.joined(separator: " AND "))
      """)
  }

  /// Restores the values of a row from journal entries, one for each column.
  ///
  /// - Returns: false if the row does not exist.
  func restore(_ moves: [Int64], ofRow row: Int64) throws -> Bool {
    try Self.bind(moves, row, to: &update.statement)
    try update.statement.run()
    return connection.changeCount > 0
  }

  /// Whether the row has the values of the journal entries.
  func isRestored(_ moves: [Int64], ofRow row: Int64) throws -> Bool {
    try Self.bind(moves, row, to: &verify.statement)
    let isRestored = try verify.statement.step()
    try verify.statement.reset()
    return isRestored
  }

  private static func bind(_ moves: [Int64], _ row: Int64, to statement: inout Statement) throws {
    try statement.bind(1, integer: row)
    for (place, move) in moves.enumerated() { try statement.bind(place + 2, integer: move) }
  }
}
