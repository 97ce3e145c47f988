public import POIRecords
internal import POISQLite

extension ImportSession {
  /// Creates a session that writes into a store, and uses it exclusively until the run ends or fails.
  ///
  /// - Parameters:
  ///   - store: the target; missing tables of the model are created.
  ///   - model: what a record is.
  ///   - options: how to import.
  ///   - validators: additional checks of the program.
  ///   - onProgress: called after each committed batch, from time to time during a survey, and at the end
  ///     of a source. If a thread writes, it is called when the next batch is handed over or the input
  ///     ends. It runs on the caller's thread and decides whether the run continues.
  /// - Throws: `StoreError` when the options, the model and the store do not fit together; with
  ///   `cannotResume` when there is no run to resume, with `inputOutput` when the store cannot be read or
  ///   written or the system provides no thread, with `inUse` when another operation uses the store.
  public init(
    into store: Store, model: Model, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws(StoreError) {
    try self.init(
      into: store, model: model, options: options, validators: validators, onProgress: onProgress,
      foldingBy: { (lease, model, snapshot, clock) in
        try lease.foldReturnedRows(of: model, staying: snapshot, clock: clock)
      },
      deduplicatingBy: { (lease, model, ties, boundary, clock, count) in
        var options = DeduplicationOptions()
        options.ties = ties
        options.archive = false
        options.enforcement = .index
        let deduplicator = Deduplicator(layout: try TableLayout(model), options: options)
        let report = try deduplicator.run(
          on: lease.connection, clock: clock, countingArrivals: count, after: boundary)
        return report.digest ?? .zero
      })
  }
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
  /// Folds the rows that lost in earlier runs and that a delivery brought back, if they are still equal to
  /// their winners by the keys of these runs. The other redirects of such rows end.
  ///
  /// - Parameters:
  ///   - model: the model of the table.
  ///   - snapshot: the rows that a snapshot will leave; nil for all.
  ///   - clock: returns the time of the start and of the end.
  /// - Returns: what was folded.
  fileprivate func foldReturnedRows(
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
}
