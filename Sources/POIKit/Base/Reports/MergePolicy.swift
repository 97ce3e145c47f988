/// What happens when an imported record meets a stored one with the same key.
///
/// A record whose key is NULL, or NULL in part, meets no stored record: it is inserted. Columns that no
/// attribute maps are never changed, and a row keeps its row id.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// It is added beside the stored one; only if the key is not enforced.
  case append

  /// The greater one by the winner rule (timestamp, tombstone, digest) stays as a whole. Without timestamps, and of
  /// equal ones in a snapshot, it is the later one, unless `TieRule.digest` is named.
  case newest

  /// The attributes that it names overwrite the stored values, also with NULL; the others stay. It may
  /// lack required attributes outside the key; if no row has its key, it is a reject.
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
