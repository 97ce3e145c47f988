internal import SQLiteKit

/// The table `poikit_journal`: the values that an archived run changed in rows that stay, in the order of
/// the changes.
///
/// Removed rows are in the archives of their tables. Each tells the last change before it was removed, so
/// journal and archives together have the order of all that a run did. Undoing it goes backwards.
enum Journal {
  /// What a value is.
  enum Kind: String {
    /// A reference to a row that went.
    case reference
    /// A value that a winner got from its losers.
    case value
    /// The mark of a removed row.
    case mark
    /// A value that is kept beside one of these, to see whether the row was changed since.
    case other
  }

  /// The beginning of a statement that adds changes.
  static let insertion: SQL = """
    INSERT INTO main.poikit_journal \(columns)
    """

  /// The columns of a change.
  static let columns: SQL = "(run, table_name, row_id, column_name, kind, old_value, new_value)"

  /// The number of the last change; 0 without one.
  static let lastChange: SQL = "(SELECT coalesce(max(id), 0) FROM poikit_journal)"

  /// The tables with rows that a run changed.
  static func tables(
    ofRun run: Int64, in connection: Connection
  ) throws -> [String] {
    var tables: [String] = []
    var statement = try connection.prepare(
      "SELECT DISTINCT table_name FROM main.poikit_journal WHERE run = ?1", isPersistent: false)
    try statement.bind(1, integer: run)
    while try statement.step() { tables.append(statement.text(0)) }
    return tables
  }

  /// The columns with values that a run changed, with their tables.
  static func columns(
    ofRun run: Int64, in connection: Connection
  ) throws -> [(table: String, column: String)] {
    var found: [(table: String, column: String)] = []
    var statement = try connection.prepare(
      "SELECT DISTINCT table_name, column_name FROM main.poikit_journal WHERE run = ?1",
      isPersistent: false)
    try statement.bind(1, integer: run)
    while try statement.step() { found.append((statement.text(0), statement.text(1))) }
    return found
  }
}
