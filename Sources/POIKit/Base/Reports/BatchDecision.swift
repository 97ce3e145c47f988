/// Whether an operation continues; returned by a progress closure.
public enum BatchDecision: Sendable, Hashable {
  /// Continue.
  case proceed

  /// Stop after this batch. Committed batches stay, and an import can be resumed.
  case stop
}
