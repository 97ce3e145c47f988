internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Writes the batches of a run: rows, rejects, counters and checkpoint in one transaction each.
///
/// It owns the lease of the store, and moves with each batch to the writer thread and back. So only one
/// thread at a time uses both.
struct RunWriter: ~Copyable {
  /// The run in the store; nil before its first batch.
  private(set) var runID: Int64?

  /// Whether the store holds the run as finished.
  private var hasEnded = false

  private let model: Model
  private let options: ImportOptions

  var policy = MergePolicy.append
  var ties = TieRule.digest

  /// Whether records become rows, and duplicates are removed at the end.
  var appends = false

  /// The inputs that were begun up to the last batch, in order.
  private(set) var inputs: [ImportReport.Input] = []

  /// The state of the table when the session was opened.
  private let table: ImportedTable

  /// The number of rows that a snapshot can remove; nil if the run is not a snapshot or was begun earlier.
  var removableRowCount: Int?

  /// The version of the database at the beginning of the run. It is nil for a resumed run, because other
  /// programs may have changed the table meanwhile.
  private var versionBeforeRun: Int64?

  /// Whether a resumed run had read all of its inputs, so that its last batch may have stored no token.
  private var mayLackToken = false

  /// The number of batches that the run had committed when it was resumed.
  private var generation: Int64 = 0
  private var writer: Boxed<BatchWriter>?
  private var rejectLog: RejectLog

  /// The order of a source's records; nil if the model defines none.
  private let order: RecordOrder?

  /// The target of the records. It is the last property, so that it outlives the writer's statements.
  private let store: Store.Lease

  init(store: consuming Store.Lease, table: ImportedTable, model: Model, options: ImportOptions) {
    self.store = store
    self.table = table
    self.model = model
    self.options = options
    rejectLog = RejectLog(path: options.rejectFile)
    order = RecordOrder(model)
  }

  /// Continues a run instead of beginning one.
  mutating func resume(_ run: UnfinishedImport) {
    runID = run.id
    generation = run.generation
    inputs = run.inputs
    mayLackToken =
      run.checkpoint.map { $0.progress.finishedInputCount == run.inputs.count } ?? false
  }

  /// Refuses to resume a snapshot after one that removed nothing.
  func checkEarlierSnapshots(before run: Int64) throws(StoreError) {
    do {
      try store.checkEarlierSnapshots(of: model, before: run, limit: options.removalLimit)
    } catch {
      throw StoreError(converting: error, path: store.path)
    }
  }

  /// The digest of the table before the run.
  mutating func digestBeforeRun() throws -> Digest {
    // Records with edited related rows get their times, which the run does not count.
    if let log = table.log { try store.connection.inTransaction { try log.expand() } }
    versionBeforeRun = try store.connection.dataVersion()
    return try store.digestBeforeImport(of: model)
  }

  /// The digest of the table after the run. It is remembered, so that the next import or deduplication need
  /// not compute it.
  ///
  /// - Parameter checkpoint: the last checkpoint, with the digest that the run counted.
  mutating func digestAfterRun(_ checkpoint: ImportCheckpoint) throws(StoreError) -> Digest {
    do {
      return try store.digestAfterImport(
        countedAs: checkpoint.digest, of: model, since: versionBeforeRun)
    } catch {
      throw markFailed(error, checkpoint)
    }
  }

  /// Folds the rows that a delivery brought back.
  func foldReturnedRows(by fold: FoldedRows.Fold) throws(StoreError) -> FoldedRows {
    guard let runID, policy != .append, !model.key.isEmpty, options.page == nil else {
      return FoldedRows()
    }
    let snapshot =
      options.isSnapshot ? SnapshotTable(ofRun: runID, in: store.connection) : nil
    do {
      var folded = try fold(store, model, snapshot, options.clock)
      // Also what was folded before this import was killed at its end.
      folded.count = try FoldedRows.count(in: model.table, since: runID, of: store.connection)
      return folded
    } catch {
      throw StoreError(converting: error, path: store.path)
    }
  }

  /// Removes the duplicates among the rows that a first import appended, and enforces the key.
  ///
  /// - Returns: the checkpoint with the counters and the digest that merging each record would have given.
  mutating func deduplicate(
    after checkpoint: ImportCheckpoint, by deduplicate: AppendedRows.Deduplication
  ) throws(StoreError) -> ImportCheckpoint {
    var next = checkpoint
    do {
      if writer == nil, runID != nil {
        try begin()
        try writer?.value.commit()
      }
      let (writer, connection) = (writer, store.connection)
      let boundary = checkpoint.appending?.boundary ?? 0
      next.digest = try deduplicate(store, model, ties, boundary, options.clock) { outcomes in
        // A deduplication that begins again finds fewer rows.
        guard next.appending?.isCounted == false else { return }
        next.count(outcomes)
        try connection.inTransaction(.immediate) {
          guard try writer?.value.writeCheckpoint(next.json.description) != false else {
            throw RunWriter.drivenByOther(connection.path)
          }
        }
      }
      return next
    } catch {
      throw markFailed(error, next)
    }
  }

