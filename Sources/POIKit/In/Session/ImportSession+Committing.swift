internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Runs, batches and checkpoints.
extension ImportSession {
  /// The inputs that were begun up to the last batch, in order.
  var inputs: [ImportReport.Input] {
    mutating get { isDryRun ? dryRun?.inputs ?? [] : committer?.inputs ?? [] }
  }

  var inputName: String { progress.inputName }

  /// The number of records read, including batches that are not committed yet.
  var readCount: Int { checkpoint.counters.read + pendingReadCount + intake.batch.readCount }

  var hasReachedLimit: Bool { options.recordLimit.map { readCount >= $0 } ?? false }

  // MARK: Beginning

  /// Creates the tables, and begins or resumes the run.
  mutating func open(_ store: consuming Store.Lease) throws(StoreError) {
    let path = store.path
    do {
      try store.forgetDroppedTable(of: model)
      unfinished = try UnfinishedImport.list(into: model.table, in: store.connection)
      if options.isResuming, unfinished.isEmpty { try beginInsteadOfResuming(store) }
      if try store.document(ofTable: model.table) == nil { try options.checkKey(of: model) }
      if let shard = options.shard, !options.isResuming { try checkShard(shard, store) }
      if options.isSnapshot, !options.isResuming {
        try store.checkEarlierSnapshots(of: model, limit: options.removalLimit)
      }
      try store.prepareTables(
        for: model, mayChange: unfinished.isEmpty || options.isRestarting && !options.isResuming)
      checkpoint.policy = try store.mergePolicy(
        options.mergePolicy
          ?? (options.isSnapshot || options.choosePolicy != nil || options.ties == .later
            ? .newest : nil),
        isSnapshot: options.isSnapshot, for: model)
      let table = try ImportedTable(of: model, in: store.connection)
      guard table.document == model.document,
        (table.rows.key == nil) == (checkpoint.policy == .append)
      else {
        throw StoreError(
          .changedByOther, "\(path): another program has just changed the table; import again")
      }
      if options.isSnapshot, !options.source.isEmpty,
        let other = try store.otherSource(of: model.table, than: options.source)
      {
        throw StoreError(
          .invalidOptions,
          "\(path): a snapshot is of the whole table, and \"\(model.table)\" has rows of "
            + (other.isEmpty ? "a source without a name" : "the source \"\(other)\"")
            + ", too; give each source a table of its own, or name no source if the snapshot holds the "
            + "rows of all")
      }
      intake.keepsRawRecords = table.rows.facts.mayRefuse
      expectRecords(at: try RunRecord.places(ofInputsInto: model.table, in: store.connection))
      checkpoint.inputCount = options.inputNames?.count
      checkpoint.isSnapshot = options.isSnapshot
      let removableRowCount =
        options.isSnapshot && !options.isResuming ? try store.removableRowCount(of: model) : nil
      checkpoint.removableRowCount = removableRowCount ?? 0
      checkpoint.model = MurmurHash3.digest(of: model.document.utf8Span.span).description
      if checkpoint.policy == .append, !options.isResuming {
        lastRowBefore = try store.lastRow(of: model)
      }
      committer = BatchCommitter(store: store, table: table, model: model, options: options)
      committer?.removableRowCount = removableRowCount
      if !options.isResuming, let digest = try committer?.digestBeforeRun() {
        checkpoint.digest = digest
      }
    } catch {
      throw StoreError(converting: error, path: path)
    }
    checkpoint.ties = options.tieRule(for: model)
    merge(by: checkpoint.policy, ties: checkpoint.ties)
  }

  /// Begins a run if no run can be resumed. Inputs that were imported to their ends are refused.
  private mutating func beginInsteadOfResuming(_ store: borrowing Store.Lease) throws {
    let last = try RunRecord.latest(
      where: RunRecord.imports(into: model.table), in: store.connection)
    let finished = try RunRecord.importedInputs(of: model.table, in: store.connection)
    let isFinished =
      options.inputNames?.contains { finished[ExactText($0)] != nil } ?? true
    guard isFinished, last?.state == .finished else {
      options.isResuming = false
      return
    }
    throw StoreError(
      .cannotResume,
      "\(store.path): there is no unfinished import to resume: the last one, run "
        + "\(last?.id ?? 0), is finished", advice: .startWithoutResuming)
  }

