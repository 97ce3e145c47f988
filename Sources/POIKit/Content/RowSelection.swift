internal import SQLiteKit

/// Which rows of a table a reader reads.
enum RowSelection {
  /// All rows, in the order of the table.
  case all

  /// The row whose id is bound as the first parameter.
  case one

  /// The rows whose ids stand in the column `loser` of a table.
  case listed(in: SQL)
}
