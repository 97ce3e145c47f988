internal import Glibc
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
      if let error = startThread(work) { waiting.resume(returning: .failure(error)) }
    }
  } onCancel: {
    flag.set()
  }
  progress?.finish()
  return try result.get()
}

/// Starts a thread that nothing waits for.
///
/// - Returns: the error if the system cannot create it.
private func startThread(_ work: @escaping @Sendable () -> Void) -> StoreError? {
  final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  // The program handles signals on its own threads.
  var all = sigset_t()
  var before = sigset_t()
  unsafe sigfillset(&all)
  unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  let context = unsafe Unmanaged.passRetained(Work(work))
  var thread = pthread_t()
  let status = unsafe pthread_create(
    &thread, nil,
    { context in
      guard let context = unsafe context else { return nil }
      unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }, context.toOpaque())
  guard status == 0 else {
    unsafe context.release()
    return StoreError(
      .inputOutput, "the system cannot create a thread (error \(status)); run again")
  }
  pthread_detach(thread)
  return nil
}
