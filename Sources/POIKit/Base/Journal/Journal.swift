internal import POISQLite

/// The table `poikit_journal`: the values that a run changed in the remaining rows, in the order of the
/// changes. Only runs that can be undone are logged.
///
/// Removed rows are in the archives. Each has the number of the last change before its removal, so that undo
/// can go backwards through all removals and changes.
enum Journal {
  enum Kind: String {
    /// A reference to a removed row.
    case reference
    /// A value that a winner got from its losers.
    case value
    /// The mark of a removal in a row that stays.
    case mark
    /// A timestamp, or property times, logged with one of the others. Undo compares it to see whether the row
    /// has changed since.
    case companion = "other"
  }

  static let insertion: SQL = "INSERT INTO main.poikit_journal \(columns)"

  static let columns: SQL = "(run, table_name, row_id, column_name, kind, old_value, new_value)"

  /// The number of the last change; 0 if there is no change.
  static let lastChange: SQL = "(SELECT coalesce(max(id), 0) FROM poikit_journal)"

  /// The tables with rows that a run changed.
  static func tables(ofRun run: Int64, in connection: Connection) throws -> [String] {
    try connection.rows(
      "SELECT DISTINCT table_name FROM main.poikit_journal WHERE run = \(run)"
    ) { $0.text(0) }
  }

  /// The tables and columns with values that a run changed.
  static func columns(
    ofRun run: Int64, in connection: Connection
  ) throws -> [(table: String, column: String)] {
    try connection.rows(
      "SELECT DISTINCT table_name, column_name FROM main.poikit_journal WHERE run = \(run)"
    ) { ($0.text(0), $0.text(1)) }
  }
}
