internal import JSONStreaming
package import POIFiles
public import POIRecords
internal import POISQLite

/// An import of records into a store, from sources or from bytes that the program provides.
///
/// ```swift
/// var session = try ImportSession(into: Store("poi.sqlite"), model: .poi)
/// try session.beginInput(named: "response")
/// try session.append(response.span)     // as often as bytes arrive
/// let report = try session.finish()
/// ```
///
/// Records are decoded into batches. Each batch is one transaction with its rejects, the counters and the
/// checkpoint. After every error the store holds exactly the batches committed before, and a session with
/// `isResuming` continues after them.
///
/// Memory is bounded for any size of input: two read buffers, a batch, and a second batch if a thread
/// writes (the default). `ImportOptions.RecordLimits` bounds a single record.
public struct ImportSession: ~Copyable {
  /// The number of surveyed bytes after which the progress closure is asked.
  static let surveyStepSize = 1 << 20

  let model: Model
  var options: ImportOptions
  let onProgress: ((StoreProgress) -> BatchDecision)?

  var intake: RecordIntake

  /// nil if all records are imported.
  var shardRule: ShardRule?

  var pace: BatchPace

  /// Writes the batches; nil in a dry run, while the writer thread has a batch, and after the run has
  /// ended.
  var runWriter: RunWriter?

  var dryRun: DryRun?
  var writerThread: WriterThread?

  /// The batch that the writer thread returned; it is filled next.
  var spareBatch: RecordBatch?

  /// The number of records in the batch on the writer thread.
  var pendingReadCount = 0

  /// The progress of the inputs, up to the current batch.
  var progress = InputProgress()

  /// The committed state.
  var checkpoint = ImportCheckpoint()

  /// The checkpoint to resume, until its input is reached.
  var resumption: ImportCheckpoint?
  var resumedAt: Int?

  /// Why the run cannot continue. No batch is committed after a failure: it would omit the previous one,
  /// and the run would be resumed in the wrong place.
  var failure: StoreError?

  /// The report, after the run has ended.
  var finalReport: ImportReport?

  /// The report on the committed part of a failed run.
  var failureReport: ImportReport?

  /// The greatest row id before the run if it appends, else 0.
  var lastRowBefore: Int64 = 0

  /// The keys that a snapshot without records holds; nil if it holds its records.
  var presentKeys: KeyList?

  /// Why the page of a server was not taken.
  var pageObstacle: PageObstacle?

  enum PageObstacle {
    /// The server's records have begun another life.
    case epoch(String)
    /// It has removals, for which the table must have its key.
    case removals
  }

  var repeatedKeys: (count: Int, keyCount: Int)?
  var fold: FoldedRows.Fold?
  var deduplicate: AppendedRows.Deduplication?
  var folded = FoldedRows()

  /// The unfinished runs. Their inputs cannot be read from the beginning.
  var unfinished: [UnfinishedImport] = []

  var inputCount = 0

  var reader = ElementReader(shape: .sequence)
  var phase = Phase.idle
  var survey: InputSurvey?

  /// The places below the top level at which the table's earlier inputs had their records.
  var knownPlaces: [JSONPointer] = []
  /// Where a run resumes whose columns the survey must find first.
  var resumedPosition: ReadingPosition?

  /// The first bytes of an input given by `append`, until its format is known.
  var prefix: [UInt8]?
  var consumedByteCount = 0
  var totalByteCount: Int?

  /// The number of records to merge, while they are merged.
  var landedCount: Int?

  /// What a session does with its bytes.
  enum Phase {
    case idle
    /// The input is surveyed for its records.
    case surveying
    case reading
    /// The resumed run had finished the input.
    case skipping
    /// The run has ended: the record limit is reached, or the progress closure stopped it.
    case ended(ImportReport.Ending)
  }

  /// Creates a session that writes into a store.
  ///
  /// - Parameters:
  ///   - fold: folds the rows that a delivery brings back.
  ///   - deduplicate: merges the rows that a first import appended.
  init(
    into store: Store, model: Model, options: ImportOptions, validators: [any RecordValidator],
    onProgress: ((StoreProgress) -> BatchDecision)?, foldingBy fold: @escaping FoldedRows.Fold,
    deduplicatingBy deduplicate: @escaping AppendedRows.Deduplication
  ) throws(StoreError) {
    self.init(
      model: model, options: options, validators: validators, onProgress: onProgress)
    self.fold = fold
    self.deduplicate = deduplicate
    try options.check(for: model)
    shardRule = options.shard.map { ShardRule(model, shardCount: $0.count) }
    try open(store.lease())
    if options.jobCount > 1 { try startWriterThread() }
  }

