internal import SQLiteKit

enum RowSelection {
  /// All rows, in the order of the table.
  case all

  /// The row whose id is bound as the first parameter.
  case one

  /// The rows with an id in the column `loser` of a table.
  case listed(in: SQL)
}
