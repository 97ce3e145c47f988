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
