internal import POIRecords
internal import POISQLite

/// Undoes a run: goes through its journal backwards and restores each archived row in its turn. So each step
/// meets the state after the original step, and causes no new conflicts.
///
/// A row that has changed since the run is left unchanged.
struct JournalReplay {
  static let changed: SQL = "temp.poikit_changed"

  private let run: UndoableRun
  private let schemas: [ExactText: TableSchema]
  private let statements: PreparedStatements
  private var restorations: [[ExactText]: ValueRestoration] = [:]

  private(set) var rowCount = 0

  private(set) var valueCounts: [Journal.Kind: Int] = [:]

  private(set) var changedRowCount = 0

  /// The values of one row that one step of the run changed.
  private struct Change {
    let table: String
    let row: Int64
    var columns: [String]
    var kinds: [Journal.Kind?]

    /// The journal numbers of the values.
    var numbers: [Int64]

    init(_ journal: borrowing Statement) {
      numbers = [journal.integer(0)]
      table = journal.text(1)
      row = journal.integer(2)
      columns = [journal.text(3)]
      kinds = [Journal.Kind(rawValue: journal.text(4))]
    }

    /// Adds the value of another entry; returns false if it is of another row or of a column that is
    /// included.
    mutating func add(_ other: Change) -> Bool {
      guard other.table.isExactly(table), other.row == row,
        !columns.containsExactly(other.columns[0])
      else { return false }
      columns += other.columns
      kinds += other.kinds
      numbers += other.numbers
      return true
    }
  }

  private var connection: Connection { statements.connection }

  /// - Parameter schemas: the tables of the run, which all exist.
  init(of run: UndoableRun, _ schemas: [ExactText: TableSchema], in connection: Connection) {
    statements = PreparedStatements(connection)
    self.run = run
    self.schemas = schemas
  }

  /// Undoes the run, inside the caller's transaction.
  ///
  /// - Throws: `StoreFailure` when a constraint or a trigger prevents it.
  mutating func replay() throws {
    try listChangedRows()
    var end = Int64.max
    for removal in try removals() {
      try undoChanges(after: removal.change, upTo: end)
      end = removal.change
      rowCount += try ArchiveTable(source: schema(of: removal.table)).restore(
        removal.rows, removedAfter: removal.change, of: run.id)
    }
    try undoChanges(after: 0, upTo: end)
  }

  private func schema(of table: String) -> TableSchema {
    guard let schema = schemas[ExactText(table)] else {
      preconditionFailure("the tables of a run are read before")
    }
    return schema
  }

  private mutating func listChangedRows() throws {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_changed (
        table_name TEXT NOT NULL, row_id INTEGER NOT NULL, PRIMARY KEY (table_name, row_id)
      ) WITHOUT ROWID;
      DELETE FROM \(Self.changed)
      """)
    for (table, column) in try Journal.columns(ofRun: run.id, in: connection) {
      let place: SQL = "run = \(run.id) AND table_name = \(literal: table)"
      let schema = schema(of: table)
      // Only the last change of a value counts. Values before a row got its id belong to another row, which
      // was removed. Values are compared as the column stores them.
      try connection.execute(
        """
        INSERT OR IGNORE INTO \(Self.changed)
        SELECT \(literal: table), j.row_id
        FROM (
          SELECT max(c.id), c.row_id, c.new_value FROM main.poikit_journal AS c
          LEFT JOIN (
            SELECT row_id, max(id) AS given FROM main.poikit_journal
            WHERE \(place) AND column_name = \(literal: schema.rowIDColumn ?? "")
            GROUP BY row_id) AS g ON g.row_id = c.row_id
          WHERE \(place) AND column_name = \(literal: column) AND c.id >= coalesce(g.given, 0)
          GROUP BY c.row_id) AS j
        CROSS JOIN main.\(name: table) AS s
        ON s.\(name: schema.rowIDName) = j.row_id
        WHERE s.\(name: column) IS NOT +j.new_value COLLATE BINARY
        """)
    }
    changedRowCount = Int(try connection.integer("SELECT count(*) FROM \(Self.changed)") ?? 0)
  }

  /// The removals, the last first. One removal is all rows of a table removed between two changes.
  private func removals() throws -> [(change: Int64, table: String, rows: ClosedRange<Int64>)] {
    let archives = run.archivedTables.map { table -> SQL in
      """
      SELECT poikit_change, \(literal: table), min(poikit_number), max(poikit_number)
      FROM main.\(name: ArchiveTable.prefix + table)
      WHERE poikit_run = \(run.id) GROUP BY poikit_change
      """
    }
    guard !archives.isEmpty else { return [] }
    return try connection.rows(
      "\(archives.joined(separator: " UNION ALL ")) ORDER BY 1 DESC"
    ) { ($0.integer(0), $0.text(1), $0.integer(2)...$0.integer(3)) }
  }

  /// Undoes the changes after `first`, up to `last`, in reverse order.
  private mutating func undoChanges(after first: Int64, upTo last: Int64) throws {
    guard first < last else { return }
    let box = try statements.statement(
      """
      SELECT id, table_name, row_id, column_name, kind FROM main.poikit_journal
      WHERE run = \(run.id) AND id > ?1 AND id <= ?2 ORDER BY id DESC
      """)
    try box.statement.bind(1, integer: first)
    try box.statement.bind(2, integer: last)
    var change = try box.statement.step() ? Change(box.statement) : nil
    while var row = change {
      change = nil
      while try box.statement.step() {
        let next = Change(box.statement)
        guard row.add(next) else {
          change = next
          break
        }
      }
      try undo(row)
    }
    try box.statement.reset()
  }

  private mutating func undo(_ change: Change) throws {
    guard try !isChanged(change) else { return }
    let place = [ExactText(change.table)] + change.columns.map(ExactText.init)
    let restoration: ValueRestoration
    if let known = restorations[place] {
      restoration = known
    } else {
      restoration = try ValueRestoration(
        of: change.columns, in: schema(of: change.table), by: statements)
      restorations[place] = restoration
    }
    do {
      // A row that was deleted since the run stays deleted.
      guard try restoration.restore(change.numbers, ofRow: change.row) else {
        return
      }
    } catch let error as SQLiteError where error.isConstraint {
      throw run.obstacle(
        "row \(change.row) of '\(change.table)' cannot get its former values, because \(error.message)",
        cause: error)
    }
    for kind in change.kinds { if let kind { valueCounts[kind, default: 0] += 1 } }
    guard try restoration.isRestored(change.numbers, ofRow: change.row) else {
      throw try run.changedByTrigger(row: change.row, of: change.table)
    }
  }

  private func isChanged(_ change: Change) throws -> Bool {
    guard changedRowCount > 0 else { return false }
    let find = try statements.statement(
      "SELECT 1 FROM \(Self.changed) WHERE table_name = ?1 AND row_id = ?2")
    try find.statement.bind(1, text: change.table)
    try find.statement.bind(2, integer: change.row)
    let isFound = try find.statement.step()
    try find.statement.reset()
    return isFound
  }
}
