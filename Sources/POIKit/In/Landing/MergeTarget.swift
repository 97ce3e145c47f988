/// The stored row that a record probably matches, before it is searched.
enum MergeTarget {
  case unknown
  /// Probably the row with this id.
  case row(Int64)
  /// Probably no row.
  case none
}
