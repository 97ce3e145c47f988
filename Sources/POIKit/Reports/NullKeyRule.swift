/// What happens to records that lack a part of the key.
public enum NullKeyRule: String, Sendable, Hashable, CaseIterable {
  /// They are left alone and counted.
  case keep

  /// A missing part equals another missing part, so they can be duplicates.
  case group
}
