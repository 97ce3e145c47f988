internal import POIRecords
internal import SQLiteKit

/// Rows that stayed, whose values a run changed: puts back what they held before it.
///
/// All values of a row are put back at once, and a row that is refused by a unique constraint waits until
/// the others have their values again: each alone may be in the way of another.
struct RestorableRows {
  /// The temporary table of the rows that wait, with how often they were tried.
  private static let waiting: SQL = "temp.poikit_waiting"

  private let run: UndoableRun
  private let isOwn: Bool
  private let areBeforeRows: Bool
  private let schemas: [ExactText: TableSchema]
  private let statements = PreparedStatements()
  private var restorations: [[ExactText]: ValueRestoration] = [:]

  /// How many values were put back.
  private(set) var valueCount = 0

  /// - Parameters:
  ///   - isOwn: whether the values are to be put back that winners got, and the marks, or the
  ///     references.
  ///   - areBeforeRows: whether rows come back afterwards, so that values are left which those have.
  ///     What is put back is forgotten, so that it is not put back again.
  ///   - schemas: the tables.
  init(
    of run: UndoableRun, isOwn: Bool, areBeforeRows: Bool, _ schemas: [ExactText: TableSchema]
  ) {
    self.run = run
    self.isOwn = isOwn
    self.areBeforeRows = areBeforeRows
    self.schemas = schemas
  }

  /// A row with its columns and, for each, the row of `poikit_moved` that keeps the oldest value.
  private struct Row {
    let table: String
    let row: Int64
    var columns: [String]
    var moves: [Int64]

    /// For each column the row of `poikit_moved` that keeps the latest value before it changed.
    var lastMoves: [Int64]

    /// The row and the one column that a statement of `changes` stands at.
    init(_ changes: borrowing Statement) {
      table = changes.text(0)
      row = changes.integer(1)
      columns = [changes.text(2)]
      moves = [changes.integer(3)]
      lastMoves = [changes.integer(4)]
    }
  }

  /// What came of putting a row back.
  private enum Outcome {
    case done
    /// It is not there.
    case missing
    /// A unique constraint refuses it.
    case waits(SQLiteError)
    /// It does not hold what it held.
    case differs
  }

