internal import POIKit

/// What a cycle did.
public struct SyncReport: Sendable {
  /// The requests to the server.
  public var requestCount = 0
  /// The records and removals that came from the server, and what became of them.
  public var pulled = Pulled()
  /// The local changes that were sent, and what became of them.
  public var pushed = Pushed()
  /// Whether the server's records have begun another life, so that all is offered again.
  public var isRestarted = false
  /// Whether nothing is sent to the server.
  public var isPullOnly = false
  /// Whether the progress closure ended the cycle early.
  public var isStopped = false

  /// Counts of records from the server.
  public struct Pulled: Sendable, Hashable {
    /// New rows.
    public var insertedCount = 0
    /// Changed rows.
    public var updatedCount = 0
    /// Removals.
    public var removedCount = 0
    /// What was known, or is the same.
    public var unchangedCount = 0
    /// Records that are older than a local change.
    public var keptCount = 0
    /// Records that break rules of the model. The rows stay as they are; the table `poikit_reject` has them.
    public var rejectedCount = 0
  }

  /// Counts of records to the server.
  public struct Pushed: Sendable, Hashable {
    /// What the server took.
    public var acceptedCount = 0
    /// What differs there; it counts among the records from the server.
    public var conflictCount = 0
    /// What the server does not have; it is sent again as new.
    public var unknownCount = 0
    /// What the server refused.
    public var refusedCount = 0
  }

  mutating func add(_ page: ImportReport) {
    let counters = page.counters
    pulled.insertedCount += counters.inserted
    pulled.updatedCount += counters.updated
    pulled.removedCount += counters.removals
    pulled.unchangedCount += counters.unchanged
    pulled.keptCount += counters.kept
    pulled.rejectedCount += counters.rejected
  }

  mutating func add(_ push: SyncedTable.PushReport) {
    pushed.acceptedCount += push.acceptedCount
    pushed.conflictCount += push.conflictCount
    pushed.unknownCount += push.unknownCount
    pushed.refusedCount += push.refusedCount
    if let conflicts = push.conflicts { add(conflicts) }
  }
}
