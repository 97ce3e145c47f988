/// Which record of a duplicate group stays.
///
/// Both rules prefer a record with a timestamp to one without, and break ties by tombstone and digest.
public enum KeepRule: String, Sendable, Hashable, CaseIterable {
  /// The one with the latest timestamp.
  case newest

  /// The one with the earliest timestamp.
  case oldest
}
