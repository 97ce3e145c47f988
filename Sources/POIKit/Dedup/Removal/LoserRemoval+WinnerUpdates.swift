internal import POISQLite

extension LoserRemoval {
  private static let keptStatementCount = 64

  /// Removes a batch of losers, and then writes the merged values to their winners. In the other order unique
  /// indexes would refuse them.
  ///
  /// - Throws: `StoreFailure` with `unmergeableValue` when the database refuses a value, or when it refers to
  ///   a row that was removed with the losers.
  mutating func remove(_ pairs: [LoserEntry], applying updates: [WinnerUpdate]) throws {
    try remove(pairs)
    for update in updates {
      try apply(update)
      // A part of the group may have been removed before.
      guard counts.removedReferenceRowCount > 0 else { continue }
      let isDangling = try hasDanglingReference(update)
      if isDangling { throw unmergeable(update, "a row that it refers to is removed too", nil) }
    }
  }

  /// Whether a merged value refers to a row that does not exist.
  private mutating func hasDanglingReference(_ update: WinnerUpdate) throws -> Bool {
    let checks =
      try danglingChecks
      ?? TableReference.declared(by: root.name, statements).map { (reference) throws in
        let rows = try reference.danglingRows(of: root.name, in: connection)
        return (reference.columns, "SELECT 1 FROM \(rows) AND c.\(name: root.rowIDName) = ?1")
      }
    danglingChecks = checks
    return try checks.contains { (columns, find) throws in
      try update.values.contains { TableSchema.contains(columns, $0.column) }
        && statements.statement(find).returnsRow(update.row)
    }
  }

  /// Writes the merged values to a winner whose losers are removed.
  private mutating func apply(_ update: WinnerUpdate) throws {
    do {
      if archives, let run { try remember(update, under: run) }
      try write(update)
    } catch let error as SQLiteError where error.isConstraint {
      throw unmergeable(update, error.message, error)
    }
    guard connection.changeCount == 1 else {
      throw unmergeable(update, "a trigger of the table interferes", nil)
    }
    counts.filledWinnerCount += 1
    counts.filledValueCount += update.values.count
  }

  private func unmergeable(
    _ update: WinnerUpdate, _ reason: String, _ cause: SQLiteError?
  ) -> StoreFailure {
    StoreFailure(
      .unmergeableValue,
      """
      row \(update.row) of '\(root.name)' cannot get the values of its losers in \
      \(TableSchema.list(update.values.map(\.column))), because \(reason): change the rows of that \
      group first, or do not merge losers
      """, cause: cause)
  }

  /// Stores the old and the new values of a winner in the journal. Its timestamp too: it shows whether
  /// another program has changed the row since, even if the values are the same.
  private func remember(_ update: WinnerUpdate, under run: Int64) throws {
    for (column, value) in update.assignments {
      let box = try rememberStatement(
        column, column == PropertyTimes.column ? .companion : .value, newValue: "?3"
      )
      try box.statement.bind(1, integer: run)
      try box.statement.bind(2, integer: update.row)
      try value.bind(to: &box.statement, at: 3)
      try box.statement.run()
    }
    guard let timestamp = layout.timestampColumn,
      !update.values.contains(where: { TableSchema.isSame($0.column, timestamp) })
    else { return }
    let box = try rememberStatement(timestamp, .companion, newValue: SQL(name: timestamp))
    try box.statement.bind(1, integer: run)
    try box.statement.bind(2, integer: update.row)
    try box.statement.run()
  }

  private func rememberStatement(
    _ column: String, _ kind: Journal.Kind, newValue: SQL
  ) throws -> PreparedStatements.Box {
    let rowID = SQL(name: root.rowIDName)
    return try statements.statement(
      """
      \(Journal.insertion)
      SELECT ?1, \(literal: root.name), \(rowID), \(literal: column), \(literal: kind.rawValue),
        \(name: column), \(newValue)
      FROM main.\(name: root.name) WHERE \(rowID) = ?2
      """)
  }

  private mutating func write(_ update: WinnerUpdate) throws {
    let values: [SQL] = update.assignments.enumerated().map { place, value in
      "\(name: value.column) = ?\(place + 2)"
    }
    let sql: SQL = """
      UPDATE OR ABORT main.\(name: root.name)
      SET \(values.joined(separator: ", ")) WHERE \(name: root.rowIDName) = ?1
      """
    if keptUpdates.contains(sql) || keptUpdates.count < Self.keptStatementCount {
      keptUpdates.insert(sql)
      let box = try statements.statement(sql)
      try update.run(&box.statement)
    } else {
      var statement = try connection.prepare(sql, isPersistent: false)
      try update.run(&statement)
    }
  }
}

extension WinnerUpdate {
  /// Runs a statement whose parameters are the row and the values.
  fileprivate func run(_ statement: inout Statement) throws {
    try statement.bind(1, integer: row)
    for (place, value) in assignments.enumerated() {
      try value.value.bind(to: &statement, at: place + 2)
    }
    try statement.run()
  }
}

/// Merged values to write to a winner.
struct WinnerUpdate {
  let row: Int64

  /// The columns and their new values, at least one.
  let values: [(column: String, value: StoredValue)]

  /// The new times of the row's values; nil if they do not change or the table keeps no times.
  let times: String?

  var assignments: [(column: String, value: StoredValue)] {
    guard let times else { return values }
    return values + [(PropertyTimes.column, .text(Array(times.utf8)))]
  }

  var byteCount: Int { values.reduce(0) { $0 + $1.value.byteCount } }
}
