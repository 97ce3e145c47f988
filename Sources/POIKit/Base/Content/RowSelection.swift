internal import POISQLite

enum RowSelection {
  /// All rows, in the order of the table.
  case all

  /// The rows with an id up to this one.
  case upTo(Int64)

  /// The rows with an id greater than this one.
  case after(Int64)

  /// The row whose id is bound as the first parameter.
  case one

  /// The rows with an id in the column `loser` of a table.
  case listed(in: SQL)
}
