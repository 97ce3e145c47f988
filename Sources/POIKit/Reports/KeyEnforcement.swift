/// How the database is to refuse duplicates after a deduplication.
public enum KeyEnforcement: String, Sendable, Hashable, CaseIterable {
  /// It is not.
  case none

  /// By a unique index on the key columns, `poikit_key_<table>`.
  case index

  /// By a unique index on a column `poikit_key` that holds the key's hash in 16 bytes.
  ///
  /// It is smaller and faster than an index on long or several columns. Only for the toolkit's own
  /// tables, because who adds rows must fill the column. Two keys with one hash are refused like one
  /// key: by accident they do not come, but who wants to can make them.
  case hash
}
