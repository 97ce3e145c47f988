internal import JSONStreaming
internal import SQLiteKit

/// Runs, batches and checkpoints.
extension ImportSession {
  /// The name of the input at hand.
  var inputName: String { checkpoint.inputs.last?.name ?? "" }

  // MARK: Beginning

  /// Takes the store, makes the tables, and begins or resumes the run.
  mutating func open(_ store: consuming Store) throws(ImportError) {
    do {
      try store.prepareTables(for: model)
      intake.keepsRawRecords = try store.mayRefuseRows(of: model.table)
      for run in try store.unfinishedImports(of: model.table) {
        guard let checkpoint = ImportCheckpoint(run.checkpoint) else {
          throw ImportError(
            .cannotResume,
            "\(store.path): the checkpoint of run \(run.id) cannot be read; delete its row of "
              + "poikit_checkpoint and import again")
        }
        unfinished.append(UnfinishedImport(run: run, checkpoint: checkpoint))
      }
      if options.isResuming, unfinished.isEmpty {
        throw ImportError(
          .cannotResume,
          "\(store.path): there is no unfinished import to resume; start without --resume")
      }
      if !options.isResuming { checkpoint.digest = try store.digest(of: model).digest }
    } catch let error as ImportError {
      throw error
    } catch let error as StoreError {
      throw ImportError(error)
    } catch {
      throw ImportError(.internalError, "\(error)")
    }
    self.store = consume store
  }

  /// Chooses the run to resume: the latest unfinished one that began with the input called `name`.
  mutating func chooseRun(beginningWith name: String) throws(ImportError) {
    guard let run = unfinished.first(where: { $0.checkpoint.inputs.first?.name == name }) else {
      let others = unfinished.map { $0.checkpoint.inputs.first?.name ?? "" }
      throw ImportError(
        .cannotResume,
        "\(name): no unfinished import began with it, only with \(others.joined(separator: ", ")); "
          + "name the same inputs in the same order, or start without --resume")
    }
    resumption = run.checkpoint
    runID = run.id
    generation = run.generation
  }

