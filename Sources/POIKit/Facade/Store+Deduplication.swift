internal import POIRecords
internal import POISQLite

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
  package func undo(run: Int64? = nil, clock: () -> Instant) throws(StoreError) -> UndoReport {
    try leased { (lease) in
      try Deduplicator.undo(run: run, on: lease.connection, clock: clock)
    }
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
}

extension Store.Lease {
  /// Clears the doubt in the model of a table whose inferred key was named.
  fileprivate func confirmKey(namedBy layout: TableLayout) throws {
    guard let model = layout.ownModel, model.isKeyDoubtful, !layout.isKeyDoubtful,
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
}
