internal import JSONStreaming
internal import POIKit

/// Runs `body` on a new thread and waits for its end without blocking a thread of the cooperative pool.
///
/// - Parameters:
///   - progress: finished after `body`.
///   - body: what to do. Its flag is set when the task is cancelled.
/// - Throws: what `body` throws; `StoreError` with `inputOutput` if the system cannot create a thread.
func onBackgroundThread<Result: Sendable>(
  finishing progress: AsyncStream<StoreProgress>.Continuation? = nil,
  _ body: @escaping @Sendable (CancellationFlag) throws(StoreError) -> Result
) async throws(StoreError) -> Result {
  let flag = CancellationFlag()
  let result = await withTaskCancellationHandler {
    await withCheckedContinuation {
      (waiting: CheckedContinuation<Swift.Result<Result, StoreError>, Never>) in
      let work: @Sendable () -> Void = {
        do throws(StoreError) {
          waiting.resume(returning: .success(try body(flag)))
        } catch {
          waiting.resume(returning: .failure(error))
        }
      }
      do throws(SystemError) {
        try SystemThread(work).detach()
      } catch {
        let message = "the system cannot create a thread: \(error.text); run again"
        waiting.resume(returning: .failure(StoreError(.inputOutput, message)))
      }
    }
  } onCancel: {
    flag.set()
  }
  progress?.finish()
  return try result.get()
}
