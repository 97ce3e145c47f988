internal import SQLiteKit

/// What statements that write rows say of constraints in their way.
///
/// Page: https://sqlite.org/lang_conflict.html
enum ConflictClause {
  /// The words behind `INSERT` or `UPDATE` by which a table refuses what breaks a constraint of it.
  ///
  /// A table that an app has made may say itself that rows in the way are replaced, or that a row is
  /// passed over: a record would take others away, or be lost, without a word. Elsewhere there are no
  /// such words, because they would also take the place of those in the triggers of an app.
  static func aborting(
    on table: String, in connection: Connection
  ) throws -> SQL {
    var statement = try connection.prepare(
      """
      SELECT 1 FROM main.sqlite_schema
      WHERE type = 'table' AND name = ?1 COLLATE NOCASE AND sql LIKE '%CONFLICT%'
      """, isPersistent: false)
    try statement.bind(1, text: table)
    return try statement.step() ? "OR ABORT " : ""
  }
}