  /// Puts the values back, the rows that changed last first, and counts them.
  ///
  /// - Returns: a row that does not hold what it held before, or nil if there is none.
  mutating func restore(
    in connection: Connection
  ) throws(SQLiteError) -> (table: String, row: Int64)? {
    // A row whose id changed is told by another one before: its changes go back one by one.
    if let row = try restoreOneByOne(in: connection) { return row }
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_waiting (
        table_name TEXT NOT NULL, row_id INTEGER NOT NULL, trial INTEGER NOT NULL,
        PRIMARY KEY (table_name, row_id)) WITHOUT ROWID;
      DELETE FROM \(RestorableRows.waiting)
      """)
    var trial: Int64 = 0
    var waitingCount = Int.max
    while waitingCount > 0 {
      var refusal: SQLiteError?
      var count = 0
      var changes = try changes(
        """
        AND m.table_name NOT IN (\(identityTables))
        AND (?4 = 0 OR (m.table_name, m.row_id) IN (
          SELECT table_name, row_id FROM \(RestorableRows.waiting) WHERE trial = ?4))
        GROUP BY m.table_name, m.row_id, m.column_name
        ORDER BY max(max(m.rowid)) OVER (PARTITION BY m.table_name, m.row_id) DESC
        """, in: connection)
      try changes.bind(4, integer: trial)
      trial += 1
      var next = try changes.step() ? Row(changes) : nil
      while var row = next {
        next = nil
        while try changes.step() {
          let other = Row(changes)
          guard other.table.isExactly(row.table), other.row == row.row else {
            next = other
            break
          }
          row.columns += other.columns
          row.moves += other.moves
          row.lastMoves += other.lastMoves
        }
        switch try restore(row, in: connection) {
        case .done: if areBeforeRows { try forget(row, in: connection) }
        case .missing: break
        case .differs: return (row.table, row.row)
        case .waits(let error):
          refusal = error
          count += 1
          try wait(row, trial, in: connection)
        }
      }
      if let refusal, count >= waitingCount { throw refusal }
      waitingCount = count
    }
    return nil
  }

  private mutating func restoreOneByOne(
    in connection: Connection
  ) throws(SQLiteError) -> (table: String, row: Int64)? {
    var changes = try changes(
      "AND m.table_name IN (\(identityTables)) AND ?4 GROUP BY m.rowid ORDER BY m.rowid DESC",
      in: connection)
    try changes.bind(4, integer: 1)
    while try changes.step() {
      let row = Row(changes)
      switch try restore(row, in: connection) {
      case .done: if areBeforeRows { try forget(row, in: connection) }
      case .missing: break
      case .differs: return (row.table, row.row)
      case .waits(let error): throw error
      }
    }
    return nil
  }

  /// The tables with rows whose ids the run changed.
  private var identityTables: SQL {
    let conditions = schemas.compactMap { table, schema -> SQL? in
      schema.rowIDColumn.map {
        "(table_name = \(literal: table.text) AND column_name = \(literal: $0) COLLATE NOCASE)"
      }
    }
    guard !conditions.isEmpty else { return "SELECT NULL WHERE 0" }
    return """
      SELECT table_name FROM main.poikit_moved
      WHERE run = ?1 AND (\(conditions.joined(separator: " OR ")))
      """
  }

  private func changes(
    _ rest: SQL, in connection: Connection
  ) throws(SQLiteError) -> Statement {
    var changes = try connection.prepare(
      """
      SELECT m.table_name, m.row_id, m.column_name, min(m.rowid), max(m.rowid)
      FROM main.poikit_moved AS m
      WHERE m.run = ?1 AND \(MovedValues.isOwn) = ?3 AND \(MovedValues.isUnchanged)
        AND NOT (?3 AND m.old_value IS m.new_value) \(rest)
      """)
    try changes.bind(1, integer: run.id)
    try changes.bind(2, text: run.ownTable)
    try changes.bind(3, integer: isOwn ? 1 : 0)
    return changes
  }

  private mutating func restore(
    _ row: Row, in connection: Connection
  ) throws(SQLiteError) -> Outcome {
    let place = [ExactText(row.table)] + row.columns.map(ExactText.init)
    let restoration: ValueRestoration
    if let known = restorations[place] {
      restoration = known
    } else {
      restoration = try ValueRestoration(
        of: row.columns, in: row.table, schemas[ExactText(row.table)], by: statements,
        on: connection)
      restorations[place] = restoration
    }
    do {
      // A row that was removed since stays so.
      guard try restoration.restore(row.moves, ofRow: row.row, on: connection) else {
        return .missing
      }
    } catch {
      guard error.isUniqueViolation, connection.isInTransaction else { throw error }
      return .waits(error)
    }
    valueCount += row.columns.count { $0 != PropertyTimes.column }
    return try restoration.isRestored(row.moves, ofRow: row.row) ? .done : .differs
  }

  private func wait(
    _ row: Row, _ trial: Int64, in connection: Connection
  ) throws(SQLiteError) {
    let insert = try statements.statement(
      "INSERT OR REPLACE INTO \(RestorableRows.waiting) VALUES (?1, ?2, ?3)", in: connection)
    try insert.statement.bind(1, text: row.table)
    try insert.statement.bind(2, integer: row.row)
    try insert.statement.bind(3, integer: trial)
    try insert.statement.run()
  }

  /// Forgets what was kept of a row's columns.
  private func forget(
    _ row: Row, in connection: Connection
  ) throws(SQLiteError) {
    let delete = try statements.statement(
      """
      DELETE FROM main.poikit_moved
      WHERE rowid BETWEEN ?1 AND ?2 AND run = ?3 AND table_name = ?4 AND row_id = ?5
        AND column_name = ?6
      """, in: connection)
    for (place, column) in row.columns.enumerated() {
      try delete.statement.bind(1, integer: row.moves[place])
      try delete.statement.bind(2, integer: row.lastMoves[place])
      try delete.statement.bind(3, integer: run.id)
      try delete.statement.bind(4, text: row.table)
      try delete.statement.bind(5, integer: row.row)
      try delete.statement.bind(6, text: column)
      try delete.statement.run()
    }
  }
}
