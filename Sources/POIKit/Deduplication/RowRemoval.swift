internal import SQLiteKit

/// Takes rows out of a table that nothing stays in the place of, in one transaction of the caller.
///
/// What refers to them by a foreign key goes the way that the key declares: `ON DELETE CASCADE` and
/// `ON DELETE SET NULL` take place, other references are an error.
struct RowRemoval {
  /// The table that the rows are from.
  let schema: TableSchema

  /// The temporary table that lists them.
  static let list: SQL = "temp.poikit_gone"

  private var quotedTable: SQL { "main.\(name: schema.name)" }
  private var rowID: SQL { SQL(name: schema.rowIDName) }

  /// Lists the rows that a condition holds for.
  ///
  /// - Parameter condition: of the row, `t`.
  /// - Returns: how many there are.
  func list(where condition: SQL, in connection: borrowing Connection) throws(SQLiteError) -> Int {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_gone (row INTEGER PRIMARY KEY);
      DELETE FROM \(RowRemoval.list);
      INSERT INTO \(RowRemoval.list) SELECT t.\(rowID) FROM \(quotedTable) AS t WHERE \(condition)
      """)
    return connection.changeCount
  }

  /// Puts the listed rows into the archive of a run, and rows of other tables that go with them.
  func archive(
    under run: Int64, in connection: borrowing Connection
  ) throws(DeduplicationError) {
    try archive(RowRemoval.list, under: run, depth: 0, in: connection)
  }

  private func archive(
    _ list: SQL, under run: Int64, depth: Int, in connection: borrowing Connection
  ) throws(DeduplicationError) {
    let archive = ArchiveTable(source: schema)
    try archive.prepare(in: connection)
    let columns = schema.storedColumns.map(SQL.init(name:))
    let targets = ArchiveTable.ownColumns.map(SQL.init(name:)) + columns
    let values: [SQL] = ["\(run)", "t.\(rowID)", "NULL"] + columns.map { "t.\($0)" }
    try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.execute(
        """
        INSERT INTO \(archive.quotedName) (\(targets.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", "))
        FROM \(list) AS g CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row
        """)
    }
    for reference in try TableReference.all(to: schema, in: connection) {
      try archiveDependents(reference, of: list, under: run, depth: depth, in: connection)
    }
  }

  /// Archives the rows that SQLite deletes with the listed ones.
  private func archiveDependents(
    _ reference: TableReference, of list: SQL, under run: Int64, depth: Int,
    in connection: borrowing Connection
  ) throws(DeduplicationError) {
    let inner: SQL = "poikit_gone_\(depth + 1)"
    let isAny = try DeduplicationError.converting { () throws(SQLiteError) -> Bool in
      guard try cascades(reference, in: connection) else { return false }
      let conditions = zip(reference.childColumns, reference.parentColumns).map {
        ReferenceMove.refers("c", $0, to: "t", $1)
      }
      try connection.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS \(inner) (row INTEGER PRIMARY KEY);
        DELETE FROM temp.\(inner);
        """)
      let row = try RowRemoval.rowID(of: reference.childTable, in: connection)
      try connection.execute(
        """
        INSERT OR IGNORE INTO temp.\(inner)
        SELECT \(row)
        FROM \(quotedTable) AS t JOIN main.\(name: reference.childTable) AS c
          ON \(conditions.joined(separator: " AND "))
        WHERE t.\(rowID) IN (SELECT row FROM \(list))
        """)
      return connection.changeCount > 0
    }
    guard isAny else { return }
    try RowRemoval(schema: TableSchema(of: reference.childTable, in: connection)).archive(
      "temp.\(inner)", under: run, depth: depth + 1, in: connection)
  }

  /// The row id of a table `c` in SQL. One without row ids cannot be archived, and is told of where it
  /// has rows to archive: any number stands for them.
  private static func rowID(
    of table: String, in connection: borrowing Connection
  ) throws(SQLiteError) -> SQL {
    do {
      return "c.\(name: try TableSchema(of: table, in: connection).rowIDName)"
    } catch {
      if error.code == .database, let cause = error.cause { throw cause }
      return "1"
    }
  }

  private func cascades(
    _ reference: TableReference, in connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    var statement = try connection.prepare(
      """
      SELECT 1 FROM pragma_foreign_key_list(?1)
      WHERE "table" = ?2 COLLATE NOCASE AND "from" = ?3 AND on_delete = 'CASCADE'
      """, isPersistent: false)
    try statement.bind(1, text: reference.childTable)
    try statement.bind(2, text: schema.name)
    try statement.bind(3, text: reference.childColumns[0])
    return try statement.step()
  }

  /// Deletes the listed rows, and forgets the list.
  ///
  /// - Throws: `DeduplicationError` with `unmovableReference` when other rows refer to them.
  func delete(in connection: borrowing Connection) throws(DeduplicationError) {
    do {
      try connection.execute(
        """
        DELETE FROM \(quotedTable) WHERE \(rowID) IN (SELECT row FROM \(RowRemoval.list));
        DELETE FROM \(RowRemoval.list)
        """)
    } catch {
      guard error.isConstraint else { throw DeduplicationError(error) }
      throw DeduplicationError(
        .unmovableReference,
        """
        rows of other tables refer to rows of '\(schema.name)' that are to be removed: say what \
        becomes of them with ON DELETE CASCADE or ON DELETE SET NULL
        """, cause: error)
    }
  }

  /// Gives a column of the listed rows a value, and keeps what it held for a run to be undone.
  func mark(
    _ column: String, as value: Int64, under run: Int64, in connection: borrowing Connection
  ) throws(SQLiteError) {
    let quotedColumn = SQL(name: column)
    try connection.execute(
      """
      INSERT INTO main.poikit_moved (run, table_name, row_id, column_name, old_value)
      SELECT \(run), \(literal: schema.name), t.\(rowID),
        \(literal: column), t.\(quotedColumn)
      FROM \(RowRemoval.list) AS g CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row;
      UPDATE \(quotedTable) SET \(quotedColumn) = \(value)
      WHERE \(rowID) IN (SELECT row FROM \(RowRemoval.list))
      """)
  }

  /// Adds up the digests of the listed rows.
  func digest(
    _ layout: TableLayout, in connection: borrowing Connection
  ) throws(SQLiteError) -> Digest {
    var reader = try ContentReader(layout, schema: schema, rows: .one, in: connection)
    var content = CanonicalContent()
    var sum = Digest.zero
    var rows = try connection.prepare("SELECT row FROM \(RowRemoval.list)")
    while try rows.step() {
      try reader.read(rows.integer(0), into: &content)
      sum += content.digest
    }
    return sum
  }

  /// Runs `body` with foreign keys enforced.
  static func enforcingReferences<Result, Failure: SQLiteErrorConvertible>(
    on connection: borrowing Connection, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let before: Int64?
    do {
      before = try connection.integer("PRAGMA foreign_keys")
      try connection.execute("PRAGMA foreign_keys = ON")
    } catch {
      throw Failure(error)
    }
    defer { try? connection.execute("PRAGMA foreign_keys = \(before ?? 0)") }
    return try body()
  }
}
