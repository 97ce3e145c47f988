/// What becomes of records that lack a part of the key.
public enum NullKeyRule: String, Sendable, Hashable, CaseIterable {
  /// They are left alone and counted.
  case keep

  /// A missing part equals another missing one, so they are duplicates like others.
  case group
}
