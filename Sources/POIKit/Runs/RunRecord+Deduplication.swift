internal import POIRecords
internal import SQLiteKit

/// The row that a pass of a deduplication has.
///
/// A pass that was stopped or killed goes on under the same row when it is run again with the same
/// meaning, so that it can be undone as a whole.
extension RunRecord {
  /// Begins a run or goes on with the one that was interrupted, and gives up an interrupted one
  /// that meant something else.
  ///
  /// - Throws: `SQLiteError` when the database cannot be written.
  static func begin(
    _ layout: TableLayout, _ options: DeduplicationOptions, at start: Instant,
    in connection: Connection
  ) throws -> RunRecord {
    try connection.inTransaction(.immediate) { () throws -> RunRecord in
      if try !Bookkeeping.isComplete(in: connection) {
        try connection.execute(Bookkeeping.creation)
      }
      let meaning = try describe(layout, options, in: connection)
      if let interrupted = try find(meaning, table: layout.table, in: connection) {
        return interrupted
      }
      var abandon = try connection.prepare(
        """
        UPDATE main.poikit_run SET state = 'abandoned', ended = ?3
        WHERE tool = ?1 AND table_name = ?2 AND state = 'running'
        """, isPersistent: false)
      try abandon.bind(1, text: deduplicationTool)
      try abandon.bind(2, text: layout.table)
      try abandon.bind(3, integer: start.microseconds)
      try abandon.run()
      return try RunRecord(
        tool: deduplicationTool, table: layout.table, started: start, options: meaning,
        in: connection)
    }
  }

  /// Texts as a JSON array.
  static func json(
    _ texts: [String], in connection: Connection
  ) throws -> String {
    let places: [SQL] = (1...max(texts.count, 1)).map { "?\($0)" }
    var statement = try connection.prepare(
      "SELECT \(.jsonArray(places))", isPersistent: false)
    for (index, text) in texts.enumerated() { try statement.bind(index + 1, text: text) }
    return try statement.step() ? statement.text(0) : "[]"
  }

  /// The options that decide what a pass does, as JSON.
  private static func describe(
    _ layout: TableLayout, _ options: DeduplicationOptions, in connection: Connection
  ) throws -> String {
    let merging: SQL = options.mergesLosers ? ", 'mergesLosers', json('true')" : ""
    var statement = try connection.prepare(
      """
      SELECT json_object('key', json(?1), 'timestamp', ?2, 'tombstone', ?3, 'keep', ?4,
        'nullKey', ?5, 'arrays', ?6, 'archive', json(?7), 'enforcement', ?8\(merging))
      """, isPersistent: false)
    try statement.bind(1, text: try json(layout.keyColumns, in: connection))
    if let column = layout.timestampColumn { try statement.bind(2, text: column) }
    if let column = layout.tombstoneColumn { try statement.bind(3, text: column) }
    try statement.bind(4, text: options.keep.rawValue)
    try statement.bind(5, text: options.nullKey.rawValue)
    try statement.bind(6, text: options.arrays.rawValue)
    try statement.bind(7, text: options.archive ? "true" : "false")
    try statement.bind(8, text: options.enforcement.rawValue)
    return try statement.step() ? statement.text(0) : "{}"
  }

