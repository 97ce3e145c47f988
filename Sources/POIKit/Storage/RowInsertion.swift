internal import SQLiteKit

/// The statement that inserts rows into a table of a store. No new row gets an id that is reserved.
struct RowInsertion: ~Copyable {
  private var insertion: Statement

  /// Inserts a row behind the reserved ids; nothing where no id is reserved.
  private var insertionBehind: Statement?

  /// Whether the table is known to have a row behind the reserved ids, so that the next one comes there too.
  private var isBehind: Bool

  /// - Parameters:
  ///   - columns: those of a row but for its id.
  ///   - values: the parameters of the columns; the first is bound to the first column where there are none.
  init(
    into table: String, columns: [SQL], values: [SQL]? = nil, connection: borrowing Connection
  ) throws(SQLiteError) {
    let values = values ?? columns.indices.map { "?\($0 + 1)" }
    // The row id is named because a model may have nothing but relations to many.
    func text(_ rowID: SQL) -> SQL {
      """
      INSERT INTO \(name: table) (\(([StoreSchema.idColumn] + columns).joined(separator: ", ")))
      VALUES (\(([rowID] + values).joined(separator: ", ")))
      """
    }
    let insertion = try connection.prepare(text("NULL"))
    var insertionBehind: Statement?
    if let last = try ReservedRowIDs.last(of: table, in: connection) {
      insertionBehind = try connection.prepare(
        text(
          """
          (SELECT max(\(last), coalesce(max(\(StoreSchema.idColumn)), 0)) + 1
           FROM \(name: table))
          """))
    }
    isBehind = insertionBehind == nil
    self.insertion = insertion
    self.insertionBehind = insertionBehind
  }

  /// The statement to bind the next row to, and to run.
  var statement: Statement {
    _read { yield insertion }
    _modify {
      if isBehind { yield &insertion } else { yield &insertionBehind! }
    }
  }

  /// Inserts the row that is bound.
  ///
  /// - Returns: its id.
  mutating func run() throws(SQLiteError) -> Int64 {
    try statement.runChangingOneRow()
    isBehind = true
    return insertion.lastInsertRowID
  }

  /// Forgets that there is a row behind the reserved ids: after some rows were rolled back, or another program
  /// changed the database.
  mutating func forgetRows() { isBehind = insertionBehind == nil }
}
