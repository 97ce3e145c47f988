/// Which value of an attribute the winner of a group gets when its losers are merged into it.
package enum MergeRule: String, Sendable, Hashable, CaseIterable {
  /// The winner's value, or else the value of the greatest loser (by the winner rule) that has one.
  case newest
  /// The text with the most Unicode scalars.
  case longest
  /// The smallest number or the earliest instant.
  case minimum
  /// The greatest number or the latest instant.
  case maximum
  /// The distinct elements of all arrays, sorted by their canonical JSON text.
  case union
}
