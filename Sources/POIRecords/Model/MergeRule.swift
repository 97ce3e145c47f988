/// Which value of an attribute the winner of a group gets if its losers are merged into it.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
  /// The winner's own; if it has none, that of the first loser by the winner rule that has one.
  case newest
  /// The text of the most Unicode scalars.
  case longest
  /// The least number, or the earliest instant.
  case minimum
  /// The greatest number, or the latest instant.
  case maximum
  /// The distinct elements of all arrays, in the order of their canonical JSON texts.
  case union
}
