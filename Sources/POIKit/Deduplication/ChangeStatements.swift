internal import SQLiteKit

/// The prepared statements of a change of columns.
struct ChangeStatements: ~Copyable {
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

  private var update: Statement
  private var verify: Statement
  private var find: Statement
  private var remember: Statement?

  /// The statements of `change`.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - run: the run under which rows are remembered before they change, or nil if they are not.
  ///   - connection: the database.
  /// - Throws: `SQLiteError` when the change does not fit the database.
  init(
    _ change: ColumnChange, rememberingUnder run: Int64?, in connection: borrowing Connection
  ) throws(SQLiteError) {
    let update = try connection.prepare(change.update)
    let verify = try connection.prepare(change.verify)
    let find = try connection.prepare(change.find)
    let remember = try run.map { run throws(SQLiteError) in
      var statement = try connection.prepare(change.remember)
      try statement.bind(3, integer: run)
      return statement
    }
    self.update = update
    self.verify = verify
    self.find = find
    self.remember = remember
  }

  /// Remembers what a row holds, if rows are to be remembered.
  ///
  /// - Throws: `SQLiteError` when the database cannot be written.
  mutating func remember(_ row: Int64, winner: Int64) throws(SQLiteError) {
    try remember?.bind(1, integer: row)
    try remember?.bind(2, integer: winner)
    try remember?.run()
  }

  /// Changes a row.
  ///
  /// - Throws: `SQLiteError` when the database cannot be written.
  mutating func change(_ row: Int64, winner: Int64) throws(SQLiteError) -> Outcome {
    try update.bind(1, integer: row)
    try update.bind(2, integer: winner)
    do {
      try update.run()
    } catch {
      guard error.isConstraint else { throw error }
      return .refused(error)
    }
    try verify.bind(1, integer: row)
    try verify.bind(2, integer: winner)
    if try Self.returnsRow(&verify) { return .changed }
    try find.bind(1, integer: row)
    return try Self.returnsRow(&find) ? .ineffective : .missing
  }

  private static func returnsRow(_ statement: inout Statement) throws(SQLiteError) -> Bool {
    let isFound = try statement.step()
    statement.reset()
    return isFound
  }
}
