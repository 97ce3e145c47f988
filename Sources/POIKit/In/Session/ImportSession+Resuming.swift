internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Unfinished runs: resuming one, or beginning again.
extension ImportSession {
  /// Begins a run if no run can be resumed. Inputs that were imported to their ends are refused.
  mutating func beginInsteadOfResuming(_ store: borrowing Store.Lease) throws {
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
    let before = RunIdentity(of: run, found)
    let isEnforcedAsBefore = (before.policy == .append) == (checkpoint.policy == .append)
    let now = RunIdentity(
      model: checkpoint.model,
      policy: isEnforcedAsBefore ? options.mergePolicy ?? before.policy : checkpoint.policy,
      isSnapshot: options.isSnapshot, source: options.source, shard: options.shard?.notation,
      inputCount: found.inputCount.map { min($0, options.inputNames?.count ?? $0) })
    if let error = before.obstacle(to: now, named: name) { throw error }
    if options.isSnapshot { try runWriter?.checkEarlierSnapshots(before: run.id) }
    merge(by: found.policy, ties: found.ties)
    resumption = found
    runWriter?.resume(run)
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
      try runWriter?.abandonRun(run.id)
      unfinished.removeAll { $0.id == run.id }
    }
  }

  /// The other unfinished runs that have begun an input. If it is to be restarted, also runs of unknown
  /// state.
  private mutating func otherRuns(of name: String) -> [UnfinishedImport] {
    let own = runWriter?.runID
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
      throw .otherRun(
        name, "\(begun.name) in this place", name, advice: [.nameSameInputs, .restart])
    }
    if let before = begun.byteCount, let byteCount, before != byteCount {
      throw .otherRun(
        name, "\(before) bytes of it", "\(byteCount), so it has changed", advice: [.restart])
    }
    let isLast = index == inputs.count - 1
    if index < resumption.progress.finishedInputCount {
      if isLast { continueRun(from: resumption) }
      phase = .skipping
      return false
    }
    if let pointer = options.pointer, pointer != begun.pointer {
      throw .otherRun(
        name, "records at \(begun.pointer.map { "\"\($0)\"" } ?? "the top level")",
        "those at \"\(pointer)\"", advice: [.omitPointer])
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
    // Meanwhile the key may have been enforced: then the other records are merged.
    let appending = checkpoint.appending.map { resumption.appending ?? $0 }
    checkpoint = resumption
    checkpoint.appending = appending
    checkpoint.inputCount = options.inputNames?.count ?? resumption.inputCount
    progress = resumption.progress
    resumedAt = resumption.counters.read
    self.resumption = nil
  }
}

/// What a run and its continuation must have in common.
struct RunIdentity {
  /// The digest of the model's document.
  let model: String?
  let policy: MergePolicy
  let isSnapshot: Bool
  let source: String

  /// The notation of the shard; nil for all records.
  let shard: String?

  /// The number of inputs, of which there may be more later; nil if unknown.
  let inputCount: Int?

  /// Each part in words, and what to do if it is another one.
  private var parts: [(text: String, advice: [Advice])] {
    [
      (model.map { "the model of digest \($0)" } ?? "an unknown model", [.restart]),
      (inputCount.map { "\($0) input\($0 == 1 ? "" : "s")" } ?? "", [.nameSameInputs, .restart]),
      (
        "the merge policy \(policy.rawValue)",
        // The key has been enforced since.
        policy == .append ? [.restart] : [.use(policy), .restart]
      ),
      (isSnapshot ? "a snapshot" : "no snapshot", [.snapshot(isSnapshot), .restart]),
      (
        source.isEmpty ? "no source" : "the source \"\(source)\"",
        [.nameSource(!source.isEmpty), .restart]
      ),
      (shard.map { "the shard \($0)" } ?? "all records", [.nameSameShard, .restart]),
    ]
  }

  /// Why this run cannot be continued with another identity; nil if both are equal.
  func obstacle(to other: RunIdentity, named input: String) -> StoreError? {
    for (before, now) in zip(parts, other.parts) where !before.text.isExactly(now.text) {
      return .otherRun(input, before.text, now.text, advice: before.advice)
    }
    return nil
  }
}

extension RunIdentity {
  init(of run: UnfinishedImport, _ checkpoint: ImportCheckpoint) {
    self.init(
      model: checkpoint.model, policy: checkpoint.policy, isSnapshot: checkpoint.isSnapshot,
      source: run.source, shard: run.shard, inputCount: checkpoint.inputCount)
  }
}

extension StoreError {
  /// The error if a part of the run to resume is another one now.
  fileprivate static func otherRun(
    _ input: String, _ before: String, _ now: String, advice: [Advice]
  ) -> StoreError {
    StoreError(
      .cannotResume,
      "\(input): the run to resume began with \(before), and this import with \(now)",
      advice: advice)
  }
}
