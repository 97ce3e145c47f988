/// What is known of the stored row that a record meets, before it is looked for.
enum MergeTarget {
  /// Nothing.
  case unknown
  /// It is likely to be the row with this id.
  case row(Int64)
  /// There is likely to be none.
  case none
}
