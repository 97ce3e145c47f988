/// What became of a record that was not refused.
package enum MergeOutcome: Hashable {
  /// It is a new row.
  case inserted
  /// It changed a stored row.
  case updated
  /// The stored row says the same already; it was not written.
  case unchanged
  /// The stored row is newer.
  case stale
  /// The policy keeps the stored row whatever the record says.
  case ignored
  /// It is a removal: it is remembered, and a stored row that it beats is deleted.
  case removal
}