  /// Writes a batch and clears it.
  ///
  /// - Parameters:
  ///   - progress: the progress of the inputs at the end of the batch.
  ///   - checkpoint: the checkpoint before the batch.
  /// - Returns: the checkpoint after the batch. If only the reject file could not be written,
  ///   `rejectFileError` is set.
  /// - Throws: `StoreError`; the batch is not committed then.
  mutating func write(
    _ batch: inout RecordBatch, _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) throws(StoreError) -> ImportCheckpoint {
    try openRejectFile()
    let next: ImportCheckpoint
    do {
      next = try writeInTransaction(&batch, progress, onto: checkpoint)
    } catch {
      throw markFailed(error, checkpoint)
    }
    progress.note(in: &inputs)
    rejectLog.write(batch, InputNames(progress))
    batch.removeAll()
    return next
  }

  /// Converts an error, after an attempt to mark the run as failed.
  private mutating func markFailed(_ error: any Error, _ checkpoint: ImportCheckpoint) -> StoreError
  {
    let cause = RunWriter.cause(of: error)
    // A lock was waited for already; a second wait is useless.
    if cause?.isBusy != true { try? writeEnd(.failed, checkpoint) }
    if let cause { return StoreError(cause, path: store.path, resumes: isUnfinished) }
    return StoreError(converting: error, path: store.path)
  }

  private static func cause(of error: any Error) -> SQLiteError? {
    switch error {
    case let error as SQLiteError: error
    case let error as StoreError: error.cause
    default: nil
    }
  }

  /// The inputs of earlier imports, if this one adds its records beside theirs because no policy was chosen.
  func inputsOfEarlierImports() throws -> [ExactText: [Int: Int64]] {
    guard policy == .append, options.mergePolicy == nil, !options.isResuming else { return [:] }
    return try RunRecord.importedInputs(of: model.table, in: store.connection)
  }

  var isUnfinished: Bool { runID != nil && !hasEnded }

  private static func drivenByOther(_ path: String) -> StoreError {
    StoreError(
      .changedByOther,
      "\(path): another process continued this import or began it again; its batches are kept, "
        + "this one's last is not")
  }

  /// Writes a batch that was read, and returns the checkpoint after it.
  private mutating func writeInTransaction(
    _ batch: inout RecordBatch, _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) throws -> ImportCheckpoint {
    let next = try inTransaction { (run) throws in
      let lands = run.lands(progress, checkpoint)
      if lands {
        try run.land(batch, input: progress.begunInputCount - 1)
      } else {
        try run.writeRows(of: &batch, InputNames(progress))
      }
      var next = checkpoint.advanced(by: batch, progress, isLanded: lands)
      if let highest = run.order?.latest(of: batch),
        checkpoint.highest.map({ $0 < highest }) ?? true
      {
        next.highest = highest
      }
      // The token of landed records is stored after the merge, and some at the end of the run. If
      // the reject limit ends the run, the old token is kept so that the data can be requested again.
      if let page = run.options.page {
        if case .page(let epoch, let removalLimit) = page {
          next.counters.removed += try run.writer?.value.removedRowCount(atMost: removalLimit) ?? 0
          try ServerLink(table: run.model.table, connection: run.store.connection)
            .keep(epoch: epoch, checkpoint: progress.input?.token)
        }
      } else if progress.finishedInputCount > checkpoint.progress.finishedInputCount, !lands,
        !run.options.keepsTokenAtEnd, !run.options.exceedsRejectLimit(next.counters)
      {
        try run.store.keep(run.token(progress.input?.token, of: next))
      }
      try run.writer?.value.insertRejects(of: batch, InputNames(progress))
      if let input = progress.input, !progress.isNoted(in: run.inputs) {
        try run.writer?.value.write(input, number: progress.begunInputCount)
      }
      return next
    }
    return next ?? checkpoint
  }

