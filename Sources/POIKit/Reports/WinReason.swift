/// Why a record won over another one with the same key.
public enum WinReason: String, Sendable, Hashable, CaseIterable {
  /// Its timestamp is later, or earlier if the oldest is kept.
  case timestamp

  /// It has a timestamp, and the other has none.
  case timestampPresent

  /// It is a removal, and the other is live, with the same timestamp.
  case tombstone

  /// It has the greater digest, with the same timestamp.
  case digest

  /// The other has the same content.
  case identical
}
