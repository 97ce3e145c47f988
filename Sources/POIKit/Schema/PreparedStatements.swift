internal import SQLiteKit

/// Statements of one connection that are prepared when they are first needed and then kept, so that
/// a run prepares as many of them with a thousand batches as with one.
///
/// Texts are few: they hold names and no values.
final class PreparedStatements {
  /// A statement in a box, because a dictionary cannot hold one.
  final class Box {
    var statement: Statement

    fileprivate init(_ statement: consuming Statement) {
      self.statement = statement
    }
  }

  private var boxes: [SQL: Box] = [:]

  /// The statement with the given text; its parameters are as they were left.
  ///
  /// - Throws: `SQLiteError` when the text does not fit the database.
  func statement(_ sql: SQL, in connection: Connection) throws -> Box {
    if let box = boxes[sql] { return box }
    let box = Box(try connection.prepare(sql))
    boxes[sql] = box
    return box
  }

  /// Runs a statement with the given values as its parameters.
  ///
  /// - Throws: `SQLiteError` when it fails.
  func run(
    _ sql: SQL, _ values: Int64..., in connection: Connection
  ) throws {
    let box = try statement(sql, in: connection)
    for (place, value) in values.enumerated() {
      try box.statement.bind(place + 1, integer: value)
    }
    try box.statement.run()
  }

  /// The integer in the first row of a statement, or nil without a row or with a null.
  ///
  /// - Throws: `SQLiteError` when it fails.
  func integer(
    _ sql: SQL, in connection: Connection
  ) throws -> Int64? {
    let box = try statement(sql, in: connection)
    guard try box.statement.step() else { return nil }
    let integer = box.statement.isNull(0) ? nil : box.statement.integer(0)
    try box.statement.reset()
    return integer
  }

  /// Runs `body` inside a transaction; see `Connection.inTransaction`.
  ///
  /// - Throws: what `body` throws, or the error of beginning or committing.
  func inTransaction(
    in connection: Connection, _ body: () throws -> Void
  ) throws {
    try run("BEGIN IMMEDIATE", in: connection)
    do {
      try body()
      try run("COMMIT", in: connection)
    } catch {
      connection.rollback()
      throw error
    }
  }
}
