internal import POIKit

/// An import of bytes that arrive while the task waits.
struct AsyncImport: ~Copyable {
  private var session: ImportSession
  private let progress: AsyncStream<StoreProgress>.Continuation?

  init(
    _ store: Store, _ name: String, _ byteCount: Int?, _ model: Model, _ options: ImportOptions,
    _ validators: [any RecordValidator], _ progress: AsyncStream<StoreProgress>.Continuation?
  ) throws {
    var session = try ImportSession(
      into: store, model: model, options: options, validators: validators
    ) { update in
      progress?.yield(update)
      return Task.isCancelled ? .stop : .proceed
    }
    try session.beginInput(named: name, byteCount: byteCount)
    self.session = session
    self.progress = progress
  }

  /// - Returns: false if the task is cancelled.
  mutating func append(_ chunk: [UInt8]) throws -> Bool {
    try session.append(chunk.span)
    return !Task.isCancelled
  }

  mutating func finish() throws -> ImportReport {
    defer { progress?.finish() }
    return Task.isCancelled ? try session.stop() : try session.finish()
  }

  /// Commits what arrived before the bytes ended with an error.
  mutating func stop(after error: any Error) throws -> ImportReport {
    defer { progress?.finish() }
    if error is StoreError { throw error }
    let report = try session.stop()
    guard error is CancellationError else { throw error }
    return report
  }
}