  /// The interrupted run with the given meaning.
  private static func find(
    _ meaning: String, table: String, in connection: Connection
  ) throws -> RunRecord? {
    var statement = try connection.prepare(
      """
      SELECT id, counters ->> 'losers', counters ->> 'archived', counters ->> 'movedReferences',
        counters ->> 'removedReferences', counters ->> 'redirects', counters ->> 'removed',
        counters ->> 'filledWinners', counters ->> 'filledValues', counters ->> 'refusedValues'
      FROM main.poikit_run
      WHERE tool = ?1 AND table_name = ?2 AND state = 'running' AND options = ?3
      ORDER BY id DESC
      """, isPersistent: false)
    try statement.bind(1, text: deduplicationTool)
    try statement.bind(2, text: table)
    try statement.bind(3, text: meaning)
    guard try statement.step() else { return nil }
    let counts = 0...Int64(RunRecord.greatestCount)
    guard (1...9).allSatisfy({ counts.contains(statement.integer($0)) }) else { return nil }
    var earlier = RemovalCounts()
    earlier.removedRowCount = Int(statement.integer(1))
    earlier.archivedRowCount = Int(statement.integer(2))
    earlier.movedReferenceCount = Int(statement.integer(3))
    earlier.removedReferenceRowCount = Int(statement.integer(4))
    earlier.redirectCount = Int(statement.integer(5))
    earlier.beatenRowCount = Int(statement.integer(6))
    earlier.filledWinnerCount = Int(statement.integer(7))
    earlier.filledValueCount = Int(statement.integer(8))
    earlier.refusedValueCount = Int(statement.integer(9))
    return RunRecord(id: statement.integer(0), earlier: earlier)
  }
}

extension RunRecord {
  /// Writes the counters of a batch, inside its transaction.
  ///
  /// - Throws: `SQLiteError` when the database cannot be written.
  func save(
    _ plan: DeduplicationPlan, _ counts: RemovalCounts, by statements: PreparedStatements,
    in connection: Connection
  ) throws {
    let sum = earlier + counts
    let before = plan.rowCount + earlier.removedRowCount + earlier.beatenRowCount
    var values: [(name: String, value: Int)] = [
      ("rowsBefore", before), ("nullKeyRows", plan.nullKeyRowCount),
      ("unreadableTimestamps", plan.unreadableTimestampCount), ("keys", plan.groupCount),
      ("losers", sum.removedRowCount), ("removed", sum.beatenRowCount),
      ("rowsLeft", before - sum.removedRowCount - sum.beatenRowCount),
      ("archived", sum.archivedRowCount), ("movedReferences", sum.movedReferenceCount),
      ("removedReferences", sum.removedReferenceRowCount), ("redirects", sum.redirectCount),
    ]
    if sum.filledWinnerCount > 0 || sum.refusedValueCount > 0 {
      values += [
        ("filledWinners", sum.filledWinnerCount), ("filledValues", sum.filledValueCount),
        ("refusedValues", sum.refusedValueCount),
      ]
    }
    let members: [SQL] = values.enumerated().map { "\(literal: $1.name), ?\($0 + 1)" }
    let update = try statements.statement(
      """
      UPDATE main.poikit_run SET counters = json_object(\(members.joined(separator: ", ")))
      WHERE id = \(id)
      """, in: connection)
    for (place, counter) in values.enumerated() {
      try update.statement.bind(place + 1, integer: Int64(counter.value))
    }
    try update.statement.run()
  }

  /// Marks the run as finished.
  ///
  /// - Parameters:
  ///   - end: when that was.
  ///   - outcome: what enforcing the key made.
  ///   - digest: the digest of the table.
  ///   - connection: the database.
  /// - Throws: `SQLiteError` when the database cannot be written.
  func finish(
    at end: Instant, _ outcome: EnforcementOutcome, digest: Digest,
    in connection: Connection
  ) throws {
    var update = try connection.prepare(
      """
      UPDATE main.poikit_run SET state = 'finished', ended = \(end.microseconds),
        counters = json_set(counters, '$.indexCreated', \(outcome.createdIndex ? 1 : 0),
          '$.keyColumnAdded', \(outcome.addedKeyColumn ? 1 : 0), '$.digest', ?1)
      WHERE id = \(id)
      """, isPersistent: false)
    try update.bind(1, text: digest.description)
    try update.run()
  }

  /// Marks the run as failed.
  ///
  /// - Throws: `StoreFailure` when the database cannot be written.
  func fail(
    at end: Instant, in connection: Connection
  ) throws {
    try connection.execute(
      """
      UPDATE main.poikit_run SET state = 'failed', ended = \(end.microseconds) WHERE id = \(id)
      """)
  }
}
