/// Why a record stayed and another one with its key went.
public enum WinReason: String, Sendable, Hashable, CaseIterable {
  /// Its timestamp is later, or earlier where the oldest is kept.
  case timestamp

  /// It has a timestamp, and the other has none.
  case timestampPresent

  /// It is a removal of the same instant.
  case tombstone

  /// It has the greater digest at the same instant.
  case digest

  /// The other says the same.
  case identical
}
