/// What decides, under the policy `newest`, between different records with one key and one timestamp, or without
/// timestamps.
public enum TieRule: String, Sendable, Hashable, CaseIterable {
  /// The greater digest wins. The result does not depend on the order, so it is the same on every device.
  case digest

  /// The record that comes later wins. The result depends on the order of the deliveries.
  case later
}

/// What happens when an imported record meets a stored one with the same key.
///
/// A record whose key is NULL, or NULL in part, meets no stored record: it is inserted. Columns that no
/// attribute maps are never changed, and a row keeps its row id.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// It is added beside the stored one; only if the key is not enforced.
  case append

  /// The greater one by the winner rule (timestamp, tombstone, digest) stays as a whole.
  case newest

  /// The attributes that it names overwrite the stored values, also with NULL; the others stay.
  case objectTrump = "object-trump"

  /// It fills only attributes that are NULL in the stored one.
  case storeTrump = "store-trump"

  /// It overwrites every attribute of the stored one; attributes that it lacks become NULL.
  case overwrite

  /// It is ignored.
  case rollback

  /// The run stops at its batch.
  case error

  /// Each attribute keeps the value of the newest record that named it. Not available if removals
  /// delete rows.
  case newestByProperty = "newest-by-property"
}