  /// Creates a dry run: a session that checks records and counts their outcomes without a store.
  ///
  /// - Throws: `StoreError` when the options do not fit together.
  public init(
    checking model: Model, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws(StoreError) {
    self.init(
      model: model, options: options, validators: validators, onProgress: onProgress)
    try options.check(for: model, isDryRun: true)
    shardRule = options.shard.map { ShardRule(model, shardCount: $0.count) }
    // Whether a row has the key is judged while merging.
    intake.acceptsPartialRecords = options.mergePolicy == .objectTrump
    dryRun = DryRun(options: options)
  }

  private init(
    model: Model, options: ImportOptions, validators: [any RecordValidator],
    onProgress: ((StoreProgress) -> BatchDecision)?
  ) {
    self.model = model
    self.options = options
    self.onProgress = onProgress
    pace = BatchPace(size: options.batchSize, clock: options.elapsed)
    intake = RecordIntake(
      model: model, limits: options.limits.readingLimits, validators: validators,
      latestTimestamp: options.maximumSkew.map { options.clock().advanced(by: $0) },
      expectedBatchSize: pace.limit)
  }

  // MARK: Inputs

  /// Reads a whole source, from its first byte if it can be restarted, else from its current position.
  ///
  /// A resuming session skips the sources that the run had finished. If the run has ended, the source is
  /// not read.
  ///
  /// - Precondition: an input that was given by `append` is ended; else the program ends.
  /// - Throws: `StoreError` when the run cannot go on; a session that has failed throws the same again.
  package mutating func importAll<Source: ByteSource & ~Copyable>(
    from source: inout Source
  ) throws(StoreError) {
    guard try beginInput(named: source.name, byteCount: source.totalByteCount) else {
      return try endInput()
    }
    progress.input?.omittedColumns = source.omittedColumns
    prefix = nil
    do {
      try readBeginning(of: &source)
      if case .surveying = phase, try source.restart() { try surveyAll(of: &source) }
      if case .ended = phase { return }
      while true {
        let count =
          try survey?.read(from: &source)
          ?? reader.fill { (output) throws(InputError) in try source.read(into: &output) }
        consumedByteCount = source.consumedByteCount
        if count == 0 {
          if var version = source.version {
            version.address = RunRecord.key(ofAddress: version.address, model, options)
            progress.input?.version = version
          }
          // The end of input may be caused by the signal that stops the run, so the closure is asked first.
          if try isAskedToStop() { return }
          break
        }
        if survey == nil { try readRecords() } else { try readSurveyed() }
        if case .ended = phase { return }
      }
    } catch let error as InputError {
      if error.code == .interrupted { return try stopReading() }
      // The run may have ended at the previous batch.
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

  /// Opens a file and reads all of it, unless the run has ended.
  ///
  /// Like `importAll(from:)` with a `FileSource`. In addition the run fails if the file cannot be opened,
  /// and stops if the wait for the writer of a named pipe is interrupted.
  ///
  /// - Precondition: an input that was given by `append` is ended; else the program ends.
  /// - Parameters:
  ///   - path: the path of a file or pipe, or `-` for standard input.
  ///   - isInterrupted: asked when a signal interrupts the wait for a slow pipe or its writer; returns
  ///     whether the run stops.
  /// - Throws: `StoreError` when the run cannot go on.
  package mutating func importAll(
    ofFile path: String, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(StoreError) {
    if let failure { throw failure }
    if case .ended = phase { return }
    var source: FileSource
    do {
      source = try FileSource(
        path: path, encoding: options.encoding, isInterrupted: isInterrupted)
    } catch {
      // The report shows what the resumed run had committed.
      if let resumption { continueRun(from: resumption) }
      if error.code == .interrupted { return try stopReading() }
      throw fail(StoreError(error))
    }
    try importAll(from: &source)
  }

  /// Begins an input whose bytes are given by `append`. Without it, `append` begins an input called
  /// `bytes`.
  ///
  /// A run is resumed with all bytes of its inputs from the first one on. The session compares the
  /// committed ones and skips them.
  ///
  /// - Precondition: the input before is ended, unless its bytes were not wanted; else the program ends.
  /// - Parameters:
  ///   - name: the name of the input in reports and rejects.
  ///   - byteCount: the size of the input in bytes, if known.
  /// - Returns: whether the session needs the input's bytes. It does not if the run has ended, or if the
  ///   resumed run had finished the input. Bytes given nevertheless are skipped up to `endInput`.
  /// - Throws: `StoreError` with `unfinishedRun` if an earlier import of the input is unfinished, with
  ///   `cannotResume` if the run to resume had other inputs or options, with `invalidOptions` if the name
  ///   is the path of the reject file.
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

  private mutating func openInput(named name: String, byteCount: Int?) throws(StoreError) -> Bool {
    // The count of a run to resume is known after its position is reached.
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
    } else if index < options.foundPlaces.count, let place = options.foundPlaces[index],
      !place.isEmpty
    {
      try beginReading(atFound: place)
    } else if options.areInputsRecords, knownPlaces.isEmpty {
      try beginReading(at: nil)
    } else {
      beginSurvey()
    }
    prefix = []
    return true
  }

  /// Reads the next bytes of the input. They are dropped if the run has ended: it is finished or stopped,
  /// or the record limit is reached.
  ///
  /// An input whose first bytes show that it is compressed, or neither JSON nor delimited text, is refused.
  ///
  /// - Parameter bytes: any number of bytes, split anywhere; the session keeps no reference to them.
  /// - Throws: `StoreError` when the run cannot go on.
  public mutating func append(_ bytes: Span<UInt8>) throws(StoreError) {
    if let failure { throw failure }
    if case .idle = phase { try beginInput(named: "bytes") }
    consumedByteCount += bytes.count
    guard prefix != nil else { return try process(bytes) }
    let count = try holdPrefix(of: bytes)
    try process(bytes.extracting(droppingFirst: count))
  }

  mutating func process(_ bytes: Span<UInt8>) throws(StoreError) {
    switch phase {
    case .surveying:
      survey?.append(bytes)
      try readSurveyed()
    case .reading: try read(bytes)
    case .idle, .skipping, .ended: break
    }
  }

  /// Ends the input: the rest of it is read and committed.
  ///
  /// - Throws: `StoreError` when the input is incomplete or the batch cannot be written.
  public mutating func endInput() throws(StoreError) {
    if let failure { throw failure }
    try releasePrefix()
    if case .surveying = phase {
      survey?.finish()
      try readSurveyed()
    }
    if case .skipping = phase { phase = .idle }
    guard case .reading = phase else { return }
    reader.finish()
    try readRecords()
    guard case .reading = phase else { return }
    noteToken()
    if let page = options.page, try isHeldUp(page) { return }
    progress.finishedInputCount = progress.begunInputCount
    phase = .idle
    try writeBatch()
    try waitForBatch()
  }

  /// Whether the page of a server cannot be taken. Then nothing of it is stored.
  private mutating func isHeldUp(_ page: ImportOptions.ServerPage) throws(StoreError) -> Bool {
    guard case .page(let known, _) = page else { return false }
    guard let epoch = companion, !epoch.isEmpty, progress.input?.token != nil else {
      throw fail(
        StoreError(
          .unreadable,
          "\(inputName): the server's answer lacks a text \"checkpoint\" or \"epoch\" beside its \"documents\""
        ))
    }
    if epoch != known {
      pageObstacle = .epoch(epoch)
    } else if checkpoint.policy == .append,
      (0..<intake.batch.recordCount).contains(where: { intake.batch.origins[$0].isDeletion })
    {
      pageObstacle = .removals
    } else {
      return false
    }
    phase = .ended(.stopped)
    return true
  }

  /// Stops the run like the progress closure. Complete records are committed as the last batch, and the run
  /// can be resumed with all bytes of its inputs.
  ///
  /// Use it if bytes end too early, for example if a connection fails: `endInput` and `finish` treat the
  /// end of the bytes as the end of the input.
  ///
  /// - Returns: the report on the run; if it had ended before, the same report as then.
  /// - Throws: `StoreError` when the last batch cannot be written.
  public mutating func stop() throws(StoreError) -> ImportReport {
    if let failure { throw failure }
    if case .ended = phase { return try finish() }
    // The report shows what the resumed run had committed.
    if let resumption { continueRun(from: resumption) }
    try stopReading()
    return try finish()
  }

  /// Ends the run. A second call returns the same report.
  ///
  /// - Returns: the report on the run.
  /// - Throws: `StoreError` when the last batch cannot be written, or the counters do not balance; with
  ///   `cannotResume` if the session did not reach the input that the run to resume was reading.
  public mutating func finish() throws(StoreError) -> ImportReport {
    if let finalReport { return finalReport }
    try endInput()
    // A resumed run that has too many rejects may have no input left.
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

  /// The report on a run that an error ended.
  ///
  /// - Returns: the committed part; nil if no error ended the run, or no record of it is stored.
  public func failedReport() -> ImportReport? { failureReport }

  /// What the model would have to accept so that the records fit that were rejected up to now.
  package var misfits: Misfits { intake.misfits }

  /// Expects the records of an input at the places of earlier ones; a place at the top level is ignored.
  package mutating func expectRecords(at places: Set<String>) {
    knownPlaces = places.sorted().filter { !$0.isEmpty }
      .compactMap { try? JSONPointer(parsingPattern: $0) }
  }

  mutating func beginSurvey() {
    survey = InputSurvey(of: inputName, by: detector)
    phase = .surveying
  }

  var detector: ShapeDetector {
    let elementNames = members(
      at: model.attributes.map(\.source) + model.relations.map(\.source))
    return ShapeDetector(
      elementMarkers: [requiredMembers, [RejectLine.marker]],
      elementNames: elementNames,
      knownPlaces: knownPlaces.filter { !elementNames.containsExactly($0.tokens[0]) },
      hasHeader: options.hasHeader, delimiter: options.delimiter?.asciiValue)
  }

  /// The names of the members that a record must have, or the members of its key if all are optional. By
  /// them the detector distinguishes a record from an envelope.
  private var requiredMembers: [String] {
    let isRequiring = model.attributes.contains(where: \.isRequired)
    let attributes = model.attributes.filter {
      isRequiring ? $0.isRequired : model.key.containsExactly($0.name)
    }
    return members(at: attributes.map(\.source))
  }

  /// The names of the members that contain sources.
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
