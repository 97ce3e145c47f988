/// What happens when an imported record meets a stored one with the same key.
///
/// A record whose key is null, or null in part, meets none: it is inserted. Columns that no
/// attribute maps are never touched, and a row keeps its row id.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// It is added beside the stored one; only where the key is not enforced.
  case append

  /// The one that is greater by the winner rule, (timestamp, tombstone, digest), stays, whole.
  case newest

  /// The attributes that it names overwrite those of the stored one, with null too; the others stay.
  case objectTrump = "object-trump"

  /// It only fills attributes that are null in the stored one.
  case storeTrump = "store-trump"

  /// It overwrites every attribute of the stored one; those that it does not name become null.
  case overwrite

  /// It is ignored.
  case rollback

  /// The run stops at its batch.
  case error

  /// Each attribute keeps the value of the record with the newest timestamp that named it; not where
  /// removals delete rows.
  case newestByProperty = "newest-by-property"
}
