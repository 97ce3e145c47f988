internal import POIKit
public import POISync

extension Synchronizer where Server: Sendable {
  /// Pulls, then pushes, on a thread of its own; see the synchronous `cycle`. If the task is cancelled, the cycle stops
  /// after its current request.
  ///
  /// - Parameter progress: receives the report up to now after each request; it is finished with the cycle.
  /// - Throws: `StoreError` or `SyncError`.
  @discardableResult
  public mutating func cycle(
    progress: AsyncStream<SyncReport>.Continuation? = nil
  ) async throws -> SyncReport {
    defer { progress?.finish() }
    let before = self
    let (report, after) = try await onBackgroundThread { (flag) throws(StoreError) in
      var synchronizer = before
      return Result {
        let report = try synchronizer.cycle { report in
          progress?.yield(report)
          return flag.decision
        }
        return (report, synchronizer)
      }
    }.get()
    self = after
    return report
  }
}
