/// Which record of a duplicate group stays.
///
/// Both rules put a record with a timestamp before one without, and decide a tie by tombstone and
/// digest.
public enum KeepRule: String, Sendable, Hashable, CaseIterable {
  /// The one with the latest timestamp.
  case newest

  /// The one with the earliest timestamp.
  case oldest
}
