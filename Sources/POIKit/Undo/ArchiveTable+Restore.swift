internal import SQLiteKit

extension ArchiveTable {
  /// The columns that the archive keeps of the source, past and present ones.
  private func keptColumns(in connection: Connection) throws(SQLiteError) -> [String] {
    try Self.columns(of: source.name, in: connection).filter { !Self.ownColumns.contains($0) }
  }

  /// The columns that the archive keeps and the source lacks by now.
  func lostColumns(in connection: Connection) throws(SQLiteError) -> [String] {
    try keptColumns(in: connection).filter { !TableSchema.contains(source.storedColumns, $0) }
  }

  /// What stands in the way of putting the rows of a run back, if anything does.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  func obstacle(
    toRestoring run: Int64, in connection: Connection
  ) throws(SQLiteError) -> String? {
    for column in try lostColumns(in: connection) {
      let valueCount = try connection.integer(
        """
        SELECT count(\(name: column)) FROM \(quotedName)
        WHERE poikit_run = \(run) AND \(MovedValues.isUnchanged("poikit_row_id", of: source.name))
        """)
      if valueCount != 0 { return "'\(source.name)' has no column '\(column)' any more" }
    }
    let rowID = SQL(name: source.rowIDName)
    let taken = try connection.text(
      """
      SELECT group_concat(poikit_row_id, ', ') FROM (
        SELECT poikit_row_id FROM \(quotedName) WHERE poikit_run = \(run) AND poikit_row_id IN (
          SELECT \(rowID) FROM main.\(name: source.name))
        ORDER BY poikit_row_id LIMIT 10)
      """)
    return taken.map {
      """
      '\(source.name)' has other rows with the ids \($0) now: give these rows ids that are free, by the \
      column '\(source.rowIDName)', and let what refers to them follow
      """
    }
  }

  /// Gives the archived rows of a run the values that they had before it: a row may have been moved to
  /// winners before it was removed itself. What was kept of that is forgotten.
  ///
  /// Rows of a table where the run changed ids stay as they are: these do not tell them before.
  ///
  /// - Returns: how many values that was.
  /// - Throws: `SQLiteError` when the database cannot be written.
  func takeFormerValues(
    ofRun run: Int64, in connection: Connection
  ) throws(SQLiteError) -> Int {
    let moves: SQL = "run = \(run) AND table_name = \(literal: source.name)"
    let archived: SQL = "SELECT poikit_row_id FROM \(quotedName) WHERE poikit_run = \(run)"
    var columns: [String] = []
    var statement = try connection.prepare(
      """
      SELECT DISTINCT column_name FROM main.poikit_moved
      WHERE \(moves) AND row_id IN (\(archived))
      """, isPersistent: false)
    while try statement.step() { columns.append(statement.text(0)) }
    guard !columns.contains(where: { TableSchema.isSame($0, source.rowIDColumn) }) else { return 0 }
    var count = 0
    for column in columns {
      // Of several changes of one value the first counts.
      try connection.execute(
        """
        UPDATE \(quotedName) SET \(name: column) = m.old_value
        FROM (
          SELECT min(rowid), row_id, old_value FROM main.poikit_moved
          WHERE \(moves) AND column_name = \(literal: column) GROUP BY row_id) AS m
        WHERE poikit_run = \(run) AND poikit_row_id = m.row_id
        """)
      if column != PropertyTimes.column { count += connection.changeCount }
    }
    try connection.execute(
      "DELETE FROM main.poikit_moved WHERE \(moves) AND row_id IN (\(archived))")
    return count
  }

  /// Puts the rows of a run back into the source, but for those that are listed as changed since.
  ///
  /// - Returns: how many there were.
  /// - Throws: `SQLiteError` when a constraint does not allow it.
  func restore(
    _ run: Int64, in connection: Connection
  ) throws(SQLiteError) -> Int {
    let kept = Set(try keptColumns(in: connection).map { $0.lowercased() })
    var targets = source.storedColumns.filter { kept.contains($0.lowercased()) }
      .map(SQL.init(name:))
    var values = targets
    // A column that is the row id is among them.
    if source.rowIDColumn == nil {
      targets.append(SQL(name: source.rowIDName))
      values.append("poikit_row_id")
    }
    try connection.execute(
      """
      INSERT OR ABORT INTO main.\(name: source.name)
        (\(targets.joined(separator: ", ")))
      SELECT \(values.joined(separator: ", ")) FROM \(quotedName)
      WHERE poikit_run = \(run) AND \(MovedValues.isUnchanged("poikit_row_id", of: source.name))
      ORDER BY poikit_row_id
      """)
    return connection.changeCount
  }

  /// The id of a row of a run that is not in the source as it is in the archive, or nil if all are.
  ///
  /// A row whose references were moved before it was archived is not looked at: they have been put
  /// back too. Nor is one that is listed as changed since.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  func firstDifference(
    ofRun run: Int64, in connection: Connection
  ) throws(SQLiteError) -> Int64? {
    let kept = Set(try keptColumns(in: connection).map { $0.lowercased() })
    let columns = source.storedColumns.filter { kept.contains($0.lowercased()) }
    func types(_ row: SQL) -> SQL {
      columns.map { "typeof(\(row).\(name: $0))" }.joined(separator: ", ")
    }
    func values(_ row: SQL) -> SQL {
      columns.map { "+\(row).\(name: $0) COLLATE BINARY" }.joined(separator: ", ")
    }
    let rowID = SQL(name: source.rowIDName)
    // A condition for each column would be too deep where there are hundreds of them.
    return try connection.integer(
      """
      SELECT a.poikit_row_id FROM \(quotedName) AS a
      WHERE a.poikit_run = \(run) AND NOT EXISTS (
        SELECT 1 FROM main.\(name: source.name) AS s
        WHERE s.\(rowID) = a.poikit_row_id AND (\(types("s"))) = (\(types("a")))
          AND (\(values("s"))) IS (\(values("a"))))
      AND a.poikit_row_id NOT IN (
        SELECT row_id FROM main.poikit_moved
        WHERE run = \(run) AND table_name = \(literal: source.name))
      AND \(MovedValues.isUnchanged("a.poikit_row_id", of: source.name))
      ORDER BY a.poikit_row_id LIMIT 1
      """)
  }
}
