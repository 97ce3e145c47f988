internal import POISQLite

/// The conflict clause of statements that write rows.
///
/// Page: https://sqlite.org/lang_conflict.html
enum ConflictClause {
  /// The words after `INSERT` or `UPDATE` that make a constraint violation an error.
  ///
  /// A constraint of an app's table may declare `ON CONFLICT REPLACE` or `IGNORE`. Then a record
  /// would silently delete other rows or be lost. For other tables the words are empty, because
  /// they would also override the conflict clauses in an app's triggers.
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
