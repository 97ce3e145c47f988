internal import POIRecords
internal import SQLiteKit

/// The values that a run changed in rows which stayed: what they were, and what the run made of them.
///
/// Where the run is undone, a row that does not hold the latter any more is left as it is, with all
/// that the run changed in it.
enum MovedValues {
  /// The temporary table that lists the rows which were changed since, and those that `ReturnedRows`
  /// keeps from coming back.
  static let list: SQL = "temp.poikit_changed"

  /// The condition that a row `m` of `poikit_moved` is of a row that is not listed.
  static let isUnchanged: SQL = """
    NOT EXISTS (
      SELECT 1 FROM \(list) AS g WHERE g.table_name = m.table_name AND g.row_id = m.row_id)
    """

  /// The condition that a row of a table, told by its id, is not listed.
  static func isUnchanged(_ row: SQL, of table: String) -> SQL {
    "\(row) NOT IN (SELECT row_id FROM \(list) WHERE table_name = \(literal: table))"
  }

  /// Whether a row `m` of `poikit_moved` is of a value of the table `?2`, and no reference.
  static let isOwn: SQL = """
    (?2 IS NOT NULL AND m.table_name = ?2 COLLATE NOCASE AND m.column_name COLLATE NOCASE NOT IN (
      SELECT "from" FROM pragma_foreign_key_list(?2) WHERE "table" = ?2 COLLATE NOCASE))
    """

  /// Keeps what the rows hold now that a run remembered before it changed them.
  static func note(
    ofRun run: Int64, in connection: Connection
  ) throws(DeduplicationError) {
    let changed: [(table: String, column: String)]
    do { changed = try places(ofRun: run, in: connection) } catch {
      throw DeduplicationError(error)
    }
    for (table, column) in changed {
      let schema = try TableSchema(of: table, in: connection)
      try DeduplicationError.converting { () throws(SQLiteError) in
        try connection.execute(
          """
          UPDATE main.poikit_moved SET new_value = (
            SELECT s.\(name: column) FROM main.\(name: table) AS s
            WHERE s.\(name: schema.rowIDName) = poikit_moved.row_id)
          WHERE run = \(run) AND table_name = \(literal: table)
            AND column_name = \(literal: column)
          """)
      }
    }
  }

