/// The outcome of merging an accepted record.
package enum MergeOutcome: Hashable {
  /// The record became a new row.
  case inserted
  /// The record changed a stored row.
  case updated
  /// The stored row already has the same values and was not written.
  case unchanged
  /// The stored row is newer.
  case stale
  /// The policy keeps the stored row in any case.
  case ignored
  /// The record is a removal: it is remembered, and a stored row that loses against it is deleted.
  case removal
}
