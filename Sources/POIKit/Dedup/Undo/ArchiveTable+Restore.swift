internal import POISQLite

extension ArchiveTable {
  /// The archive's columns of the source, including dropped ones.
  private func keptColumns() throws -> [String] {
    try Self.columns(of: source.name, in: connection).filter {
      !Self.ownColumns.contains($0) && $0 != Self.number
    }
  }

  private func commonColumns() throws -> [String] {
    let kept = Set(try keptColumns().map { $0.lowercased() })
    return source.storedColumns.filter { kept.contains($0.lowercased()) }
  }

  /// The reason why the rows of a run cannot be restored; nil if they can.
  func obstacle(to run: UndoableRun) throws -> String? {
    let kept = try keptColumns()
    for column in kept where !TableSchema.contains(source.storedColumns, column) {
      let valueCount = try connection.integer(
        "SELECT count(\(name: column)) FROM \(quotedName) WHERE poikit_run = \(run.id)")
      if valueCount != 0 { return "'\(source.name)' has no column '\(column)' any more" }
    }
    let taken = try connection.text(
      """
      SELECT group_concat(poikit_row_id, ', ') FROM (
        SELECT poikit_row_id FROM \(quotedName)
        WHERE poikit_run = \(run.id) AND poikit_row_id IN (
          SELECT \(name: source.rowIDName) FROM main.\(name: source.name)
          EXCEPT SELECT row_id FROM main.poikit_journal
          WHERE run = \(run.id) AND table_name = \(literal: source.name)
            AND column_name = \(literal: source.rowIDColumn ?? ""))
        ORDER BY poikit_row_id LIMIT 10)
      """)
    if let taken {
      return """
        '\(source.name)' has other rows with the ids \(taken) now: give these rows free ids in the column \
        '\(source.rowIDName)', and change the references to them
        """
    }
    let returnedCount = try returnedCount(run)
    if returnedCount > 0 {
      return """
        removed rows of '\(source.name)' whose keys came back since: \(returnedCount); delete the rows \
        that have these keys now, or leave the run as it is
        """
    }
    let supersededCount = try supersededCount(run)
    if supersededCount > 0 {
      return """
        removed rows of '\(source.name)' that later records removed, too: \(supersededCount); leave the run \
        as it is, or forget these removals (poi-dedup --purge-tombstones)
        """
    }
    return nil
  }

  /// The number of archived rows whose enforced key belongs to a row that the run did not change.
  private func returnedCount(_ run: UndoableRun) throws -> Int64 {
    let key = try KeyEnforcer.indexedColumns(of: source.name, in: connection)
    let kept = try keptColumns()
    guard !key.isEmpty, key.allSatisfy({ TableSchema.contains(kept, $0) }) else { return 0 }
    let isSame: [SQL] = key.map { "s.\(name: $0) = +a.\(name: $0) COLLATE BINARY" }
    let count = try connection.integer(
      """
      SELECT count(*) FROM \(quotedName) AS a CROSS JOIN main.\(name: source.name) AS s
      WHERE a.poikit_run = \(run.id) AND \(isSame.joined(separator: " AND "))
        AND s.\(name: source.rowIDName) NOT IN (
          SELECT row_id FROM main.poikit_journal
          WHERE run = \(run.id) AND table_name = \(literal: source.name))
      """)
    return count ?? 0
  }

  /// The number of archived rows superseded by a stored tombstone, except rows that a deduplication removed
  /// for this reason. 0 if the key is not enforced: then such rows may be in the table.
  private func supersededCount(_ run: UndoableRun) throws -> Int64 {
    guard try !KeyEnforcer.indexedColumns(of: source.name, in: connection).isEmpty,
      let removals = try TombstoneTable.stored(for: source.name, in: connection)
    else { return 0 }
    // A server may have acknowledged the removal itself, which has the row's time.
    let isServed = try ServerLink.exists(of: source.name, in: connection)
    let kept = try keptColumns()
    guard removals.columns.allSatisfy({ TableSchema.contains(kept, $0) }) else { return 0 }
    let count = try connection.integer(
      """
      SELECT count(*) FROM \(quotedName) AS a
      WHERE a.poikit_run = \(run.id)
        AND (\(run.isSnapshot ? 1 : 0) OR a.poikit_winner_id IS NOT NULL)
        AND \(removals.condition(ofRow: "a", isLater: isServed))
      """)
    return count ?? 0
  }

  /// Inserts archived rows of a run into the source.
  ///
  /// - Parameters:
  ///   - numbers: a range of archive numbers that contains the rows.
  ///   - change: the last change in the journal before the rows were removed.
  /// - Returns: the number of rows.
  /// - Throws: `StoreFailure` when a constraint is violated.
  func restore(
    _ numbers: ClosedRange<Int64>, removedAfter change: Int64, of run: Int64
  ) throws -> Int {
    var targets = try commonColumns().map(SQL.init(name:))
    var values = targets
    // If a column is the row id, it is already among the targets.
    if source.rowIDColumn == nil {
      targets.append(SQL(name: source.rowIDName))
      values.append("poikit_row_id")
    }
    do {
      try connection.execute(
        """
        INSERT OR ABORT INTO main.\(name: source.name) (\(targets.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", "))
        FROM \(quotedName) WHERE poikit_run = \(run) AND poikit_change = \(change)
          AND \(name: Self.number) BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)
        ORDER BY poikit_row_id
        """)
      return connection.changeCount
    } catch {
      guard error.isConstraint else { throw error }
      throw UndoableRun.obstacle(
        run, "a row of '\(source.name)' cannot be put back, because \(error.message)", error)
    }
  }

  /// The id of a row of a run that differs between source and archive; nil if all are equal.
  ///
  /// Rows in the journal are skipped: their references moved before they were archived, and were moved back.
  func firstDifference(ofRun run: Int64) throws -> Int64? {
    let columns = try commonColumns()
    func types(_ row: SQL) -> SQL {
      columns.map { "typeof(\(row).\(name: $0))" }.joined(separator: ", ")
    }
    func values(_ row: SQL) -> SQL {
      columns.map { "+\(row).\(name: $0) COLLATE BINARY" }.joined(separator: ", ")
    }
    let rowID = SQL(name: source.rowIDName)
    // One comparison of row values: hundreds of conditions would exceed SQLite's limit of expression depth.
    return try connection.integer(
      """
      SELECT a.poikit_row_id FROM \(quotedName) AS a
      WHERE a.poikit_run = \(run) AND NOT EXISTS (
        SELECT 1 FROM main.\(name: source.name) AS s
        WHERE s.\(rowID) = a.poikit_row_id AND (\(types("s"))) = (\(types("a")))
          AND (\(values("s"))) IS (\(values("a"))))
      AND a.poikit_row_id NOT IN (
        SELECT row_id FROM main.poikit_journal
        WHERE run = \(run) AND table_name = \(literal: source.name))
      ORDER BY a.poikit_row_id LIMIT 1
      """)
  }
}
