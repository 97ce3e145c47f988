internal import JSONStreaming
internal import SQLiteKit

/// Commits batches: rows, rejects, counters and checkpoint in one transaction each.
///
/// It owns the store while an import runs, and moves with each batch to the thread that writes and
/// back, so that one thread at a time has both.
struct BatchCommitter: ~Copyable {
  /// Where the records go; nothing in a dry run.
  private(set) var store: Store?

  /// The run in the store; nothing before its first batch.
  private(set) var runID: Int64?

  private let model: Model
  private let options: ImportOptions

  /// What becomes of records whose key is stored.
  var policy = MergePolicy.append

  /// How many batches the run had committed when it was taken up.
  private var generation: Int64 = 0
  private var writer: BatchWriter?
  private var rejectFile: RejectFile?

  /// How the records of a source follow one another; nothing where the model does not say.
  private let order: RecordOrder?

  init(store: consuming Store?, model: Model, options: ImportOptions) {
    self.store = store
    self.model = model
    self.options = options
    order = RecordOrder(model)
  }

  /// Goes on with a run instead of beginning one.
  mutating func resume(_ run: UnfinishedImport) {
    runID = run.id
    generation = run.generation
  }

  /// Gives the store back.
  consuming func takeStore() -> Store? { consume store }

  /// Commits a batch and forgets its content.
  ///
  /// - Parameters:
  ///   - progress: what was read of the inputs up to the end of the batch.
  ///   - checkpoint: the one before the batch.
  /// - Returns: the checkpoint after the batch.
  /// - Throws: `ImportError`; the batch is then not committed, or, where only the reject file could
  ///   not be written, it is.
  mutating func commit(
    _ batch: inout RecordBatch, _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) throws(ImportError) -> ImportCheckpoint {
    try openRejectFile()
    try beginRun()
    let next: ImportCheckpoint
    if let path = store?.path {
      do {
        guard let written = try write(&batch, progress, onto: checkpoint) else {
          throw ImportError(
            .inputOutput,
            "\(path): another process goes on with this import; its batches are kept, this one's "
              + "last is not")
        }
        next = written
      } catch let error as SQLiteError {
        // As far as the store still can, it says that the run failed.
        try? endRun(state: "failed", checkpoint)
        throw ImportError(StoreError(error, path: path))
      } catch let error as ImportError {
        try? endRun(state: "failed", checkpoint)
        throw error
      } catch {
        throw ImportError(.internalError, "\(error)")
      }
    } else {
      next = checkpoint.advanced(by: batch, progress)
    }
    try rejectFile?.write(batch, input: progress.inputName)
    batch.removeAll()
    return next
  }

  /// Writes the batch.
  ///
  /// - Returns: the checkpoint after it; nothing where another process drives the run.
  private mutating func write(
    _ batch: inout RecordBatch, _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) throws -> ImportCheckpoint? {
    try writer?.begin()
    do {
      let conflicts = try writer?.writeRows(of: &batch, input: progress.inputName)
      if let conflicts, !conflicts.isEmpty {
        writer?.rollBack()
        throw ImportError(
          .conflict,
          conflicts.message(store: store?.path ?? "", table: model.table))
      }
      var next = checkpoint.advanced(by: batch, progress)
      if let highest = order?.highest(of: batch), checkpoint.highest.map({ $0 < highest }) ?? true {
        next.highest = highest
      }
      if progress.finishedInputCount > checkpoint.progress.finishedInputCount {
        try store?.keepToken(of: next, table: model.table, source: options.source)
      }
      try writer?.insertRejects(of: batch, input: progress.inputName)
      guard try writer?.writeCheckpoint(next.json.description) == true else {
        writer?.rollBack()
        return nil
      }
      try writer?.commit()
      return next
    } catch {
      writer?.rollBack()
      throw error
    }
  }

  /// Makes the reject file before the first batch; a resumed run writes it anew from the table.
  private mutating func openRejectFile() throws(ImportError) {
    guard rejectFile == nil, let path = options.rejectFile else { return }
    rejectFile = try RejectFile(path: path)
    if let runID { try BatchCommitter.restore(&rejectFile, run: runID, store: store) }
  }

  private static func restore(
    _ file: inout RejectFile?, run: Int64, store: borrowing Store?
  ) throws(ImportError) {
    switch store {
    case .some(let store):
      try file?.write(rejectsOf: run, in: store.connection, storePath: store.path)
    case .none: break
    }
  }

  /// Begins the run in the store, at the first input.
  private mutating func beginRun() throws(ImportError) {
    guard writer == nil, let path = store?.path else { return }
    do {
      let summary = JSONValue.object([
        "batch": .number(options.batchSize), "at": options.pointer.map(JSONValue.string) ?? .null,
        "limit": options.recordLimit.map { .number($0) } ?? .null,
        "merge": .string(policy.rawValue),
      ])
      if runID == nil {
        runID = try store?.beginImport(
          into: model.table, started: options.clock(), options: summary.description)
      }
      if let runID {
        writer = try store?.batchWriter(
          for: model, policy: policy, runID: runID, generation: generation)
      }
    } catch {
      throw ImportError(StoreError(error, path: path))
    }
  }

  /// Ends the run in a state of `poikit_run`; nothing happens where none has begun.
  mutating func endRun(state: String, _ checkpoint: ImportCheckpoint) throws(ImportError) {
    guard let runID, let path = store?.path else { return }
    do {
      try store?.endRun(
        runID, state: state, ended: options.clock(), counters: checkpoint.countersJSON.description)
    } catch {
      throw ImportError(StoreError(error, path: path))
    }
  }

  /// Gives up an unfinished run; the rows that it committed stay.
  mutating func abandonRun(_ id: Int64) throws(ImportError) {
    do {
      try store?.abandonRun(id)
    } catch {
      throw ImportError(error)
    }
  }
}
