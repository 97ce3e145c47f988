internal import POISQLite

/// Statements of one connection, prepared at first use and then kept: a thousand batches prepare as
/// many as one.
///
/// There are few different texts, because they contain names but no values.
final class PreparedStatements {
  /// A statement in a box, because a dictionary cannot hold noncopyable values.
  final class Box {
    var statement: Statement

    fileprivate init(_ statement: consuming Statement) {
      self.statement = statement
    }

    /// Binds integers to the first parameters.
    func bind(_ values: [Int64]) throws {
      for (place, value) in values.enumerated() { try statement.bind(place + 1, integer: value) }
    }
  }

  let connection: Connection
  private var boxes: [SQL: Box] = [:]

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// The statement with a text; its parameters keep their former values.
  ///
  /// - Throws: `SQLiteError` when the text does not fit the database.
  func statement(_ sql: SQL) throws -> Box {
    if let box = boxes[sql] { return box }
    let box = Box(try connection.prepare(sql))
    boxes[sql] = box
    return box
  }

  func run(_ sql: SQL, _ values: Int64...) throws {
    let box = try statement(sql)
    try box.bind(values)
    try box.statement.run()
  }

  /// The integer in the first row of a statement; nil if there is no row or the value is NULL.
  func integer(_ sql: SQL) throws -> Int64? {
    let box = try statement(sql)
    guard try box.statement.step() else { return nil }
    let integer = box.statement.isNull(0) ? nil : box.statement.integer(0)
    try box.statement.reset()
    return integer
  }

  func inTransaction(_ body: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE")
    do {
      try body()
      try run("COMMIT")
    } catch {
      connection.rollback()
      throw error
    }
  }
}
