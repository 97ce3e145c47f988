internal import SQLiteKit

/// How the rows are found that refer to given ones.
enum ReferrerSearch {
  /// By an index of the table that refers, for each row referred to.
  case index

  /// In one pass over the table that refers.
  case scan

  /// By a temporary table with this name, which holds who refers to whom.
  case list(SQL)
}
