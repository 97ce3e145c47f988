internal import JSONStreaming
internal import POIInputs
internal import POIRecords
internal import SQLiteKit

/// An import of records into a store, from sources that it reads or from bytes that it is given.
///
/// ```swift
/// var session = try ImportSession(into: Store("poi.sqlite"), model: .poi)
/// try session.append(response)          // or: try session.importAll(from: &source)
/// let report = try session.finish()
/// ```
///
/// Records go through the model into batches; each batch is one transaction that also holds its
/// rejects, the counters and the checkpoint. After every error the store holds exactly the batches
/// committed before, and a session with `isResuming` goes on from there.
///
/// Memory, whatever the size of the input: two read buffers and a batch; and a second batch with a thread
/// that writes, as by default.
/// See `ImportOptions.RecordLimits` for what bounds a single record.
public struct ImportSession: ~Copyable {
  /// How much of an input that cannot be read twice is held while it is searched for its records,
  /// in bytes.
  package static let surveyLimit = 16 << 20

  /// After how many bytes of an input that is searched for its records the progress closure is asked.
  static let surveyStepSize = 1 << 20

  let model: Model
  let options: ImportOptions
  let onProgress: ((StoreProgress) -> BatchDecision)?
  let isDryRun: Bool

  var intake: RecordIntake

  /// When the batch at hand ends.
  var pace: BatchPace

  /// What commits the batches; nil in a dry run, while a batch is with the writer thread, and once the
  /// run has ended.
  var committer: BatchCommitter?

  /// What receives the batches of a dry run.
  var dryRun: DryRun?
  var writerThread: WriterThread?

  /// The batch that the writer thread gave back; it is filled next.
  var spareBatch: RecordBatch?

  /// How many records the batch holds that is with the writer thread.
  var pendingReadCount = 0

  /// What was read of the inputs, up to the batch at hand.
  var progress = InputProgress()

  /// What is committed.
  var checkpoint = ImportCheckpoint()

  /// The checkpoint that the run goes on from, until its input is reached.
  var resumption: ImportCheckpoint?
  var resumedAt: Int?

  /// Why the run cannot go on, once it cannot. No batch is committed from then on: it would leave
  /// out the one before, and be taken for the place to resume at.
  var failure: StoreError?

  /// What the run did, once it has ended.
  var finalReport: ImportReport?

  /// What is committed of a run that has failed.
  var failureReport: ImportReport?

  /// The unfinished runs, which stand in the way of reading their inputs from the beginning.
  var unfinished: [UnfinishedImport] = []

  /// How many inputs were begun or skipped.
  var inputCount = 0

  var reader = ElementReader(shape: .sequence)
  var phase = Phase.idle
  var survey: ShapeSurvey?
  var pending = GrowableBuffer<UInt8>()

  /// The first bytes of an input that is given by `append`, until they tell what it holds.
  var prefix: [UInt8]?
  var consumedByteCount = 0
  var totalByteCount: Int?

  /// What a session does with the bytes that it is given.
  enum Phase {
    /// No input is open.
    case idle
    /// The input is searched for its records.
    case surveying
    case reading
    /// The run that is resumed had finished the input.
    case skipping
    /// The run is over: the limit of records is reached, or the progress closure said stop.
    case ended(ImportReport.Ending)
  }