  /// Runs `body` inside a transaction that also writes the checkpoint it returns. If it returns nil, the
  /// transaction is rolled back.
  private mutating func inTransaction(
    _ body: (inout RunWriter) throws -> ImportCheckpoint?
  ) throws -> ImportCheckpoint? {
    let isFirst = runID == nil
    do {
      try begin()
      guard let next = try body(&self) else {
        writer?.value.rollBack()
        return nil
      }
      guard try writer?.value.writeCheckpoint(next.json.description) == true else {
        throw RunWriter.drivenByOther(store.path)
      }
      try writer?.value.commit()
      return next
    } catch {
      store.connection.rollback()
      // The rollback also removed the run and the tables made for it.
      if isFirst {
        writer = nil
        runID = nil
      }
      throw error
    }
  }

  /// Begins a transaction. The first one also begins the run, so that each stored run has a batch.
  private mutating func begin() throws {
    guard writer == nil else {
      if try writer?.value.begin() == true {
        try checkOwnership()
        let table = try currentTable()
        try writer?.value.follow(table)
      }
      return
    }
    try store.connection.begin(.immediate)
    do {
      try beginRun()
    } catch {
      store.connection.rollback()
      throw error
    }
  }

  /// Checks that no other process has continued or ended the run. The checkpoint would detect it only at
  /// the end of the batch, but tables of the run may be missing before.
  private func checkOwnership() throws {
    guard try writer?.value.ownsRun() == true else {
      throw RunWriter.drivenByOther(store.path)
    }
  }

  /// The table as it is now. The statements and the merge policy were chosen when the session was opened.
  ///
  /// - Throws: `StoreError` with `changedByOther` if another program has changed the table incompatibly.
  private func currentTable() throws -> ImportedTable {
    guard try store.connection.dataVersion() != table.version else { return table }
    let current = try ImportedTable(of: model, in: store.connection)
    guard let obstacle = current.obstacle(since: table) else { return current }
    let isFirst = runID == nil
    throw StoreError(
      .changedByOther,
      "\(store.path): \(obstacle.message); "
        + (isFirst ? "nothing of it is stored: import again" : "the batches before are kept"),
      advice: isFirst ? [] : [obstacle.advice])
  }

  private func token(_ serverToken: String?, of checkpoint: ImportCheckpoint) -> SourceToken {
    SourceToken(
      table: model.table, source: options.source, highest: checkpoint.highest,
      serverToken: serverToken)
  }

  /// The token after the inputs that a checkpoint has completed.
  private func lastToken(of checkpoint: ImportCheckpoint) -> SourceToken {
    let found = inputs.prefix(checkpoint.progress.finishedInputCount).compactMap(\.token)
    return token(options.nextPointer == nil ? found.last : found.first, of: checkpoint)
  }

  /// - Parameter first: the first record to write.
  private mutating func writeRows(
    of batch: inout RecordBatch, from first: Int = 0, _ names: InputNames,
    targets: [MergeTarget] = []
  ) throws {
    let conflicts = try writer?.value.writeRows(of: &batch, from: first, names, targets: targets)
    guard let conflicts, !conflicts.isEmpty else { return }
    throw StoreError(.conflict, conflicts.message(store: store.path, table: model.table))
  }

  /// Why the rejects of the last, committed batch could not be written to their file.
  var rejectFileError: StoreError? {
    guard let error = rejectLog.error else { return nil }
    return remediable(error)
  }

  /// Creates the reject file before the first batch. A resumed run rewrites it from the table.
  mutating func openRejectFile() throws(StoreError) {
    guard try rejectLog.open(besideStoreAt: store.path), let runID else { return }
    try rejectLog.write(rejectsOf: runID, in: store.connection, storePath: store.path)
  }

  /// See `Store.Lease.repeatedKeys`.
  func keys(
    of model: Model, alreadyBefore row: Int64
  ) throws(StoreError) -> (count: Int, keyCount: Int)? {
    do {
      return try store.repeatedKeys(of: model, behind: row)
    } catch {
      throw StoreError(converting: error, path: store.path)
    }
  }

  /// Writes the reject file to the disk; then the run can end.
  mutating func syncRejects() throws(StoreError) {
    do { try rejectLog.sync() } catch { throw remediable(error) }
  }

  /// Adds to an error of the reject file where the rejects are, and how to continue.
  private func remediable(_ error: StoreError) -> StoreError {
    var error = error
    error.message += "; the store's table poikit_reject holds the rejects as well"
    if isUnfinished { error.advice.append(.resume) }
    return error
  }

