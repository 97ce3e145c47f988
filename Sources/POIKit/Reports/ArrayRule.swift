/// What becomes of the rows of a loser's relations to many: those of the arrays that it came with.
public enum ArrayRule: String, Sendable, Hashable, CaseIterable {
  /// They move to the winner, but for those that it has too.
  case move

  /// They go with the loser, so that the winner is what its record says: the same as if records had
  /// been merged while they were imported.
  case winner
}
