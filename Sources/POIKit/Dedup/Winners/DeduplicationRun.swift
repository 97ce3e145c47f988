internal import POIRecords
internal import POISQLite

/// A deduplication in the log of runs.
///
/// A deduplication that was interrupted continues under the same run if it is started again with
/// the same options. So it can be undone as a whole.
struct DeduplicationRun {
  let connection: Connection
  let id: Int64

  /// The changes before the interruption.
  let earlier: DeduplicationReport.Changes

  /// Begins a run or continues the interrupted one. A run with other options is abandoned.
  static func begin(
    _ layout: TableLayout, _ options: DeduplicationOptions, isFold: Bool, at start: Instant,
    in connection: Connection
  ) throws -> DeduplicationRun {
    try connection.inTransaction(.immediate) { () throws -> DeduplicationRun in
      if try !Bookkeeping.isComplete(in: connection) {
        try connection.execute(Bookkeeping.creation)
      }
      let options = description(of: layout, options, isFold: isFold)
      let isRunning: SQL = """
        tool = \(literal: RunRecord.deduplicationTool) AND table_name = \(literal: layout.table)
        AND state = 'running'
        """
      let interrupted = try RunRecord.latest(
        where: "\(isRunning) AND options = \(literal: options.description)", in: connection)
      if let interrupted, let earlier = DeduplicationReport.Changes(interrupted) {
        return DeduplicationRun(connection: connection, id: interrupted.id, earlier: earlier)
      }
      try connection.execute(
        """
        UPDATE main.poikit_run SET state = 'abandoned', ended = \(start.microseconds)
        WHERE \(isRunning)
        """)
      let id = try RunRecord.begin(
        tool: RunRecord.deduplicationTool, table: layout.table, started: start, options: options,
        in: connection)
      return DeduplicationRun(
        connection: connection, id: id, earlier: DeduplicationReport.Changes())
    }
  }

  /// The options that decide which rows are removed and how.
  private static func description(
    of layout: TableLayout, _ options: DeduplicationOptions, isFold: Bool
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init(name: "key", value: .array(layout.keyColumns.map(JSONValue.string))),
      .init(name: "timestamp", value: .string(layout.timestampColumn)),
      .init(name: "tombstone", value: .string(layout.tombstoneColumn)),
      .init(name: "keep", value: .string(options.keep.rawValue)),
      .init(name: "nullKey", value: .string(options.nullKey.rawValue)),
      .init(name: "arrays", value: .string(options.arrays.rawValue)),
      .init(name: "archive", value: .bool(options.archive)),
      .init(name: "enforcement", value: .string(options.enforcement.rawValue)),
    ]
    if layout.ties == .later { members.append(.init(name: "ties", value: .string("later"))) }
    if options.mergesLosers { members.append(.init(name: "mergesLosers", value: .bool(true))) }
    if !options.ignored.isEmpty {
      members.append(.init(name: "ignore", value: .array(options.ignored.map(JSONValue.string))))
    }
    if isFold { members.append(.init(name: "fold", value: .bool(true))) }
    if layout.isKeyDoubtful { members.append(.init(name: "identical", value: .bool(true))) }
    return .object(members)
  }

  /// Writes the counters of a batch, inside its transaction.
  func save(
    _ plan: DeduplicationPlan, _ counts: DeduplicationReport.Changes,
    by statements: PreparedStatements
  ) throws {
    let sum = earlier + counts
    let before = plan.rowCount + earlier.removedRowCount + earlier.supersededRowCount
    var values: [(String, Int)] = [
      ("rowsBefore", before), ("nullKeyRows", plan.nullKeyRowCount),
      ("unreadableTimestamps", plan.unreadableTimestampCount), ("keys", plan.groupCount),
      ("rowsLeft", before - sum.removedRowCount - sum.supersededRowCount),
    ]
    for (name, count) in DeduplicationReport.Changes.names {
      values.append((name, sum[keyPath: count]))
    }
    let update = try statements.statement(
      "UPDATE main.poikit_run SET counters = ?1 WHERE id = \(id)")
    try update.statement.bind(1, text: JSONValue.counts(values).description)
    try update.statement.run()
  }

  /// - Parameters:
  ///   - outcome: what was created to enforce the key.
  ///   - digest: the digest of the table.
  func finish(at end: Instant, _ outcome: EnforcementOutcome, digest: Digest) throws {
    try connection.execute(
      """
      UPDATE main.poikit_run SET state = 'finished', ended = \(end.microseconds),
        counters = json_set(counters, '$.indexCreated', \(outcome.createdIndex ? 1 : 0),
          '$.keyColumnAdded', \(outcome.addedKeyColumn ? 1 : 0),
          '$.digest', \(literal: digest.description))
      WHERE id = \(id)
      """)
  }

  func fail(at end: Instant) throws {
    try connection.execute(
      """
      UPDATE main.poikit_run SET state = 'failed', ended = \(end.microseconds) WHERE id = \(id)
      """)
  }
}

extension DeduplicationOptions {
  /// The options of an earlier run that decide which rows are removed and how.
  init(of run: RunRecord) {
    func text(_ name: String) -> String { run.options[name]?.string ?? "" }
    self.init()
    keep = KeepRule(rawValue: text("keep")) ?? keep
    nullKey = NullKeyRule(rawValue: text("nullKey")) ?? nullKey
    arrays = ArrayRule(rawValue: text("arrays")) ?? arrays
    archive = run.options["archive"] != .bool(false)
    mergesLosers = run.options["mergesLosers"] == .bool(true)
    ignored = run.options["ignore"]?.elements?.compactMap(\.string) ?? []
  }
}

extension DeduplicationReport.Changes {
  /// The names of the counters in the log.
  fileprivate static let names:
    KeyValuePairs<
      String, any WritableKeyPath<DeduplicationReport.Changes, Int> & Sendable
    > = [
      "losers": \.removedRowCount, "removed": \.supersededRowCount, "archived": \.archivedRowCount,
      "movedReferences": \.movedReferenceCount, "removedReferences": \.removedReferenceRowCount,
      "redirects": \.redirectCount, "filledWinners": \.filledWinnerCount,
      "filledValues": \.filledValueCount, "refusedValues": \.refusedValueCount,
    ]

  /// The counters in the log; nil if one of them is out of range.
  fileprivate init?(_ run: RunRecord) {
    self.init()
    for (name, count) in DeduplicationReport.Changes.names {
      let value = run.counters[name]?.integer ?? 0
      guard 0...RunRecord.greatestCount ~= value else { return nil }
      self[keyPath: count] = value
    }
  }
}