  /// A session that writes into a store, and has it for itself until the run ends or fails.
  ///
  /// - Parameters:
  ///   - store: where the records go; the model's tables are made if they are missing.
  ///   - model: what a record is.
  ///   - options: how to import.
  ///   - validators: checks of the program's own.
  ///   - onProgress: told of each committed batch, where a thread writes when the next one is handed to
  ///     it or the input ends; asked now and then while a source is searched for its records, and at its
  ///     end. Called on the caller's thread; decides whether the run goes on.
  /// - Throws: `StoreError` when the options, the model and the store do not fit together; with
  ///   `cannotResume` when there is nothing to resume, with `inputOutput` when the store cannot be read
  ///   or written, or the system gives no thread, with `inUse` when another operation uses the store.
  public init(
    into store: Store, model: Model, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws(StoreError) {
    self.init(
      model: model, options: options, validators: validators, onProgress: onProgress,
      isDryRun: false)
    try options.check(for: model)
    try open(store.lease())
    if options.jobCount > 1 { try startWriterThread() }
  }

  /// A session that checks records and counts what would become of them, without a store: a dry
  /// run.
  ///
  /// - Throws: `StoreError` when the options do not fit together.
  public init(
    checking model: Model, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws(StoreError) {
    self.init(
      model: model, options: options, validators: validators, onProgress: onProgress,
      isDryRun: true)
    try options.check(for: model, isDryRun: true)
    dryRun = DryRun(options: options)
  }

  private init(
    model: Model, options: ImportOptions, validators: [any RecordValidator],
    onProgress: ((StoreProgress) -> BatchDecision)?, isDryRun: Bool
  ) {
    self.model = model
    self.options = options
    self.onProgress = onProgress
    self.isDryRun = isDryRun
    pace = BatchPace(size: options.batchSize, clock: options.elapsed)
    intake = RecordIntake(
      model: model, limits: options.limits.forReading, validators: validators,
      latestTimestamp: options.maximumSkew.map { options.clock().advanced(by: $0) },
      batchSize: pace.limit)
  }

  // MARK: Inputs

  /// Reads a whole source: from its first byte where it can go back there, else from where it stands.
  ///
  /// A session that resumes skips the sources that the run had finished. Nothing is read where the run
  /// is over.
  ///
  /// - Precondition: an input that was given by `append` is ended; else the program ends.
  /// - Throws: `StoreError` when the run cannot go on; a session that has failed throws the same again.
  public mutating func importAll<Source: ByteSource & ~Copyable>(
    from source: inout Source
  ) throws(StoreError) {
    guard try beginInput(named: source.name, byteCount: source.totalByteCount) else {
      return try endInput()
    }
    prefix = nil
    do {
      try readBeginning(of: &source)
      if case .surveying = phase, try source.restart() { try surveyAll(of: &source) }
      if case .ended = phase { return }
      while true {
        let count =
          if case .reading = phase {
            try reader.fill { (output) throws(InputError) in try source.read(into: &output) }
          } else {
            try pending.appendInPlace(minimumFree: InputChunk.byteCount) {
              (output) throws(InputError) in try source.read(into: &output)
            }
          }
        consumedByteCount = source.consumedByteCount
        if count == 0 {
          // What ended the input may be the signal that asks the run to stop, so its end is not
          // believed before that is known.
          if try isAskedToStop() { return }
          break
        }
        if case .reading = phase {
          try readRecords()
        } else {
          try surveyPending(from: pending.count - count)
        }
        if case .ended = phase { return }
      }
    } catch let error as InputError {
      if error.code == .interrupted { return try stopReading() }
      // The batch on its way was read before; the run may have ended there.
      try waitForBatch()
      if case .ended = phase { return }
      throw fail(StoreError(error))
    } catch let error as StoreError {
      throw failure ?? fail(error)
    } catch {
      throw fail(StoreError(.internalCheck, "\(error)"))
    }
    try endInput()
  }

  /// Opens a file and reads all of it, unless the run is over.
  ///
  /// It is as with `importAll(from:)` and a `FileSource`, but that the run also has failed where the file
  /// cannot be opened, and is stopped where the wait for the writer of a named pipe is given up.
  ///
  /// - Precondition: an input that was given by `append` is ended; else the program ends.
  /// - Parameters:
  ///   - path: the path of a file or pipe, or `-` for standard input.
  ///   - isInterrupted: asked when a signal ends the wait for a slow pipe or its writer: whether the
  ///     run is to stop.
  /// - Throws: `StoreError` when the run cannot go on.
  public mutating func importAll(
    ofFile path: String, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(StoreError) {
    if let failure { throw failure }
    if case .ended = phase { return }
    var source: FileSource
    do {
      source = try FileSource(path: path, isInterrupted: isInterrupted)
    } catch {
      // What the resumed run had committed is what there is to tell of.
      if let resumption { continueRun(from: resumption) }
      if error.code == .interrupted { return try stopReading() }
      throw fail(StoreError(error))
    }
    try importAll(from: &source)
  }

  /// Begins an input whose bytes come through `append`; without it, `append` begins one called
  /// `bytes`.
  ///
  /// A run is resumed with all bytes of its inputs, from the first one on: the session skips those that
  /// are committed, once it has seen that they are the same.
  ///
  /// - Precondition: the input before is ended, unless its bytes were not wanted; else the program ends.
  /// - Parameters:
  ///   - name: the name of the input in reports and rejects.
  ///   - byteCount: the size of the input in bytes, if it is known.
  /// - Returns: whether the session wants the input's bytes; it does not when the run is over, or
  ///   when a run that is resumed had finished the input. They may be given all the same, and are
  ///   skipped up to `endInput`.
  /// - Throws: `StoreError` with `unfinishedRun` where an earlier import of the input has not ended,
  ///   with `cannotResume` where the run to resume had other inputs, or was given other options, with
  ///   `invalidOptions` where the name is the path of the reject file.
  @discardableResult
  public mutating func beginInput(
    named name: String, byteCount: Int? = nil
  ) throws(StoreError) -> Bool {
    if let failure { throw failure }
    switch phase {
    case .idle, .skipping: break
    case .ended: return false
    case .surveying, .reading: preconditionFailure("the input before is not ended")
    }
    do throws(StoreError) {
      return try openInput(named: name, byteCount: byteCount)
    } catch {
      throw end(with: error)
    }
  }

  private mutating func openInput(
    named name: String, byteCount: Int?
  ) throws(StoreError) -> Bool {
    // How many records the run to resume has read is known once its place is reached.
    let isAhead = resumption != nil || options.isResuming && inputCount == 0
    if hasReachedLimit, !isAhead {
      phase = .ended(.finished)
      return false
    }
    if let rejectFile = options.rejectFile {
      try RejectFile.check(rejectFile, inputName: name)
    }
    consumedByteCount = 0
    totalByteCount = byteCount
    let index = inputCount
    inputCount += 1
    if index == 0 {
      if options.isResuming { try chooseRun(beginningWith: name) }
      try checkInputNames()
    }
    if let resumption {
      return try resumeInput(named: name, index: index, byteCount: byteCount, from: resumption)
    }
    do { try resolveUnfinished(name) } catch { throw fail(error) }
    progress.begin(
      ImportReport.Input(
        name: name, pointer: options.pointer, isPointerFound: false, byteCount: byteCount))
    if let pointer = options.pointer {
      try beginReading(at: pointer)
    } else {
      beginSurvey()
    }
    prefix = []
    return true
  }

  /// Takes the next bytes of the input; drops them where the run is over: it is finished or stopped, or
  /// has read as many records as are asked for.
  ///
  /// By its first bytes an input that is compressed, or known to hold no JSON, is refused.
  ///
  /// - Parameter bytes: any number of bytes, split anywhere; nothing of them is kept by reference.
  /// - Throws: `StoreError` when the run cannot go on.
  public mutating func append(_ bytes: Span<UInt8>) throws(StoreError) {
    if let failure { throw failure }
    if case .idle = phase { try beginInput(named: "bytes") }
    consumedByteCount += bytes.count
    guard prefix != nil else { return try process(bytes) }
    let count = try holdPrefix(of: bytes)
    try process(bytes.extracting(droppingFirst: count))
  }

  /// Searches or reads the next bytes of the input.
  mutating func process(_ bytes: Span<UInt8>) throws(StoreError) {
    switch phase {
    case .surveying:
      let start = pending.count
      pending.append(copying: bytes)
      try surveyPending(from: start)
    case .reading: try read(bytes)
    case .idle, .skipping, .ended: break
    }
  }

  /// Ends the input: what is left of it is read and committed.
  ///
  /// - Throws: `StoreError` when the input is incomplete or the batch cannot be written.
  public mutating func endInput() throws(StoreError) {
    if let failure { throw failure }
    try releasePrefix()
    if case .surveying = phase {
      survey?.finish()
      try surveyPending(from: pending.count)
    }
    if case .skipping = phase { phase = .idle }
    guard case .reading = phase else { return }
    reader.finish()
    try readRecords()
    guard case .reading = phase else { return }
    noteToken()
    progress.finishedInputCount = progress.begunInputCount
    phase = .idle
    try commit()
    try waitForBatch()
  }

  /// Stops the run, as the progress closure does: the records that have come whole are committed as
  /// the last batch, and the run can be resumed with all bytes of its inputs.
  ///
  /// It is for bytes that end too early, such as those of a connection that fails: `endInput` and
  /// `finish` take their end for that of the input.
  ///
  /// - Returns: what the run did; where it had ended before, as it ended then.
  /// - Throws: `StoreError` when the last batch cannot be written.
  public mutating func stop() throws(StoreError) -> ImportReport {
    if let failure { throw failure }
    if case .ended = phase { return try finish() }
    // What the resumed run had committed is what there is to tell of.
    if let resumption { continueRun(from: resumption) }
    try stopReading()
    return try finish()
  }

  /// Ends the run; asked again it says the same.
  ///
  /// - Returns: what the run did.
  /// - Throws: `StoreError` when the last batch cannot be written, or the counters do not balance; with
  ///   `cannotResume` where the session did not come to the input that the run to resume was reading.
  public mutating func finish() throws(StoreError) -> ImportReport {
    if let finalReport { return finalReport }
    try endInput()
    // A run that goes on with one that had too many rejects may have nothing left to read.
    if case .idle = phase, let error = tooManyRejects() { throw fail(error) }
    try mergeLanded()
    if case .idle = phase, let error = missingInput() {
      throw end(with: error)
    }
    let report = report()
    guard report.counters.areBalanced else {
      throw fail(
        StoreError(
          .internalCheck,
          "the counters do not balance: "
            + report.counters.byName.map { "\($0.name) \($0.count)" }.joined(separator: ", ")))
    }
    var ending = ImportReport.Ending.finished
    if case .ended(let found) = phase { ending = found }
    if ending == .finished { try endRun() }
    phase = .ended(ending)
    var ended = self.report()
    ended.ending = ending
    finalReport = ended
    releaseStore()
    return ended
  }

  /// What a run did that an error has ended.
  ///
  /// - Returns: what is committed of it; nil if no error ended the run, or no record of it is stored.
  public func failedReport() -> ImportReport? { failureReport }

  /// Begins to search the input for its records.
  mutating func beginSurvey() {
    survey = ShapeSurvey(
      elementMarkers: [requiredMembers, [RejectLine.marker]],
      elementNames: members(at: model.attributes.map(\.source) + model.relations.map(\.source)))
    phase = .surveying
  }

  /// The names of the record's own members that a record must have, or those of its key where it
  /// must have none: by them a survey knows a record from an envelope.
  private var requiredMembers: [String] {
    let isRequiring = model.attributes.contains(where: \.isRequired)
    let attributes = model.attributes.filter {
      isRequiring ? $0.isRequired : model.key.containsExactly($0.name)
    }
    return members(at: attributes.map(\.source))
  }

  /// The names of the record's own members that sources lie in.
  private func members(at sources: [Attribute.Source]) -> [String] {
    var names: [String] = []
    for source in sources {
      if case .pointer(let tokens) = source, !names.containsExactly(tokens[0]) {
        names.append(tokens[0])
      }
    }
    return names
  }
}
