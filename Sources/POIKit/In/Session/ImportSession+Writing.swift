internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Runs, batches and checkpoints.
extension ImportSession {
  /// The inputs that were begun up to the last batch, in order.
  var inputs: [ImportReport.Input] {
    mutating get { isDryRun ? dryRun?.inputs ?? [] : runWriter?.inputs ?? [] }
  }

  var inputName: String { progress.inputName }

  var isDryRun: Bool { dryRun != nil }

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
        // Whoever repeats a snapshot that did not end resumes or restarts it.
        try checkInputNames()
        if !options.isListOfKeys {
          try store.checkEarlierSnapshots(of: model, limit: options.removalLimit)
        }
      }
      try store.prepareTables(
        for: model, mayChange: unfinished.isEmpty || options.isRestarting && !options.isResuming)
      let continues = options.isResuming || options.isRestarting
      let isAppending = unfinished.contains { $0.checkpoint?.appending != nil }
      if isAppending, !continues, let policy = options.mergePolicy, policy != .append,
        try EnforcedKey.columns(ofTable: model.table, in: store.connection).isEmpty
      {
        throw StoreError(
          .unfinishedRun,
          "\(path): the first import into the table \"\(model.table)\" has not ended, and removes its "
            + "duplicates at its end; if it is still running, wait for it", advice: .resume,
          .restart)
      }
      let (policy, appends) = try store.mergePolicy(
        options.mergePolicy
          ?? (options.isSnapshot || options.choosePolicy != nil || options.ties == .later
            ? .newest : nil),
        isSnapshot: options.isSnapshot, for: model,
        options.choosePolicy != nil
          ? .never
          : continues && isAppending ? .toOwnRows : .toNoRows)
      checkpoint.policy = policy
      checkpoint.appending = appends ? Appending(after: try store.lastRow(of: model)) : nil
      let table = try ImportedTable(of: model, in: store.connection)
      guard table.document == model.document,
        (table.rows.key == nil) == (policy == .append || appends)
      else {
        throw StoreError(
          .changedByOther, "\(path): another program has just changed the table; import again")
      }
      if checkpoint.policy == .newestByProperty, table.log != nil {
        throw StoreError(
          .invalidOptions,
          "\(path): local changes of the table \"\(model.table)\" are tracked, and they have one time for all values",
          advice: .useOtherPolicy)
      }
      if options.page == nil, try ServerLink.exists(of: model.table, in: store.connection) {
        guard table.rows.key != nil else {
          throw StoreError(
            .invalidOptions,
            "\(path): the first records of the server of \"\(model.table)\" have not all come; end that first (poi-sync)"
          )
        }
        guard checkpoint.policy == .newest, options.choosePolicy == nil, options.ties != .later
        else {
          throw StoreError(
            .invalidOptions,
            "\(path): the table \"\(model.table)\" is synchronised with a server, so the newer of two records stays: "
              + "import without another policy or rule")
        }
        options.ties = .digest
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
      runWriter = RunWriter(store: store, table: table, model: model, options: options)
      runWriter?.removableRowCount = removableRowCount
      runWriter?.appends = appends
      // After an edit of an app, each page of a server would read the whole table for it.
      if !options.isResuming, options.page == nil, let digest = try runWriter?.digestBeforeRun() {
        checkpoint.digest = digest
      }
    } catch {
      throw StoreError(converting: error, path: path)
    }
    checkpoint.ties = options.tieRule(for: model)
    merge(by: checkpoint.policy, ties: checkpoint.ties)
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

  mutating func merge(by policy: MergePolicy, ties: TieRule) {
    runWriter?.policy = policy
    runWriter?.ties = ties
    intake.acceptsPartialRecords = policy == .objectTrump
    // The error needs line and column of the record.
    if policy == .error || options.choosePolicy != nil { intake.keepsRawRecords = true }
  }

  /// The inputs that an earlier run has imported, by their names and sizes, if the records will be added once
  /// more because no policy was chosen.
  ///
  /// - Parameter inputs: names and sizes in bytes.
  package func earlierImports(
    of inputs: [(name: String, byteCount: Int)]
  ) throws(StoreError) -> [(name: String, run: Int64)] {
    do {
      let earlier = try runWriter?.inputsOfEarlierImports() ?? [:]
      return inputs.compactMap { input in
        earlier[ExactText(input.name)]?[input.byteCount].map { (input.name, $0) }
      }
    } catch {
      throw StoreError(converting: error, path: model.table)
    }
  }

  // MARK: Writing

  mutating func startWriterThread() throws(StoreError) {
    do {
      writerThread = try WriterThread { $0.run() }
    } catch {
      throw StoreError(
        .inputOutput,
        "the system gives no thread to write with: \(error.text); ask for one job instead of two")
    }
  }

  /// Writes the batch: rows, rejects, counters and checkpoint in one transaction.
  ///
  /// With a writer thread, the batch is handed over after the previous one is committed; `waitForBatch`
  /// waits for it. If the run ends at the previous batch, the batch is dropped.
  mutating func writeBatch() throws(StoreError) {
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
          ? try dryRun?.count(&intake.batch, progress, onto: checkpoint)
          : try runWriter?.write(&intake.batch, progress, onto: checkpoint)
      } catch {
        throw end(with: error)
      }
      pace.restartInterval()
      if let next, let error = advance(to: next, readCount: readCount) { throw fail(error) }
      return
    }
    try waitForBatch()
    if case .ended = phase { return }
    guard let runWriter = runWriter.take() else {
      preconditionFailure("a session that has waited for its batch has its runWriter")
    }
    var batch = spareBatch.take() ?? intake.emptyBatch()
    swap(&batch, &intake.batch)
    pendingReadCount = batch.readCount
    pace.restartInterval()
    writerThread?.start(BatchJob(batch, by: runWriter, progress, onto: checkpoint))
  }

  /// Writes the batch and waits for it.
  ///
  /// - Returns: whether it was committed; false if the run ended at the previous batch.
  mutating func writeBatchAtOnce() throws(StoreError) -> Bool {
    try waitForBatch()
    if case .ended = phase { return false }
    try writeBatch()
    try waitForBatch()
    return true
  }

  /// Waits until the batch on the writer thread, if any, is committed.
  mutating func waitForBatch() throws(StoreError) {
    guard let job = writerThread?.finish() else { return }
    let readCount = pendingReadCount
    pendingReadCount = 0
    let outcome = job.outcome
    runWriter = consume job.runWriter
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
    if let error = runWriter?.rejectFileError { return error }
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

  private func decision(isFinishing: Bool = false) -> BatchDecision {
    guard let onProgress else { return .proceed }
    var progress: StoreProgress
    if isFinishing {
      progress = StoreProgress(.finishing, completedCount: 0)
    } else if let landedCount {
      progress = StoreProgress(
        .merging, completedCount: landedCount - checkpoint.counters.landed, totalCount: landedCount)
    } else {
      progress = StoreProgress(
        .importing, completedCount: consumedByteCount, totalCount: totalByteCount)
    }
    progress.inputName = inputName
    progress.counters = checkpoint.counters
    return onProgress(progress)
  }

  /// Asks the progress closure where no batch does, as in a survey, and stops the run if it says so.
  mutating func isAskedToStop() throws(StoreError) -> Bool {
    guard decision() == .stop else { return false }
    try stopReading()
    return true
  }

  /// Writes the records that were read, and stops the run so that it can be resumed.
  mutating func stopReading() throws(StoreError) {
    if case .reading = phase, readCount > 0 {
      try waitForBatch()
      // Even if the run ended at the previous batch, later records are kept.
      phase = .reading
      _ = try writeBatchAtOnce()
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
    landedCount = checkpoint.counters.landed
    defer { landedCount = nil }
    if try isAskedToStop() { return nil }
    guard var merge = try runWriter?.beginMerge(&checkpoint) else { return nil }
    while checkpoint.landing != nil {
      let next = try runWriter?.writeNext(
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
      try runWriter?.openRejectFile()
      try dryRun?.openRejectFile()
      try runWriter?.syncRejects()
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
    // To stop here would save nothing.
    _ = decision(isFinishing: true)
    if checkpoint.appending != nil, let deduplicate {
      // The deduplication needs memory for sorting.
      spareBatch = nil
      intake.batch = intake.emptyBatch()
      // From it the deduplication computes the digest of the rows that stay.
      try updateDigest()
      checkpoint =
        try runWriter?.deduplicate(after: checkpoint, by: deduplicate) ?? checkpoint
    }
    guard options.isSnapshot else {
      try foldReturnedRows()
      try updateDigest()
      try runWriter?.endRun(checkpoint)
      // With each page of a server it would read the whole table.
      if options.page == nil {
        repeatedKeys = try runWriter?.keys(of: model, alreadyBefore: lastRowBefore)
      }
      return
    }
    let reason: String? =
      if checkpoint.counters.rejected > 0 {
        "\(checkpoint.counters.rejected) records were rejected, so it is not known what the snapshot "
          + "holds, and nothing was removed; correct them, and import the whole again"
      } else if checkpoint.counters.read == 0, presentKeys == nil {
        "the snapshot holds no record, and nothing was removed; find out why it is empty"
      } else {
        nil
      }
    if let reason { throw try refuseSnapshot(reason) }
    try foldReturnedRows()
    let outcome = try runWriter?.endSnapshot(checkpoint, holding: presentKeys)
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
    guard options.page == nil else { return }
    if let digest = try runWriter?.digestAfterRun(checkpoint) { checkpoint.digest = digest }
  }

  /// Folds returned rows before the run ends, so that a killed run does it when it is resumed.
  private mutating func foldReturnedRows() throws(StoreError) {
    guard let fold, let folded = try runWriter?.foldReturnedRows(by: fold) else { return }
    self.folded = folded
    if let digest = folded.digest { checkpoint.digest = digest }
  }

  /// Ends a snapshot run whose removals are refused.
  private mutating func refuseSnapshot(
    _ reason: String, advice: Advice...
  ) throws(StoreError) -> StoreError {
    try runWriter?.endRun(checkpoint, isRefused: true)
    let others = checkpoint.progress.begunInputCount - 1
    let name = others == 0 ? inputName : "\(inputName) and \(others) more"
    return StoreError(.snapshotRefused, "\(name): \(reason)", advice: advice)
  }

  /// Marks the run as failed if the store allows it, releases the store, and returns the error.
  mutating func fail(_ error: StoreError) -> StoreError {
    runWriter?.failRun(checkpoint)
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
    if finalReport == nil, runWriter?.runID != nil, checkpoint.counters.read > 0 {
      failureReport = report()
      failureReport?.ending = .failed
    }
    runWriter = nil
    writerThread = nil
  }

  mutating func report() -> ImportReport {
    var report = ImportReport()
    report.counters = checkpoint.counters
    report.rejectsByRule = checkpoint.rejectsByRule.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
    report.ties = checkpoint.ties
    report.tiedCount = checkpoint.tiedCount
    report.keptOlderCount = checkpoint.keptOlderCount
    report.keylessCount = checkpoint.keylessCount
    report.skippedCount = checkpoint.skippedCount
    report.repeatedKeys = repeatedKeys
    report.foldedCount = folded.count
    report.foldProblem = folded.problem
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
    report.runID = runWriter?.runID
    report.resumedAt = resumedAt
    report.mergePolicy = isDryRun ? nil : checkpoint.policy
    // A session stopped before its first input has not reached the run that it resumes.
    report.canBeResumed =
      runWriter?.isUnfinished ?? false || options.isResuming && inputCount == 0
    return report
  }
}
