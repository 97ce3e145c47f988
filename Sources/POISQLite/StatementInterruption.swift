internal import Synchronization

/// Ends statements that still run some time after the process was asked to stop, such as a trigger that loops.
///
/// Work in batches stops by itself before that.
public enum StatementInterruption {
  private struct State {
    var isRequested: @Sendable () -> Bool
    var firstSeen: Duration?
  }

  private static let state = Mutex<State?>(nil)

  /// The number of virtual machine instructions between two looks.
  static let stepCount: Int32 = 1_000_000

  /// How long a statement runs on.
  private static let patience = Duration.seconds(2)

  /// Watches the statements of all connections that are opened from now on. They fail with `SQLITE_INTERRUPT`.
  ///
  /// - Parameter isRequested: returns whether the process was asked to stop.
  public static func watch(_ isRequested: @escaping @Sendable () -> Bool) {
    state.withLock { $0 = State(isRequested: isRequested) }
  }

  static var isWatching: Bool { state.withLock { $0 != nil } }

  static var isDue: Bool {
    state.withLock { state in
      guard state?.isRequested() == true else { return false }
      let now = MonotonicClock.now()
      guard let first = state?.firstSeen else {
        state?.firstSeen = now
        return false
      }
      return now - first >= patience
    }
  }
}
