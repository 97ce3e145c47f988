internal import SQLiteKit

/// The prepared statements of a change of columns.
struct ChangeStatements {
  /// What came of changing a row.
  enum Outcome {
    case changed

    /// A constraint, or a trigger that raises an error, does not allow it.
    case refused(SQLiteError)

    /// The row does not hold the new values although nothing was reported.
    case ineffective

    /// There is no such row any more.
    case missing
  }

  private let update: PreparedStatements.Box
  private let verify: PreparedStatements.Box
  private let find: PreparedStatements.Box
  private let remember: PreparedStatements.Box?
  private let forget: PreparedStatements.Box?

  /// The statements of `change`.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - run: the run under which rows are remembered before they change, or nil if they are not.
  ///   - statements: the statements of the run.
  ///   - connection: the database.
  /// - Throws: `SQLiteError` when the change does not fit the database.
  init(
    _ change: ColumnChange, rememberingUnder run: Int64?, from statements: PreparedStatements,
    in connection: Connection
  ) throws {
    update = try statements.statement(change.update, in: connection)
    verify = try statements.statement(change.verify, in: connection)
    find = try statements.statement(change.find, in: connection)
    var remember: PreparedStatements.Box?
    var forget: PreparedStatements.Box?
    if let run {
      remember = try statements.statement(change.remember, in: connection)
      try remember?.statement.bind(3, integer: run)
      forget = try statements.statement(
        "DELETE FROM main.poikit_journal WHERE id BETWEEN ?1 AND ?2", in: connection)
    }
    self.remember = remember
    self.forget = forget
  }

  /// Remembers what a row holds, if rows are to be remembered.
  ///
  /// - Returns: the entries of the journal; nil if there are none.
  /// - Throws: `SQLiteError` when the database cannot be written.
  @discardableResult
  func remember(_ row: Int64, winner: Int64) throws -> ClosedRange<Int64>? {
    guard let remember else { return nil }
    try remember.statement.bind(1, integer: row)
    try remember.statement.bind(2, integer: winner)
    do {
      try remember.statement.run()
    } catch {
      // The row would get an id that is none; to change it is refused, too.
      guard error.isConstraint else { throw error }
      return nil
    }
    let last = remember.statement.lastInsertRowID
    let count = Int64(remember.statement.changeCount)
    return count > 0 ? last - count + 1...last : nil
  }

  /// Forgets what was remembered of a row that did not change.
  ///
  /// - Throws: `SQLiteError` when the database cannot be written.
  func forget(_ remembered: ClosedRange<Int64>) throws {
    try forget?.statement.bind(1, integer: remembered.lowerBound)
    try forget?.statement.bind(2, integer: remembered.upperBound)
    try forget?.statement.run()
  }

  /// Changes a row.
  ///
  /// - Throws: `SQLiteError` when the database cannot be written.
  func change(_ row: Int64, winner: Int64) throws -> Outcome {
    try update.statement.bind(1, integer: row)
    try update.statement.bind(2, integer: winner)
    do {
      try update.statement.run()
    } catch {
      guard error.isConstraint || error.isMismatch else { throw error }
      return .refused(error)
    }
    try verify.statement.bind(1, integer: row)
    try verify.statement.bind(2, integer: winner)
    if try Self.returnsRow(verify) { return .changed }
    try find.statement.bind(1, integer: row)
    return try Self.returnsRow(find) ? .ineffective : .missing
  }

  private static func returnsRow(_ box: PreparedStatements.Box) throws -> Bool {
    let isFound = try box.statement.step()
    try box.statement.reset()
    return isFound
  }
}