  /// Refuses a table with records of other shards: the digests of the stores would not add up.
  private func checkShard(_ shard: ImportOptions.Shard, _ store: borrowing Store.Lease) throws {
    let other = try RunRecord.latest(
      where: """
        \(RunRecord.imports(into: model.table)) AND \(RunRecord.hasStored)
        AND options ->> 'shard' IS NOT \(literal: shard.notation)
        """, in: store.connection)
    guard let other else { return }
    throw StoreError(
      .invalidOptions,
      "\(store.path): the table \"\(model.table)\" has records of "
        + (other.options["shard"]?.string.map { "the shard \($0)" } ?? "all shards")
        + ", and not only of \(shard.notation)", advice: .useOtherStore)
  }

  private mutating func merge(by policy: MergePolicy, ties: TieRule) {
    committer?.policy = policy
    committer?.ties = ties
    intake.acceptsPartialRecords = policy == .objectTrump
    // The error needs line and column of the record.
    if policy == .error || options.choosePolicy != nil { intake.keepsRawRecords = true }
  }

  /// Chooses the run to resume: the latest unfinished one that began with the input called `name`.
  mutating func chooseRun(beginningWith name: String) throws(StoreError) {
    guard
      let run = unfinished.first(where: { $0.inputs.first?.name.isExactly(name) == true })
        ?? unfinished.first(where: { $0.isUnknown })
    else {
      throw StoreError(
        .cannotResume,
        "\(name): no unfinished import began with it, only with \(unfinishedNames(separator: ", "))",
        advice: .nameSameInputs, .startWithoutResuming)
    }
    guard let found = run.checkpoint else {
      throw StoreError(
        .cannotResume,
        "\(name): the checkpoint of run \(run.id) cannot be read", advice: .restart)
    }
    guard found.model == checkpoint.model else {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume began with another model, and the table has this one now",
        advice: .restart)
    }
    if let before = found.inputCount, let count = options.inputNames?.count, count < before {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume began with \(before) inputs, and \(count) "
          + "\(count == 1 ? "is" : "are") named",
        advice: .nameSameInputs, .restart)
    }
    let policy = found.policy
    guard policy == options.mergePolicy ?? policy,
      (policy == .append) == (checkpoint.policy == .append)
    else {
      let isEnforcedSince = policy == .append && checkpoint.policy != .append
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume merges by \(policy.rawValue), not by \(checkpoint.policy.rawValue)"
          + (isEnforcedSince ? "; the key is enforced, which it was not then" : ""),
        advice: isEnforcedSince ? [.restart] : [.use(policy), .restart])
    }
    guard options.isSnapshot == found.isSnapshot else {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume is \(found.isSnapshot ? "a" : "not a") snapshot",
        advice: .snapshot(found.isSnapshot), .restart)
    }
    guard run.source.isExactly(options.source) else {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume has "
          + (run.source.isEmpty ? "no source" : "the source \"\(run.source)\""),
        advice: .nameSource(!run.source.isEmpty), .restart)
    }
    guard run.shard == options.shard?.notation else {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume takes \(run.shard.map { "the shard \($0)" } ?? "all records")",
        advice: .nameSameShard, .restart)
    }
    if options.isSnapshot { try committer?.checkEarlierSnapshots(before: run.id) }
    merge(by: policy, ties: found.ties)
    resumption = found
    committer?.resume(run)
  }

  /// Throws if another unfinished run has begun one of the inputs that are known by name, before the first
  /// is read.
  mutating func checkInputNames() throws(StoreError) {
    for name in options.inputNames ?? [] {
      for run in otherRuns(of: name) {
        if let error = obstacle(run, to: name) { throw error }
      }
    }
  }

  /// Throws if an unfinished run has begun the input. If the input is to be restarted, abandons that run,
  /// and all runs without a readable checkpoint or inputs.
  mutating func resolveUnfinished(_ name: String) throws(StoreError) {
    for run in otherRuns(of: name) {
      if let error = obstacle(run, to: name) { throw error }
      try committer?.abandonRun(run.id)
      unfinished.removeAll { $0.id == run.id }
    }
  }

  /// The other unfinished runs that have begun an input. If it is to be restarted, also runs of unknown
  /// state.
  private mutating func otherRuns(of name: String) -> [UnfinishedImport] {
    let own = committer?.runID
    return unfinished.filter { run in
      run.id != own && (run.hasBegun(name) || run.isUnknown && options.isRestarting)
    }
  }

  /// Why an unfinished run prevents reading its input; nil if the run is to be abandoned.
  private func obstacle(_ run: UnfinishedImport, to name: String) -> StoreError? {
    guard !options.isRestarting, !run.isVoid else { return nil }
    guard let counters = run.checkpoint?.counters else {
      return StoreError(
        .unfinishedRun,
        "\(name): an earlier import of it has not ended, and the checkpoint of run \(run.id) "
          + "cannot be read (the rows it committed stay)", advice: .restart)
    }
    return StoreError(
      .unfinishedRun,
      "\(name): an earlier import of it has not ended, after \(counters.read) records (the "
        + "\(counters.inserted) rows it committed stay); if it is still running, wait for it",
      advice: .resume, .restart)
  }

  /// Skips an input that the resumed run had finished, or continues in the one that it was reading.
  mutating func resumeInput(
    named name: String, index: Int, byteCount: Int?, from resumption: ImportCheckpoint
  ) throws(StoreError) -> Bool {
    guard index < inputs.count else {
      preconditionFailure("the checkpoint's inputs are behind")
    }
    let begun = inputs[index]
    guard begun.name.isExactly(name) else {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume read \(begun.name) in this place",
        advice: .nameSameInputs, .restart)
    }
    if let before = begun.byteCount, let byteCount, before != byteCount {
      throw StoreError(
        .cannotResume,
        "\(name): the input has \(byteCount) bytes, the run to resume began with \(before); "
          + "it has changed (the \(resumption.counters.inserted) rows that the run committed stay)",
        advice: .restart)
    }
    let isLast = index == inputs.count - 1
    if index < resumption.progress.finishedInputCount {
      if isLast { continueRun(from: resumption) }
      phase = .skipping
      return false
    }
    if let pointer = options.pointer, pointer != begun.pointer {
      throw StoreError(
        .cannotResume,
        "\(name): the run to resume reads its records at "
          + "\"\(begun.pointer ?? "the top level")\", not at \"\(pointer)\"", advice: .omitPointer)
    }
    continueRun(from: resumption)
    if hasReachedLimit {
      phase = .ended(.finished)
      return false
    }
    let position = resumption.progress.position
    if position.hasColumns {
      resumedPosition = position
      beginSurvey()
    } else {
      try beginReading(at: begun.pointer, resumingAt: position)
    }
    return true
  }

  /// Why a resuming session cannot finish: it has not reached the position of the run.
  func missingInput() -> StoreError? {
    let place: String
    if let resumption {
      place = "was reading \(resumption.progress.inputName)"
    } else if options.isResuming, inputCount == 0 {
      place = "began with \(unfinishedNames(separator: " or "))"
    } else {
      return nil
    }
    return StoreError(
      .cannotResume, "the run to resume \(place)", advice: .nameSameInputs)
  }

  private func unfinishedNames(separator: String) -> String {
    unfinished.map { $0.inputs.first?.name ?? "" }.joined(separator: separator)
  }

  /// Continues at the position of the resumed run.
  mutating func continueRun(from resumption: ImportCheckpoint) {
    checkpoint = resumption
    checkpoint.inputCount = options.inputNames?.count ?? resumption.inputCount
    progress = resumption.progress
    resumedAt = resumption.counters.read
    self.resumption = nil
  }

  /// The inputs that an earlier run has imported, by their names and sizes, if the records will be added once
  /// more because no policy was chosen.
  ///
  /// - Parameter inputs: names and sizes in bytes.
  package func earlierImports(
    of inputs: [(name: String, byteCount: Int)]
  ) throws(StoreError) -> [(name: String, run: Int64)] {
    do {
      let earlier = try committer?.inputsOfEarlierImports() ?? [:]
      return inputs.compactMap { input in
        earlier[ExactText(input.name)]?[input.byteCount].map { (input.name, $0) }
      }
    } catch {
      throw StoreError(converting: error, path: model.table)
    }
  }

  // MARK: Committing

  mutating func startWriterThread() throws(StoreError) {
    do {
      writerThread = try WriterThread { $0.run() }
    } catch {
      throw StoreError(
        .inputOutput,
        "the system gives no thread to write with: \(error.text); ask for one job instead of two")
    }
  }

  /// Commits the batch: rows, rejects, counters and checkpoint in one transaction.
  ///
  /// With a writer thread, the batch is handed over after the previous one is committed; `waitForBatch`
  /// waits for it. If the run ends at the previous batch, the batch is dropped.
  mutating func commit() throws(StoreError) {
    if let failure { throw failure }
    if case .reading = phase, !isDryRun {
      progress.position = reader.position
      noteToken()
    }
    intake.batch.skippedCount += reader.takeSkippedCount()
    intake.completeCounts()
    if writerThread == nil {
      let readCount = intake.batch.readCount
      let next: ImportCheckpoint?
      do throws(StoreError) {
        next =
          isDryRun
          ? try dryRun?.commit(&intake.batch, progress, onto: checkpoint)
          : try committer?.commit(&intake.batch, progress, onto: checkpoint)
      } catch {
        throw end(with: error)
      }
      pace.restartInterval()
      if let next, let error = advance(to: next, readCount: readCount) { throw fail(error) }
      return
    }
    try waitForBatch()
    if case .ended = phase { return }
    guard let committer = committer.take() else {
      preconditionFailure("a session that has waited for its batch has its committer")
    }
    var batch = spareBatch.take() ?? intake.emptyBatch()
    swap(&batch, &intake.batch)
    pendingReadCount = batch.readCount
    pace.restartInterval()
    writerThread?.start(BatchCommit(batch, by: committer, progress, onto: checkpoint))
  }

  /// Commits the batch and waits for it.
  ///
  /// - Returns: whether it was committed; false if the run ended at the previous batch.
  mutating func commitAtOnce() throws(StoreError) -> Bool {
    try waitForBatch()
    if case .ended = phase { return false }
    try commit()
    try waitForBatch()
    return true
  }

  /// Waits until the batch on the writer thread, if any, is committed.
  mutating func waitForBatch() throws(StoreError) {
    guard let job = writerThread?.finish() else { return }
    let readCount = pendingReadCount
    pendingReadCount = 0
    let outcome = job.outcome
    committer = consume job.committer
    spareBatch = consume job.batch
    guard let outcome else { preconditionFailure("the job came back undone") }
    switch outcome {
    case .success(let next):
      if let error = advance(to: next, readCount: readCount) { throw fail(error) }
    case .failure(let error):
      throw end(with: error)
    }
  }

  /// Continues after a committed batch.
  ///
  /// - Returns: why the run must fail; nil if it continues.
  private mutating func advance(to next: ImportCheckpoint, readCount: Int) -> StoreError? {
    checkpoint = next
    if let error = committer?.rejectFileError { return error }
    if let error = dryRun?.rejectFileError { return error }
    guard readCount > 0 else { return nil }
    if let error = tooManyRejects() { return error }
    if decision() == .stop { phase = .ended(.stopped) }
    return nil
  }

  /// The error if the reject limit is exceeded; nil if not.
  func tooManyRejects() -> StoreError? {
    guard options.exceedsRejectLimit(checkpoint.counters) else { return nil }
    return StoreError(
      .tooManyRejects,
      "\(progress.inputName): \(checkpoint.counters.rejected) of \(checkpoint.counters.read) records "
        + "were rejected, more than the limit allows"
        + (isDryRun ? "" : "; the batches before stay committed"),
      advice: isDryRun ? .raise(.rejects) : .raiseAndResume(.rejects))
  }

  private func decision() -> BatchDecision {
    guard let onProgress else { return .proceed }
    var progress = StoreProgress(
      .importing, completedCount: consumedByteCount, totalCount: totalByteCount)
    progress.inputName = inputName
    progress.counters = checkpoint.counters
    return onProgress(progress)
  }

  /// Asks the progress closure at the end of a source, and stops the run if it says so.
  mutating func isAskedToStop() throws(StoreError) -> Bool {
    guard decision() == .stop else { return false }
    try stopReading()
    return true
  }

  /// Commits the records that were read, and stops the run so that it can be resumed.
  mutating func stopReading() throws(StoreError) {
    if case .reading = phase, readCount > 0 {
      try waitForBatch()
      // Even if the run ended at the previous batch, later records are kept.
      phase = .reading
      _ = try commitAtOnce()
    }
    phase = .ended(.stopped)
  }

  /// Merges the landed records, unless the run was stopped.
  mutating func mergeLanded() throws(StoreError) {
    if case .ended(.stopped) = phase { return }
    guard checkpoint.landing != nil else { return }
    // The store is released after the merge, whose statements need it.
    let error: StoreError?
    do { error = try mergeBatches() } catch { throw end(with: error) }
    if let error { throw fail(error) }
  }

  /// - Returns: why the run must fail after a committed batch, or nil.
  private mutating func mergeBatches() throws(StoreError) -> StoreError? {
    guard var merge = try committer?.beginMerge(&checkpoint) else { return nil }
    while checkpoint.landing != nil {
      let next = try committer?.commitNext(
        of: &merge, by: &intake.batch, onto: checkpoint, at: pace)
      guard let next else { return nil }
      pace.restartInterval()
      let readCount = checkpoint.counters.landed - next.counters.landed
      if let error = advance(to: next, readCount: readCount) { return error }
      if case .ended(.stopped) = phase { return nil }
    }
    return nil
  }

  // MARK: Ending

  /// Ends a run that was read to its end, and removes the rows that a snapshot lacks.
  mutating func endRun() throws(StoreError) {
    do {
      try committer?.openRejectFile()
      try dryRun?.openRejectFile()
      try committer?.syncRejects()
      try dryRun?.syncRejects()
    } catch {
      throw fail(error)
    }
    do {
      try completeRun()
    } catch {
      throw end(with: error)
    }
  }

  private mutating func completeRun() throws(StoreError) {
    guard options.isSnapshot else {
      try foldReturnedRows()
      try updateDigest()
      try committer?.endRun(checkpoint)
      repeatedKeys = try committer?.keys(of: model, alreadyBefore: lastRowBefore)
      return
    }
    let reason: String? =
      if checkpoint.counters.rejected > 0 {
        "\(checkpoint.counters.rejected) records were rejected, so it is not known what the snapshot "
          + "holds, and nothing was removed; correct them, and import the whole again"
      } else if checkpoint.counters.read == 0 {
        "the snapshot holds no record, and nothing was removed; find out why it is empty"
      } else {
        nil
      }
    if let reason { throw try refuseSnapshot(reason) }
    try foldReturnedRows()
    let outcome = try committer?.endSnapshot(checkpoint)
    switch outcome {
    case .done(let next):
      checkpoint = next
      try updateDigest()
    case .tooMany(let gone, let all):
      throw try refuseSnapshot(
        "the snapshot lacks \(gone) of \(all) rows, more than the limit allows, and nothing was removed; if "
          + "they are gone indeed, import it again with a higher limit", advice: .raise(.removals))
    case nil: break
    }
  }

  private mutating func updateDigest() throws(StoreError) {
    if let digest = try committer?.digestAfterRun(checkpoint) { checkpoint.digest = digest }
  }

  /// Folds returned rows before the run ends, so that a killed run does it when it is resumed.
  private mutating func foldReturnedRows() throws(StoreError) {
    guard let fold, let folded = try committer?.foldReturnedRows(by: fold) else { return }
    foldedCount = folded.count
    foldProblem = folded.problem
    if let digest = folded.digest { checkpoint.digest = digest }
  }

  /// Ends a snapshot run whose removals are refused.
  private mutating func refuseSnapshot(
    _ reason: String, advice: Advice...
  ) throws(StoreError) -> StoreError {
    try committer?.endRun(checkpoint, isRefused: true)
    let others = checkpoint.progress.begunInputCount - 1
    let name = others == 0 ? inputName : "\(inputName) and \(others) more"
    return StoreError(.snapshotRefused, "\(name): \(reason)", advice: advice)
  }

  /// Marks the run as failed if the store allows it, releases the store, and returns the error.
  mutating func fail(_ error: StoreError) -> StoreError {
    committer?.failRun(checkpoint)
    return end(with: error)
  }

  /// Releases the store after an error, and returns the error.
  mutating func end(with error: StoreError) -> StoreError {
    releaseStore()
    failure = error
    return error
  }

  /// Releases the store, after a wait for the current batch, whose outcome is ignored.
  mutating func releaseStore() {
    try? waitForBatch()
    if finalReport == nil, committer?.runID != nil, checkpoint.counters.read > 0 {
      failureReport = report()
      failureReport?.ending = .failed
    }
    committer = nil
    writerThread = nil
  }

  mutating func report() -> ImportReport {
    var report = ImportReport()
    report.counters = checkpoint.counters
    report.rejectsByRule = checkpoint.rejectsByRule.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
    report.ties = checkpoint.ties
    report.tiedCount = checkpoint.tiedCount
    report.keylessCount = checkpoint.keylessCount
    report.skippedCount = checkpoint.skippedCount
    report.repeatedKeys = repeatedKeys
    report.foldedCount = foldedCount
    report.foldProblem = foldProblem
    report.rejectsByAttribute = checkpoint.rejectsByAttribute
    report.rejectsObjects = checkpoint.rejectsObjects
    report.unmappedMembers = checkpoint.unmappedMembers.sorted { $0.key < $1.key }
      .map { ($0.key.text, $0.value) }
    report.otherUnmappedMemberCount = checkpoint.otherUnmappedMemberCount
    report.keptMembers = checkpoint.keptMembers.sorted { $0.key < $1.key }
      .map { ($0.key.text, $0.value.count, $0.value.example) }
    report.keepsUnmappedMembers = model.unmappedColumn != nil
    report.inputs = inputs
    report.digest = checkpoint.digest
    report.batchCount = checkpoint.batchCount
    report.runID = committer?.runID
    report.resumedAt = resumedAt
    report.mergePolicy = isDryRun ? nil : checkpoint.policy
    // A session stopped before its first input has not reached the run that it resumes.
    report.canBeResumed =
      committer?.isUnfinished ?? false || options.isResuming && inputCount == 0
    return report
  }
}
