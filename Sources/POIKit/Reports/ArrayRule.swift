/// What happens to the rows of a loser's to-many relations.
public enum ArrayRule: String, Sendable, Hashable, CaseIterable {
  /// They move to the winner, except rows that the winner also has.
  case move

  /// They are removed with the loser. The winner is then exactly its record, as if records had been
  /// merged during the import.
  case winner
}
