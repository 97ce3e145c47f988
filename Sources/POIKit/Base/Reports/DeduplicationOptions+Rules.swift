extension DeduplicationOptions {
  /// Which record of a duplicate group stays.
  ///
  /// Both rules prefer a record with a timestamp to one without, and break ties by tombstone
  /// and digest, or by the order of import.
  public enum KeepRule: String, Sendable, Hashable, CaseIterable {
    /// The one with the latest timestamp.
    case newest

    /// The one with the earliest timestamp.
    case oldest
  }

  /// What happens to records that lack a part of the key.
  public enum NullKeyRule: String, Sendable, Hashable, CaseIterable {
    /// They are left alone and counted.
    case keep

    /// A missing part equals another missing part, so they can be duplicates.
    case group
  }

  /// What happens to the rows of a loser's to-many relations.
  public enum ArrayRule: String, Sendable, Hashable, CaseIterable {
    /// They move to the winner, except rows that the winner also has.
    case move

    /// They are removed with the loser. The winner is then exactly its record, as if records had been
    /// merged during the import.
    case winner
  }

  /// How the database refuses duplicates after a deduplication.
  public enum KeyEnforcement: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case none

    /// By a unique index on the key columns, `poikit_key_<table>`.
    case index

    /// By a unique index on a column `poikit_key` that holds the key's hash in 16 bytes.
    ///
    /// It is smaller and faster than an index on long or several columns. It is only for the toolkit's
    /// own tables, because a program that adds rows must fill the column. Two keys with the same hash are
    /// refused as one key: this does not happen by accident, but can be constructed on purpose.
    case hash
  }
}
