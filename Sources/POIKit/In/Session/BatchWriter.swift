internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Writes batches into a model's tables. One transaction has the rows, rejects, counters and checkpoint of a
/// batch.
///
/// The statements are prepared once for the run.
struct BatchWriter: ~Copyable {
  private let connection: Connection
  private let runID: Int64

  /// The number of committed batches of the run, including this writer's last one.
  private(set) var generation: Int64
  private var rows: RowWriter
  private var merger: MergeWriter?
  private var tombstones: TombstoneWriter?
  private var snapshot: SnapshotWriter?

  /// The local changes of a tracked table.
  private var locals: LocalChanges?

  /// The local changes of a table whose server sends the records.
  private let changes: VersionedChanges?

  /// Whether a row with local changes stays. In a table with a server the winner rule decides.
  private let keepsLocals: Bool

  /// Whether a table of the store is tracked: then triggers are told what to make of what the batches write.
  private var isLogged: Bool

  private let ownWrites: OwnWrites

  /// Whether the records come from the server of the table.
  private let isServed: Bool

  /// Whether triggers are left out, because no others fire. They would log nothing, but cost more than the rows.
  private var omitsTriggers = false

  /// Whether the changes up to this transaction are known.
  private var knowsLocals = false

  /// The model of a snapshot, whose rows are noted; nil in other imports.
  private let snapshotModel: Model?

  let key: EnforcedKey?
  private var landing: LandingWriter?
  private var rejection: Statement
  private var checkpoint: Statement
  private var input: Statement

  /// The version of the database to which the remembered row ids belong.
  private var version: Int64
  private var versionReading: Statement
  private var beginning: Statement
  private var ending: Statement
  private var cancelling: Statement
  private let savepoint: RecordSavepoint

