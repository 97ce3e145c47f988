internal import POIKit

/// An import of bytes that arrive while the task waits.
struct AsyncImport: ~Copyable {
  private var session: ImportSession

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
  }

  /// Whether to wait for more bytes: not if the task is cancelled or the run has ended.
  var wantsBytes: Bool { session.wantsBytes && !Task.isCancelled }

  mutating func append(_ chunk: [UInt8]) throws {
    do throws(StoreError) { try session.append(chunk.span) } catch { throw reported(error) }
  }

  mutating func finish() throws -> ImportReport {
    do throws(StoreError) {
      return Task.isCancelled ? try session.stop() : try session.finish()
    } catch {
      throw reported(error)
    }
  }

  /// Commits what arrived before the sequence ended with an error, and throws it unless the task is
  /// cancelled.
  mutating func stop(after error: any Error) throws -> ImportReport {
    do throws(StoreError) {
      let report = try session.stop()
      if Task.isCancelled { return report }
    } catch {
      throw reported(error)
    }
    throw error
  }

  /// The error with what the import had committed.
  private func reported(_ error: StoreError) -> StoreError {
    var error = error
    error.importReport = session.failedReport()
    return error
  }
}
