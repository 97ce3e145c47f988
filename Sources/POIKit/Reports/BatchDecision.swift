/// What a progress closure returns.
public enum BatchDecision: Sendable, Hashable {
  /// Continue.
  case proceed

  /// Stop at this batch boundary. Committed batches stay, and an import can be resumed.
  case stop
}