  /// Makes the list of changed rows, which is empty then.
  static func makeList(in connection: Connection) throws(SQLiteError) {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_changed (
        table_name TEXT NOT NULL, row_id INTEGER NOT NULL, PRIMARY KEY (table_name, row_id)
      ) WITHOUT ROWID;
      DELETE FROM \(list)
      """)
  }

  /// Lists what a run changed in tables or columns which are gone, and forgets it: what they held, the
  /// rows that were removed from such tables, and what referred to these. The table that the run
  /// deduplicated has to be there.
  static func leaveLost(
    of run: inout UndoableRun, in connection: Connection
  ) throws(DeduplicationError) {
    let id = run.id
    let changed = try DeduplicationError.converting { () throws(SQLiteError) in
      try places(ofRun: id, in: connection)
    }
    for (table, column) in changed {
      let columns = try schema(of: table, by: run, in: connection)?.storedColumns ?? []
      guard !TableSchema.contains(columns, column) else { continue }
      do { try leave(column, of: table, id, in: connection) } catch {
        throw DeduplicationError(error)
      }
    }
    var (present, lost): ([String], [String]) = ([], [])
    for table in run.archivedTables {
      if try schema(of: table, by: run, in: connection) == nil {
        lost.append(table)
      } else {
        present.append(table)
      }
    }
    guard !lost.isEmpty else { return }
    run.archivedTables = present
    do { try leaveRows(of: lost, besides: present, id, in: connection) } catch {
      throw DeduplicationError(error)
    }
  }

  /// Lists the rows that a run removed from tables which are gone, and what referred to them: a
  /// reference that was moved leads to a row which comes back, or changes back, with it.
  private static func leaveRows(
    of lost: [String], besides present: [String], _ run: Int64, in connection: Connection
  ) throws(SQLiteError) {
    for table in lost {
      try connection.execute(
        """
        INSERT OR IGNORE INTO \(list) SELECT \(literal: table), poikit_row_id
        FROM main.\(name: ArchiveTable.prefix + table) WHERE poikit_run = \(run)
        """)
    }
    let changed = try present + UndoableRun.movedTables(ofRun: run, in: connection)
    for (table, column) in try places(ofRun: run, in: connection) {
      let parents = try parents(of: column, of: table, in: connection)
      guard !parents.isEmpty, !parents.contains(where: { TableSchema.contains(changed, $0) })
      else { continue }
      try leave(column, of: table, run, in: connection)
    }
  }

  /// Lists the rows that a run changed a column of, and forgets what it held.
  private static func leave(
    _ column: String, of table: String, _ run: Int64, in connection: Connection
  ) throws(SQLiteError) {
    let place: SQL = """
      run = \(run) AND table_name = \(literal: table) AND column_name = \(literal: column)
      """
    try connection.execute(
      """
      INSERT OR IGNORE INTO \(list) SELECT table_name, row_id FROM main.poikit_moved WHERE \(place);
      DELETE FROM main.poikit_moved WHERE \(place)
      """)
  }

  /// The tables that a column refers to.
  private static func parents(
    of column: String, of table: String, in connection: Connection
  ) throws(SQLiteError) -> [String] {
    var parents: [String] = []
    var statement = try connection.prepare(
      """
      SELECT "table" FROM pragma_foreign_key_list(?1, 'main') WHERE "from" = ?2 COLLATE NOCASE
      """, isPersistent: false)
    try statement.bind(1, text: table)
    try statement.bind(2, text: column)
    while try statement.step() { parents.append(statement.text(0)) }
    return parents
  }

  /// The table that a run changed, or nil if it is gone.
  private static func schema(
    of table: String, by run: UndoableRun, in connection: Connection
  ) throws(DeduplicationError) -> TableSchema? {
    do { return try TableSchema(of: table, in: connection) } catch {
      guard error.code == .unknownTable, !table.isExactly(run.table) else { throw error }
      return nil
    }
  }

  /// How many rows are listed.
  static func listedCount(in connection: Connection) throws(SQLiteError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM \(list)") ?? 0)
  }

  /// Lists the rows that do not hold any more what a run made of them.
  ///
  /// - Parameters:
  ///   - isOwn: whether to look at the values of the run's own table, or at references.
  ///   - schemas: the tables of those rows.
  static func listChanged(
    since run: UndoableRun, isOwn: Bool, _ schemas: [ExactText: TableSchema],
    in connection: Connection
  ) throws(SQLiteError) {
    let mark = isOwn && run.hasMarks ? try RowRemoval.datedMark(of: run, in: connection) : nil
    for (table, column) in try places(of: run, isOwn: isOwn, in: connection)
    where mark.map(column.isExactly) ?? true {
      let rowID = SQL(name: schemas[ExactText(table)]?.rowIDName ?? "rowid")
      // What is told of an id before a row was given it is of another row, which is archived.
      let idColumn = schemas[ExactText(table)]?.rowIDColumn ?? ""
      // A row that has come back is as the run found it last, whatever it made of others after that.
      let archived: SQL =
        run.archivedTables.containsExactly(table)
        ? "SELECT poikit_row_id FROM main.\(name: ArchiveTable.prefix + table) WHERE poikit_run = \(run.id)"
        : "SELECT NULL WHERE 0"
      // Of several changes of one value the last counts. What was given is compared as the column
      // stores it.
      try connection.execute(
        """
        INSERT OR IGNORE INTO \(list)
        SELECT \(literal: table), m.row_id
        FROM (
          SELECT max(c.rowid), c.row_id, c.new_value FROM main.poikit_moved AS c
          LEFT JOIN (
            SELECT row_id, max(rowid) AS given FROM main.poikit_moved
            WHERE run = \(run.id) AND table_name = \(literal: table)
              AND column_name = \(literal: idColumn)
            GROUP BY row_id) AS i ON i.row_id = c.row_id
          WHERE c.run = \(run.id) AND c.table_name = \(literal: table)
            AND c.column_name = \(literal: column) AND c.rowid >= coalesce(i.given, 0)
          GROUP BY c.row_id) AS m
        CROSS JOIN main.\(name: table) AS s ON s.\(rowID) = m.row_id
        WHERE s.\(name: column) IS NOT +m.new_value COLLATE BINARY
          AND m.row_id NOT IN (\(archived))
        """)
    }
    guard let mark else { return }
    for row in try RowRemoval.redatedRows(of: run, mark: mark, in: connection) {
      try connection.execute(
        "INSERT OR IGNORE INTO \(list) VALUES (\(literal: run.table), \(row))")
    }
  }

  /// The columns with values that a run remembered, with their tables.
  private static func places(
    ofRun run: Int64, in connection: Connection
  ) throws(SQLiteError) -> [(table: String, column: String)] {
    var places: [(table: String, column: String)] = []
    var statement = try connection.prepare(
      "SELECT DISTINCT table_name, column_name FROM main.poikit_moved WHERE run = ?1",
      isPersistent: false)
    try statement.bind(1, integer: run)
    while try statement.step() { places.append((statement.text(0), statement.text(1))) }
    return places
  }

  /// Those of them with values of the run's own table, or with references.
  private static func places(
    of run: UndoableRun, isOwn: Bool, in connection: Connection
  ) throws(SQLiteError) -> [(table: String, column: String)] {
    var places: [(table: String, column: String)] = []
    var statement = try connection.prepare(
      """
      SELECT DISTINCT m.table_name, m.column_name FROM main.poikit_moved AS m
      WHERE m.run = ?1 AND \(MovedValues.isOwn) = ?3
      """, isPersistent: false)
    try statement.bind(1, integer: run.id)
    try statement.bind(2, text: run.ownTable)
    try statement.bind(3, integer: isOwn ? 1 : 0)
    while try statement.step() { places.append((statement.text(0), statement.text(1))) }
    return places
  }
}
