/// The rows of a table that a snapshot can lack, at the moment before its first batch.
struct RemovableRows {
  /// How many rows have a key and are not marked as removed.
  var count: Int
  /// The greatest row id; 0 where the table is empty. What comes later stands behind it.
  var lastRow: Int64
}