  private var summary: JSONValue {
    .object([
      "batch": .number(options.batchSize), "at": .string(options.pointer),
      "limit": .number(options.recordLimit),
      "merge": .string(policy.rawValue), "ties": .string(ties.rawValue),
      "snapshot": .bool(options.isSnapshot),
      "source": .string(options.source), "shard": .string(options.shard?.notation),
      "rows": .number(removableRowCount), "maxRemovals": .string(options.removalLimit?.notation),
      // The rows that a snapshot removes can be restored, like the losers of a deduplication.
      "archive": options.isSnapshot ? .bool(true) : .null,
    ])
  }

  /// Begins or continues the run in the store, inside a transaction.
  private mutating func beginRun() throws {
    let table = try currentTable()
    try store.forgetDigest(of: model)
    if runID == nil {
      runID = try beginRun(at: options.clock())
    }
    guard let runID else { return }
    writer = Boxed(
      try BatchWriter(
        table, runID: runID, generation: generation, policy: appends ? .append : policy, ties: ties,
        options,
        connection: store.connection))
  }

  private func beginRun(at start: Instant) throws -> Int64 {
    try RunRecord.begin(
      tool: RunRecord.importTool, table: model.table, started: start, options: summary,
      in: store.connection)
  }

  // MARK: Landing

  /// Whether a batch lands, to be merged when all records are read.
  ///
  /// Few records are merged directly, and records that come in the order of the rows. If an input is known to be
  /// large, its other records land; if its size is unknown, those beyond a number. Seconds of processor time of a C program for a
  /// store of 1,000,000 places, directly and by landing: 0.16 and 0.23 for 2,000 records, 0.48 and 0.44 for
  /// 20,000, 0.98 and 0.63 for 50,000.
  private func lands(_ progress: InputProgress, _ checkpoint: ImportCheckpoint) -> Bool {
    guard !appends, policy != .append, policy != .error else { return false }
    if checkpoint.landing != nil { return true }
    let isLarge =
      checkpoint.counters.read >= options.directRecordLimit
      || progress.byteCount.map { $0 > options.directByteLimit } ?? false
    return isLarge && writer?.value.followsRows != true
  }

  private mutating func land(_ batch: borrowing RecordBatch, input: Int) throws {
    try writer?.value.land(batch, input: input)
  }

  /// Prepares the merge of the landed records.
  ///
  /// - Parameter checkpoint: the last checkpoint; its boundary is set.
  mutating func beginMerge(
    _ checkpoint: inout ImportCheckpoint
  ) throws(StoreError) -> LandingMerge? {
    try openRejectFile()
    guard let runID else { return nil }
    do {
      if writer == nil {
        try begin()
        try writer?.value.commit()
      }
      guard let key = writer?.value.key else { throw LandingTable.damage }
      // Landed records may meet rows that reuse the ids of rows deleted before.
      _ = writer?.value.resetDeletedRowIDs()
      if checkpoint.landing?.boundary == nil {
        let table = SQL(name: model.table)
        checkpoint.landing?.boundary =
          try store.connection.integer("SELECT max(\(StoreSchema.idColumn)) FROM \(table)") ?? 0
      }
      // The table is missing if a run was killed after its last batch.
      try LandingTable.make(ofRun: runID, in: store.connection)
      return try LandingMerge(
        ofRun: runID, inputCount: inputs.count, into: model.table, key: key,
        upTo: checkpoint.landing?.boundary ?? 0, in: store.connection)
    } catch {
      throw markFailed(error, checkpoint)
    }
  }

  /// Merges the next landed records in one transaction. If there are no more, removes the landing table.
  ///
  /// - Parameter pace: decides when the transaction ends.
  /// - Returns: the checkpoint after it.
  mutating func writeNext(
    of merge: inout LandingMerge, by batch: inout RecordBatch, onto checkpoint: ImportCheckpoint,
    at pace: BatchPace
  ) throws(StoreError) -> ImportCheckpoint {
    let names = InputNames(ofLanded: inputs)
    do {
      let next = try inTransaction { (run) throws -> ImportCheckpoint? in
        // Inside the transaction, so that reads need no locks of their own.
        merge.beginBatch()
        repeat {
          let first = batch.recordCount
          let count = pace.nextRecordCount(after: first)
          guard try run.fill(&batch, from: &merge, count: count) else { break }
          guard batch.recordCount <= checkpoint.counters.landed else { throw LandingTable.damage }
          try run.writeRows(
            of: &batch, from: first, names, targets: merge.targetsOfBatch)
          try merge.rememberRemovals(run.writer?.value.resetDeletedRowIDs() ?? [])
        } while batch.recordCount < pace.limit && batch.byteCount < run.options.batchByteLimit
          && !pace.isDue(batch.recordCount)
        guard batch.recordCount > 0 else { return nil }
        try merge.noteBatch()
        try run.writer?.value.insertRejects(of: batch, names)
        return checkpoint.advanced(byMerging: batch)
      }
      guard let next else { return try finishMerge(checkpoint) }
      rejectLog.write(batch, names)
      batch.removeAll()
      return next
    } catch {
      throw markFailed(error, checkpoint)
    }
  }