  /// Creates a writer, inside the transaction of its first batch.
  ///
  /// - Parameters:
  ///   - imported: the table, read in this transaction or unchanged since.
  ///   - runID: the run in `poikit_run` that the batches belong to.
  ///   - generation: the number of committed batches of the run.
  init(
    _ imported: ImportedTable, runID: Int64, generation: Int64, policy: MergePolicy,
    ties: TieRule, _ options: ImportOptions, connection: Connection
  ) throws {
    // The initializer of a noncopyable value must do everything that can fail before it sets the first
    // property.
    let table = imported.rows
    let model = table.schema.model
    let savepoint = try RecordSavepoint(connection: connection)
    let isLogged = try OwnWrites.matter(in: connection)
    let isServed = model.versionSlot != nil
    let ownWrites =
      try isServed ? .unlogged : ServerLink.ownWrites(to: model.table, in: connection)
    let omitsTriggers =
      try isLogged && ownWrites == .unlogged && ChangeTriggers.areAlone(on: model, in: connection)
    if omitsTriggers { connection.prepareTriggers(false) }
    defer { connection.prepareTriggers(true) }
    let rows = try RowWriter(table, savepoint: savepoint, connection: connection)
    let merger = try MergeWriter(
      policy, ties: ties, choosePolicy: options.choosePolicy, table,
      windowBlockSize: options.directRecordLimit > 0 ? options.windowBlockSize : 0,
      connection: connection)
    let tombstones = try TombstoneWriter(model, ties: ties, connection: connection)
    let changes =
      isServed && merger != nil ? try imported.log.map { try VersionedChanges($0) } : nil
    let locals = try changes?.locals ?? imported.log.map { try LocalChanges($0) }
    let rejection = try connection.prepare(
      """
      INSERT INTO poikit_reject
        (run, input, record, byte_offset, line, "column", rule, attribute, message, issues,
         member, raw)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    let checkpoint = try connection.prepare(
      """
      INSERT INTO poikit_checkpoint (run, generation, state)
      SELECT ?1, ?2, ?3 WHERE ?2 = 1 OR ?1 IN (SELECT run FROM poikit_checkpoint)
      ON CONFLICT (run) DO UPDATE SET state = excluded.state, generation = excluded.generation
        WHERE generation = excluded.generation - 1
      """)
    let input = try InputTable.writing(in: connection)
    let versionReading = try connection.prepare("PRAGMA data_version")
    let beginning = try connection.prepare("BEGIN IMMEDIATE")
    let ending = try connection.prepare("COMMIT")
    let cancelling = try connection.prepare("ROLLBACK")
    self.connection = connection
    self.runID = runID
    self.generation = generation
    self.rows = rows
    self.merger = merger
    self.tombstones = tombstones
    self.locals = locals
    self.changes = changes
    self.ownWrites = ownWrites
    self.isServed = isServed
    keepsLocals = ownWrites == .unlogged
    self.isLogged = isLogged
    self.omitsTriggers = omitsTriggers
    key = table.key
    snapshotModel = options.isSnapshot ? model : nil
    self.rejection = rejection
    self.checkpoint = checkpoint
    self.input = input
    version = imported.version
    self.versionReading = versionReading
    self.beginning = beginning
    self.ending = ending
    self.cancelling = cancelling
    self.savepoint = savepoint
  }

  /// Begins the transaction of a batch.
  ///
  /// - Returns: whether other programs have changed the database since the last batch.
  mutating func begin() throws -> Bool {
    try beginning.run()
    guard try versionReading.step() else { return false }
    let current = versionReading.integer(0)
    try versionReading.reset()
    return current != version
  }

  /// Follows a change by another program: forgets the remembered row ids, and reads the reserved ids and what
  /// may refuse records again.
  mutating func follow(_ table: ImportedTable) throws {
    isLogged = try OwnWrites.matter(in: connection)
    omitsTriggers =
      try isLogged && ownWrites == .unlogged
      && ChangeTriggers.areAlone(on: table.rows.schema.model, in: connection)
    if omitsTriggers { connection.prepareTriggers(false) }
    defer { connection.prepareTriggers(true) }
    rows = try RowWriter(table.rows, savepoint: savepoint, connection: connection)
    merger?.follow(table.rows.facts)
    version = table.version
    knowsLocals = false
  }

  /// Whether records meet the rows in their order; see `RowWindow`.
  var followsRows: Bool {
    mutating get { merger?.followsRows ?? false }
  }

  /// Whether this writer committed the last batch of the run. If not, another process continues or has ended
  /// the run.
  func ownsRun() throws -> Bool {
    let committed = try connection.integer(
      "SELECT generation FROM main.poikit_checkpoint WHERE run = \(runID)")
    return (committed ?? 0) == generation
  }

  mutating func commit() throws { try ending.run() }

  /// Rolls back the transaction of a batch, unless SQLite has done so.
  mutating func rollBack() { try? cancelling.run() }

  /// Writes the records of `batch` by the merge policy. A record that the schema refuses becomes a reject: it
  /// violates a constraint, or its values make an expression fail.
  ///
  /// Runs inside the caller's transaction. The first batch of a snapshot creates the table of its rows.
  ///
  /// - Parameters:
  ///   - first: the first record to write.
  ///   - names: the names of the inputs.
  ///   - targets: the stored row that each record probably matches; empty if unknown.
  /// - Returns: the records that match stored rows although the policy is `error`; then the caller must roll
  ///   back.
  mutating func writeRows(
    of batch: inout RecordBatch, from first: Int, _ names: InputNames, targets: [MergeTarget] = []
  ) throws -> MergeConflicts {
    if snapshot == nil, let snapshotModel {
      let table = SnapshotTable(ofRun: runID, in: connection)
      try table.prepare(for: snapshotModel.table)
      snapshot = try SnapshotWriter(table, connection: connection)
    }
    if !knowsLocals { try locals?.follow() }
    if isServed, merger == nil, locals?.exist == true {
      throw StoreFailure(
        .changedByOther,
        "a program changed the table while its first records came; nothing of this page is stored, so try again"
      )
    }
    knowsLocals = true
    if isLogged { try connection.execute(ownWrites.beginning) }
    if omitsTriggers { connection.prepareTriggers(false) }
    defer { connection.prepareTriggers(true) }
    for record in first..<batch.recordCount {
      let target = targets.isEmpty ? .next : targets[record]
      do {
        try writeWhole(record, of: &batch, names, target: target)
        if let rowID = merger?.rowID { snapshot?.note(rowID) }
      } catch let error as SQLiteError {
        // If SQLite has rolled back the whole transaction, the earlier records are gone too.
        guard beginning.isInTransaction, isRefusal(error) else { throw error }
        batch.refuse(record: record, because: error)
      }
    }
    try snapshot?.store()
    if isLogged { try connection.execute(OwnWrites.ending) }
    return merger?.resetConflicts() ?? MergeConflicts()
  }

  /// Whether the written record caused an error: a constraint violation, or an expression of an app's schema
  /// that fails for its values. SQLite then undoes the statement, unless a trigger uses another conflict
  /// clause.
  private func isRefusal(_ error: SQLiteError) -> Bool {
    if error.isConstraint { return true }
    guard rows.mayRefuse else { return false }
    return connection.canPrepareStatement(of: error)
  }

  /// Returns the rows that the removals of the last batch deleted, and forgets them.
  mutating func resetDeletedRowIDs() -> [Int64] { merger?.resetDeletedRowIDs() ?? [] }

  /// Returns the number of the rows that a page of a server deleted.
  mutating func removedRowCount(atMost limit: Int?) throws -> Int {
    let count = resetDeletedRowIDs().count
    guard count <= limit ?? .max else {
      throw StoreFailure(
        .snapshotRefused,
        "the server removed more rows than the limit allows, and nothing of this page is stored; if they are gone "
          + "indeed, begin again with a higher limit", advice: .raise(.removals))
    }
    return count
  }

  private mutating func write(
    _ record: Int, of batch: inout RecordBatch, _ names: InputNames, target: MergeTarget
  ) throws {
    if let changes {
      try merger?.take(
        record, of: &batch, names, by: &rows, target: target, changes, &tombstones!)
    } else if batch.origins[record].isDeletion {
      try remove(record, of: &batch, names, target: target)
    } else if merger == nil {
      try rows.insert(record: record, of: batch)
    } else {
      try merge(record, of: &batch, names, target: target)
    }
  }

  /// Writes all rows of a record, or no row.
  private mutating func writeWhole(
    _ record: Int, of batch: inout RecordBatch, _ names: InputNames, target: MergeTarget
  ) throws {
    // A removal may be refused after its row is deleted.
    if rows.mayRefuseInPart || merger != nil && batch.origins[record].isDeletion {
      try savepoint.open()
    }
    do {
      try write(record, of: &batch, names, target: target)
    } catch {
      if savepoint.isOpen {
        rows.forgetRows()
        try savepoint.cancel()
      }
      throw error
    }
    try savepoint.close()
  }

  /// Merges a record, unless a stored tombstone supersedes it. A row with local changes stays.
  private mutating func merge(
    _ record: Int, of batch: inout RecordBatch, _ names: InputNames, target: MergeTarget
  ) throws {
    let local = try keepsLocals ? locals?.mark(of: record, in: batch) ?? .none : .none
    let ignoresTime = local == .discard || merger?.ignoresTime == true && local != .change
    if !ignoresTime,
      try tombstones?.supersedes(record, of: batch, isLocal: local == .change) == true
    {
      if snapshot != nil { try merger?.meet(record, of: batch, by: &rows, target: target) }
      return batch.countOutcome(record: record, .stale)
    }
    let rejectCount = batch.rejects.count
    let isKept = try merger?.merge(
      record: record, of: &batch, names, by: &rows, target: target, local: local)
    if isKept == true || batch.rejects.count > rejectCount { return }
    if local != .none { try locals?.settle(record, of: batch) }
    // This comes last, because the table may refuse the record.
    if merger?.forgetsRemovals == true { try tombstones?.forget(record, of: batch) }
  }

  /// Stores a tombstone. If rows can be found by their key, deletes the row.
  private mutating func remove(
    _ record: Int, of batch: inout RecordBatch, _ names: InputNames, target: MergeTarget
  ) throws {
    let local = try keepsLocals ? locals?.mark(of: record, in: batch) ?? .none : .none
    let outcome = try merger?.remove(
      record: record, of: &batch, names, by: &rows, target: target, local: local)
    if local != .none, outcome == .removal { try locals?.settle(record, of: batch) }
    // A removal older than the row is stored too: it counts once the row is gone.
    guard [.removal, .stale].contains(outcome ?? .removal) else { return }
    try tombstones?.remember(record, of: batch)
    if outcome == nil { batch.countOutcome(record: record, .removal) }
  }

  /// Appends the records of `batch` to the landing table of the run, and creates the table for the first
  /// batch.
  ///
  /// Runs inside the caller's transaction.
  ///
  /// - Parameter input: the 0-based number of their input.
  mutating func land(_ batch: borrowing RecordBatch, input: Int) throws {
    if landing == nil {
      guard let key else { throw LandingTable.damage }
      try LandingTable.make(ofRun: runID, in: connection)
      landing = try LandingWriter(key, run: runID, connection: connection)
    }
    try landing?.append(batch, input: input)
  }

  /// Inserts the rejects of `batch`, inside the caller's transaction.
  mutating func insertRejects(of batch: borrowing RecordBatch, _ names: InputNames) throws {
    for reject in batch.rejects {
      let first = reject.issues[0]
      try rejection.bind(1, integer: runID)
      try rejection.bind(2, text: names.name(of: reject.origin))
      try rejection.bind(3, integer: Int64(reject.origin.index + 1))
      try rejection.bind(4, integer: Int64(reject.origin.byteOffset))
      try rejection.bind(5, integer: Int64(reject.line))
      try rejection.bind(6, integer: Int64(reject.column))
      try rejection.bind(7, text: first.rule)
      try rejection.bind(8, text: first.attribute)
      try rejection.bind(9, text: first.message)
      try rejection.bind(10, text: Issue.json(reject.issues).description)
      try rejection.bind(11, text: reject.member)
      try rejection.bind(12, blob: batch.arena.span.extracting(reject.origin.raw))
      try rejection.run()
    }
  }

  /// Inserts or replaces the state of an input, inside the caller's transaction.
  ///
  /// - Parameter number: 1 for the first input of the run.
  mutating func write(_ input: ImportReport.Input, number: Int) throws {
    try InputTable.bind(input, run: runID, number: number, to: &self.input)
    try self.input.run()
  }

  /// Writes the checkpoint, inside the caller's transaction.
  ///
  /// - Returns: false if the checkpoint in the store is not this writer's last one. Then another process
  ///   continues or has ended the run, and the caller must not commit.
  mutating func writeCheckpoint(_ state: String) throws -> Bool {
    try checkpoint.bind(1, integer: runID)
    try checkpoint.bind(2, integer: generation + 1)
    try checkpoint.bind(3, text: state)
    try checkpoint.run()
    guard checkpoint.changeCount == 1 else { return false }
    generation += 1
    return true
  }
}

/// Notes the rows that a snapshot's records met.
struct SnapshotWriter: ~Copyable {
  /// The greatest row id of the table when the run began; later rows need no note.
  private let boundary: Int64

  private var insertion: Statement
  private var rowIDs: [Int64] = []

  init(_ table: SnapshotTable, connection: Connection) throws {
    let boundary = try table.boundary()
    let insertion = try connection.prepare(
      """
      INSERT INTO \(table.quotedName) VALUES (?1, ?2)
      ON CONFLICT DO UPDATE SET last = max(last, excluded.last)
      """)
    self.boundary = boundary
    self.insertion = insertion
  }

  mutating func note(_ rowID: Int64) {
    if rowID <= boundary { rowIDs.append(rowID) }
  }

  /// Stores the noted rows, inside the caller's transaction.
  mutating func store() throws {
    rowIDs.sort()
    var start = 0
    for end in rowIDs.indices
    where end + 1 == rowIDs.count || rowIDs[end + 1] - rowIDs[end] > 1 {
      try insertion.bind(1, integer: rowIDs[start])
      try insertion.bind(2, integer: rowIDs[end])
      try insertion.run()
      start = end + 1
    }
    rowIDs.removeAll(keepingCapacity: true)
  }
}
