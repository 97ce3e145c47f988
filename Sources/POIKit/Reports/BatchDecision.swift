/// What a caller says at the boundary of a batch.
public enum BatchDecision: Sendable, Hashable {
  /// Go on.
  case proceed

  /// Stop here; what is committed stays.
  case stop
}
