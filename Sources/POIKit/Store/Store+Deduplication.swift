internal import POIRecords
internal import SQLiteKit

/// Deduplication of the tables of records.
extension Store {
  /// The layout of a table of records, to be deduplicated by `key`.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - key: the attributes that identify a record; empty for the model's key.
  ///   - timestamp: the attribute that says when a record was last changed; nil for the model's.
  /// - Throws: `StoreError` when the store has no such table or attribute.
  package func layout(
    ofTable table: String? = nil, key: [String] = [], timestamp: String? = nil
  ) throws(StoreError) -> TableLayout {
    try TableLayout(model(ofTable: table), key: key, timestamp: timestamp)
  }

  /// Finds the duplicates and decides which record of each group stays. Changes nothing.
  ///
  /// - Parameters: as for `deduplicate`.
  /// - Returns: what `deduplicate` would do, or nil if it was stopped.
  /// - Throws: `StoreError`, as `deduplicate` does.
  public func plan(
    by key: [String] = [], in table: String? = nil, timestamp: String? = nil,
    options: DeduplicationOptions = DeduplicationOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationPlan? {
    let layout = try layout(ofTable: table, key: key, timestamp: timestamp)
    return try plan(Deduplicator(layout: layout, options: options), progress: progress)
  }

  /// Keeps one record of each group of duplicates, the newest one unless the options say otherwise, and
  /// archives the others. By a doubtful key it keeps all but identical records; naming that key once clears
  /// the doubt in the table's model.
  ///
  /// - Parameters:
  ///   - key: the attributes that identify a record; empty for the model's key.
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - timestamp: the attribute that says when a record was last changed; nil for the model's.
  ///   - options: how duplicates are found and removed.
  ///   - progress: called after each batch; returns whether to continue.
  /// - Throws: `StoreError`; the batches before it stay committed, and its `report` counts them.
  /// - Complexity: O(rows) in time; the memory is bounded by the options' budget.
  @discardableResult
  public func deduplicate(
    by key: [String] = [], in table: String? = nil, timestamp: String? = nil,
    options: DeduplicationOptions = DeduplicationOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationReport {
    let layout = try layout(ofTable: table, key: key, timestamp: timestamp)
    return try deduplicate(Deduplicator(layout: layout, options: options), progress: progress)
  }

  /// Has a table keep another version of its model, as an import with that model would.
  ///
  /// - Throws: `StoreError` with `modelDiffers` if the table does not fit it, or an import is unfinished.
  package func keep(_ model: Model) throws(StoreError) {
    try leased { (lease) in
      if model.groupsNullKeys,
        try EnforcedKey.read(of: model, in: lease.connection)?.isHashed == true
      {
        throw StoreFailure(
          .invalidOptions, "keys that contain NULL cannot be grouped by a hash: such a key has none"
        )
      }
      let unfinished = RunRecord.unfinishedImports(into: model.table)
      let isFree = try RunRecord.latest(where: unfinished, in: lease.connection) == nil
      try lease.prepareTables(for: model, mayChange: isFree)
    }
  }

  /// Restores what a run removed.
  ///
  /// - Parameters:
  ///   - run: the run to undo, or nil for the latest that is not undone.
  /// - Throws: `StoreError` if there is no such run, or rows cannot be restored.
  @discardableResult
  public func undo(run: Int64? = nil) throws(StoreError) -> UndoReport {
    try undo(run: run, clock: SystemClock.now)
  }

  /// Restores what a run removed, with another clock for the table of runs.
  package func undo(
    run: Int64? = nil, clock: () -> Instant
  ) throws(StoreError) -> UndoReport {
    try leased { (lease) in
      try Deduplicator.undo(run: run, on: lease.connection, clock: clock)
    }
  }

  /// The digest of a table: the same on every device that holds the same records.
  ///
  /// - Parameter table: the table; nil for the only one of the store that is not empty.
  /// - Throws: `StoreError` when the store has no such table, or cannot be read.
  /// - Complexity: O(bytes of the table)
  public func digest(ofTable table: String? = nil) throws(StoreError) -> TableDigest {
    try digest(of: model(ofTable: table))
  }

  /// Plans with a deduplicator; see `Deduplicator.plan`.
  package func plan(
    _ deduplicator: Deduplicator,
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationPlan? {
    try leased { (lease) in
      try deduplicator.plan(on: lease.connection, progress: progress)
    }
  }

  /// Deduplicates with a deduplicator; see `Deduplicator.run`.
  package func deduplicate(
    _ deduplicator: Deduplicator,
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed },
    clock: () -> Instant = SystemClock.now
  ) throws(StoreError) -> DeduplicationReport {
    try leased { (lease) in
      let report = try deduplicator.run(on: lease.connection, clock: clock, progress: progress)
      try lease.confirmKey(namedBy: deduplicator.layout)
      return report
    }
  }

  /// The digest of a model's table: the same on every device that holds the same records.
  ///
  /// - Throws: `StoreError` with `noSuchTable` when the store does not have the table, and when it is not
  ///   as the model says, or cannot be read.
  /// - Complexity: O(bytes of the table)
  package func digest(of model: Model) throws(StoreError) -> TableDigest {
    try leased { try $0.digest(of: model) }
  }
}

/// What became of rows that lost in earlier runs and that a delivery brought back.
struct FoldedRows {
  var count = 0

  /// The digest of the table, if it was read.
  var digest: Digest?

  /// Why some rows were not folded; nil if all were.
  var problem: String?
}

extension StoreError {
  /// Whether the rows, the model or the app's triggers refuse what was asked, not the file or the system.
  fileprivate var isOfRows: Bool {
    switch code {
    case .mixedTimestamps, .keyNotUnique, .unmovableReference, .unmergeableValue,
      .interferingTrigger, .unsupportedTable, .invalidOptions, .noSuchColumn, .undecodable:
      true
    case .database: cause?.isConstraint == true
    default: false
    }
  }
}

extension Store.Lease {
  /// Clears the doubt in the model of a table whose inferred key was named.
  fileprivate func confirmKey(namedBy layout: TableLayout) throws {
    guard let model = layout.model, model.isKeyDoubtful, !layout.isKeyDoubtful,
      Set(layout.keyColumns.map(ExactText.init)) == Set(layout.identityColumns.map(ExactText.init))
    else { return }
    var overrides = Model.Overrides()
    overrides.key = model.key
    var statement = try connection.prepare(
      "UPDATE main.poikit_table SET model = ?2 WHERE name = ?1 AND model = ?3")
    try statement.bind(1, text: model.table)
    try statement.bind(2, text: model.with(overrides).document)
    try statement.bind(3, text: model.document)
    try statement.run()
  }

  /// Folds the rows that lost in earlier runs and that a delivery brought back, if they are still equal to
  /// their winners by the keys of these runs. The other redirects of such rows end.
  ///
  /// - Parameters:
  ///   - model: the model of the table.
  ///   - snapshot: the keys of the rows that a snapshot will leave; nil for all.
  ///   - clock: returns the time of the start and of the end.
  /// - Returns: what was folded.
  func foldReturnedRows(
    of model: Model, staying snapshot: SnapshotTable?, clock: () -> Instant
  ) throws -> FoldedRows {
    var folded = FoldedRows()
    // The log has the columns.
    func name(_ column: String?) -> String? {
      column.map { column in
        model.attributes.first { $0.column.isExactly(column) }?.name ?? column
      }
    }
    func fold(_ fold: Fold) throws {
      guard let run = try RunRecord.latest(where: "id = \(fold.run)", in: connection),
        let key = run.options["key"]?.elements?.compactMap({ name($0.string) }), !key.isEmpty,
        let layout = try? TableLayout(
          model, key: key, timestamp: name(run.options["timestamp"]?.string))
      else { return }
      var deduplicator = Deduplicator(layout: layout, options: DeduplicationOptions(of: run))
      deduplicator.fold = fold
      do {
        let report = try deduplicator.run(on: connection, clock: clock)
        folded.digest = report.digest ?? folded.digest
      } catch {
        guard error.isOfRows else { throw error }
        // The rows of the delivery stay. Another deduplication, or the next delivery, may fold them.
        folded.problem = error.message
        folded.digest = nil
      }
    }
    guard let folds = try Fold.list(of: TableLayout(model), staying: snapshot, in: connection)
    else { return folded }
    for listed in folds { try fold(listed) }
    // A killed fold that had removed all its rows has only its end left.
    if folded.problem == nil,
      let unfinished = try Fold.unfinished(of: model.table, in: connection)
    {
      try fold(unfinished)
    }
    if folded.problem != nil { folded.digest = try digest(of: model).digest }
    return folded
  }

  /// See `Store.digest(of:)`.
  func digest(of model: Model) throws -> TableDigest {
    try checkTable(of: model)
    let layout = contentLayout(of: model)
    func read() throws -> TableDigest {
      // An empty table needs no prepared statements.
      let isEmpty = try connection.integer("SELECT 1 FROM \(name: model.table) LIMIT 1") == nil
      let digest = try isEmpty ? .empty : Deduplicator.tableDigest(of: layout, on: connection)
      try RememberedDigest(layout).check(digest.digest, in: connection)
      return digest
    }
    return connection.isInTransaction ? try read() : try connection.inTransaction(.deferred, read)
  }

  /// The digest of a model's table at the beginning of an import: the remembered one, or else a computed
  /// one.
  func digestBeforeImport(of model: Model) throws -> Digest {
    let remembered = RememberedDigest(contentLayout(of: model))
    if let digest = try remembered.read(in: connection) { return digest }
    return try digest(of: model).digest
  }

  /// The digest of a model's table after an import. It is remembered for the next import unless another
  /// program has changed the table's model.
  ///
  /// - Parameters:
  ///   - sum: the digest that the import counted. It is used only if no other connection has committed, and
  ///     no triggers or foreign keys of an app may have changed rows. Otherwise the table is read.
  ///   - version: the version of the database at the beginning of the import; nil if it is unknown because
  ///     the import continued an earlier one.
  func digestAfterImport(
    countedAs sum: Digest, of model: Model, since version: Int64?
  ) throws -> Digest {
    let layout = contentLayout(of: model)
    return try connection.withoutWaitingForDisk {
      try connection.inTransaction(.immediate) {
        let isAlone = try connection.dataVersion() == version
        let isCounted = try isAlone && !SideEffects.arePossible(on: model, in: connection)
        let digest =
          isCounted ? sum : try Deduplicator.tableDigest(of: layout, on: connection).digest
        if try Bookkeeping.document(ofTable: model.table, in: connection) == model.document {
          try RememberedDigest(layout).remember(digest, in: connection)
        }
        return digest
      }
    }
  }

  /// Forgets the digest of a model's table, inside the caller's transaction. Its triggers are removed.
  func forgetDigest(of model: Model) throws {
    try RememberedDigest(contentLayout(of: model)).forget(in: connection)
  }

  /// The part of a table's layout that its digest needs.
  func contentLayout(of model: Model) -> TableLayout {
    TableLayout(
      table: model.table, contentColumns: TableLayout.contentColumns(of: model), keyColumns: [],
      relations: ContentRelation.all(of: model))
  }
}
