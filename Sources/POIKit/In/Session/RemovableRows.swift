/// The rows of a table that a snapshot can remove, counted before its first batch.
struct RemovableRows {
  /// The number of rows that have a key and are not marked as removed.
  var count: Int
  /// The greatest row id; 0 if the table is empty. Later rows have greater ids.
  var lastRow: Int64
}
