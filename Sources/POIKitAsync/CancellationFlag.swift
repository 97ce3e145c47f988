internal import POIKit
internal import Synchronization

/// Whether the task that waits for a thread was cancelled.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }

  /// What an operation does at its next batch boundary.
  var decision: BatchDecision { isSet ? .stop : .proceed }
}