  /// Makes the reject file before the first batch; a resumed run writes it anew from the table.
  private mutating func openRejectFile() throws(ImportError) {
    guard rejectFile == nil, let path = options.rejectFile else { return }
    rejectFile = try RejectFile(path: path)
    if let runID, resumedAt != nil {
      try ImportSession.restore(&rejectFile, run: runID, store: store)
    }
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
      ])
      if runID == nil {
        runID = try store?.beginImport(
          into: model.table, started: options.clock(), options: summary.description)
      }
      if let runID {
        writer = try store?.batchWriter(for: model, runID: runID, generation: generation)
      }
    } catch {
      throw ImportError(StoreError(error, path: path))
    }
  }

  /// Says so when the input was begun by an unfinished run, or gives that run up where it is to be
  /// restarted.
  mutating func settleUnfinished(_ name: String) throws(ImportError) {
    for run in unfinished where run.checkpoint.inputs.contains(where: { $0.name == name }) {
      guard options.isRestarting else {
        throw ImportError(
          .unfinishedRun,
          "\(name): an earlier import of it stopped after \(run.checkpoint.counters.read) records; "
            + "go on with --resume, or begin again with --restart (the "
            + "\(run.checkpoint.counters.inserted) rows it committed stay)")
      }
      do {
        try store?.abandonRun(run.id)
      } catch {
        throw ImportError(error)
      }
    }
  }

  /// Skips an input that the resumed run had finished, or goes on in the one that it was reading.
  mutating func resumeInput(
    named name: String, index: Int, byteCount: Int?, from resumption: ImportCheckpoint
  ) throws(ImportError) -> Bool {
    guard index < resumption.inputs.count else {
      preconditionFailure("the checkpoint's inputs are behind")
    }
    let begun = resumption.inputs[index]
    guard begun.name == name else {
      throw ImportError(
        .cannotResume,
        "\(name): the run to resume read \(begun.name) in this place; name the same inputs in the "
          + "same order, or begin again with --restart")
    }
    let isLast = index == resumption.inputs.count - 1
    if index < resumption.finishedInputCount {
      if isLast { takeUp(resumption) }
      return false
    }
    if let before = resumption.byteCount, let byteCount, before != byteCount {
      throw ImportError(
        .cannotResume,
        "\(name): the input has \(byteCount) bytes, the run to resume began with \(before); "
          + "it has changed, so begin again with --restart")
    }
    if let pointer = options.pointer, pointer != begun.pointer {
      throw ImportError(
        .cannotResume,
        "\(name): the run to resume reads its records at "
          + "\"\(begun.pointer ?? "the top level")\", not at \"\(pointer)\"; leave --at out")
    }
    takeUp(resumption)
    if let limit = options.recordLimit, checkpoint.counters.read >= limit {
      phase = .ended(.finished)
      return false
    }
    try beginReading(at: begun.pointer, resumingAt: resumption.position)
    return true
  }

  private mutating func takeUp(_ resumption: ImportCheckpoint) {
    checkpoint = resumption
    resumedAt = resumption.counters.read
    self.resumption = nil
  }

  // MARK: Committing

  /// Writes the batch, its rejects, the counters and the checkpoint in one transaction, and forgets
  /// the batch.
  mutating func commit() throws(ImportError) {
    try openRejectFile()
    try beginRun()
    let next: ImportCheckpoint
    if let path = store?.path {
      do {
        guard let written = try write() else {
          throw ImportError(
            .inputOutput,
            "\(path): another process goes on with this import; its batches are kept, this one's "
              + "last is not")
        }
        next = written
      } catch let error as SQLiteError {
        throw fail(ImportError(StoreError(error, path: path)))
      } catch let error as ImportError {
        throw error
      } catch {
        throw ImportError(.internalError, "\(error)")
      }
    } else {
      var sum = Digest.zero
      for record in 0..<intake.batch.recordCount {
        sum += digester.digest(record: record, of: intake.batch)
      }
      next = advanced(by: sum)
    }
    let hadRecords = !intake.batch.isEmpty
    checkpoint = next
    let name = inputName
    try rejectFile?.write(intake.batch, input: name)
    intake.batch.removeAll()
    if hadRecords {
      try checkRejectLimit()
      if decision() == .stop { phase = .ended(.stopped) }
    }
  }

  /// Writes the batch.
  ///
  /// - Returns: the checkpoint after it; nothing where another process drives the run.
  private mutating func write() throws(SQLiteError) -> ImportCheckpoint? {
    try writer?.begin()
    do {
      let sum =
        try writer?.insertRows(of: &intake.batch, digester: &digester) ?? .zero
      let next = advanced(by: sum)
      let name = inputName
      try writer?.insertRejects(of: intake.batch, input: name)
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

  /// The checkpoint after the batch at hand.
  private mutating func advanced(by digest: Digest) -> ImportCheckpoint {
    var next = checkpoint
    if case .reading = phase { next.position = reader.position }
    next.counters.read += intake.batch.readCount
    next.counters.rejected += intake.batch.rejects.count
    next.counters.inserted += intake.batch.insertedCount
    intake.decoder.moveTally(to: &next.unmappedMembers, others: &next.otherUnmappedMemberCount)
    next.digest += digest
    if !intake.batch.isEmpty { next.batchCount += 1 }
    for reject in intake.batch.rejects {
      next.rejectsByRule[reject.issues[0].rule, default: 0] += 1
    }
    return next
  }

  private mutating func checkRejectLimit() throws(ImportError) {
    guard let limit = options.rejectLimit,
      limit.isExceeded(rejected: checkpoint.counters.rejected, read: checkpoint.counters.read)
    else { return }
    throw fail(
      ImportError(
        .tooManyRejects,
        "\(inputName): \(checkpoint.counters.rejected) of \(checkpoint.counters.read) records were "
          + "rejected, more than --max-rejects allows; the batches before stay committed, and "
          + "--resume goes on with a higher limit"))
  }

  /// What the progress closure says to the state of things.
  private func decision() -> ImportDecision {
    onProgress?(
      ImportProgress(
        inputName: inputName, consumedByteCount: consumedByteCount,
        totalByteCount: totalByteCount, counters: checkpoint.counters)) ?? .proceed
  }

  /// Asks the progress closure at the end of a source, and stops the run where it says so.
  mutating func isAskedToStop() throws(ImportError) -> Bool {
    guard decision() == .stop else { return false }
    try stop()
    return true
  }

  /// Commits what was read and ends the run where it is, so that it can be resumed.
  mutating func stop() throws(ImportError) {
    if case .reading = phase { try commit() }
    phase = .ended(.stopped)
  }

  // MARK: Ending

  /// Marks the run as failed, as far as the store still can, and hands the error on.
  mutating func fail(_ error: ImportError) -> ImportError {
    if runID != nil { try? endRun(state: "failed") }
    return error
  }

  mutating func endRun(state: String) throws(ImportError) {
    guard let runID, let path = store?.path else { return }
    do {
      try store?.endRun(
        runID, state: state, ended: options.clock(), counters: checkpoint.countersJSON.description)
    } catch {
      throw ImportError(StoreError(error, path: path))
    }
  }

  /// What the run did up to now.
  func report() -> ImportReport {
    var report = ImportReport()
    report.counters = checkpoint.counters
    report.rejectsByRule = checkpoint.rejectsByRule.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
    report.unmappedMembers = checkpoint.unmappedMembers.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
    report.otherUnmappedMemberCount = checkpoint.otherUnmappedMemberCount
    report.keepsUnmappedMembers = model.unmappedColumn != nil
    report.inputs = checkpoint.inputs
    report.digest = checkpoint.digest
    report.batchCount = checkpoint.batchCount
    report.runID = runID
    report.resumedAt = resumedAt
    return report
  }
}