  private func fill(
    _ batch: inout RecordBatch, from merge: inout LandingMerge, count: Int
  ) throws -> Bool {
    try merge.fill(&batch, count: count, byteLimit: options.batchByteLimit)
  }

  /// Removes the landing table, and clears it in the checkpoint.
  ///
  /// The table is dropped before, in its own transaction: SQLite would otherwise write a copy of each of
  /// its pages. A run that is killed between the two has no records left to merge.
  private mutating func finishMerge(_ checkpoint: ImportCheckpoint) throws -> ImportCheckpoint {
    guard checkpoint.counters.landed == 0 else { throw LandingTable.damage }
    if let runID { try LandingTable.remove(ofRun: runID, in: store.connection) }
    var next = checkpoint
    next.landing = nil
    _ = try inTransaction { (run) throws -> ImportCheckpoint? in
      if next.progress.finishedInputCount > 0, !run.options.keepsTokenAtEnd {
        try run.store.keep(run.lastToken(of: next))
      }
      return next
    }
    return next
  }

  /// Ends a run that was read to its end, if it has begun.
  ///
  /// - Parameter isRefused: whether it is a snapshot whose removals were refused.
  mutating func endRun(_ checkpoint: ImportCheckpoint, isRefused: Bool = false) throws(StoreError) {
    guard runID != nil else { return }
    do {
      try writeEnd(.finished, checkpoint, isRefused: isRefused)
      hasEnded = true
    } catch {
      throw markFailed(error, checkpoint)
    }
  }

  /// Marks the run as failed if the store allows it and the run has begun.
  mutating func failRun(_ checkpoint: ImportCheckpoint) {
    guard runID != nil else { return }
    try? writeEnd(.failed, checkpoint)
  }

  /// Whether another process has committed batches of the run since this session's last one.
  private mutating func isContinuedElsewhere() throws -> Bool {
    guard let runID else { return false }
    let known = writer?.value.generation ?? generation
    let committed = try store.connection.integer(
      "SELECT generation FROM main.poikit_checkpoint WHERE run = \(runID)")
    return committed.map { $0 > known } ?? false
  }

  /// Ends the run. If its first batch failed, it is stored only now.
  private mutating func writeEnd(
    _ state: RunRecord.State, _ checkpoint: ImportCheckpoint, isRefused: Bool = false
  ) throws {
    if state == .failed, try isContinuedElsewhere() { return }
    let connection = store.connection
    let end = options.clock()
    try connection.withoutWaitingForDisk {
      try connection.inTransaction(.immediate) {
        if state == .finished, mayLackToken || options.keepsTokenAtEnd, !isRefused {
          try store.keep(lastToken(of: checkpoint))
        }
        let run = try runID ?? beginRun(at: end)
        if state == .finished { try RunRecord.note(inputs, ofRun: run, in: connection) }
        try RunRecord.end(
          run, state, at: end, counters: checkpoint.countersJSON(isRefused: isRefused),
          in: connection)
      }
    }
    try connection.syncToDisk()
  }

  /// Removes the rows that the snapshot lacks and ends the run, in one transaction.
  mutating func endSnapshot(
    _ checkpoint: ImportCheckpoint, holding keys: KeyList?
  ) throws(StoreError) -> SnapshotOutcome? {
    guard let runID else { return nil }
    do {
      let outcome = try store.endSnapshot(
        of: model, run: runID, checkpoint,
        limit: options.removalLimit ?? ImportOptions.defaultRemovalLimit, ended: options.clock(),
        holding: keys, of: inputs, keeping: lastToken(of: checkpoint))
      if case .done = outcome { hasEnded = true }
      return outcome
    } catch let error as StoreFailure {
      throw markFailed(
        StoreError(
          .snapshotRefused,
          "\(store.path): \(error.message); no rows are removed until this is fixed",
          advice: .resume),
        checkpoint)
    } catch {
      throw markFailed(error, checkpoint)
    }
  }

  /// Abandons an unfinished run. The rows that it committed stay.
  mutating func abandonRun(_ id: Int64) throws(StoreError) {
    do {
      try RunRecord.abandon(id, in: store.connection)
    } catch {
      throw StoreError(converting: error, path: store.path)
    }
  }
}
