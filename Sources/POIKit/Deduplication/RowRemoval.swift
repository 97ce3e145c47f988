internal import SQLiteKit

/// Takes rows out of a table that nothing stays in the place of, in one transaction of the caller.
///
/// What refers to them by a foreign key goes the way that the key declares: `ON DELETE CASCADE` and
/// `ON DELETE SET NULL` take place, other references are an error.
struct RowRemoval {
  /// The table that the rows are from.
  let schema: TableSchema

  /// The temporary table that lists them.
  static let list = "temp." + Bookkeeping.prefix + "gone"

  private var quotedTable: String { "main." + Connection.quoteIdentifier(schema.name) }
  private var rowID: String { Connection.quoteIdentifier(schema.rowIDName) }

  /// Lists the rows that a condition holds for.
  ///
  /// - Parameter condition: of the row, `t`.
  /// - Returns: how many there are.
  func list(where condition: String, in connection: borrowing Connection) throws(SQLiteError) -> Int
  {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS \(Bookkeeping.prefix)gone (row INTEGER PRIMARY KEY);
      DELETE FROM \(RowRemoval.list);
      INSERT INTO \(RowRemoval.list) SELECT t.\(rowID) FROM \(quotedTable) AS t WHERE \(condition)
      """)
    return connection.changeCount
  }

  /// Puts the listed rows into the archive of a run.
  func archive(
    under run: Int64, in connection: borrowing Connection
  ) throws(DeduplicationError) {
    let archive = ArchiveTable(source: schema)
    try archive.prepare(in: connection)
    let columns = schema.storedColumns.map(Connection.quoteIdentifier)
    let targets = (ArchiveTable.ownColumns + columns).joined(separator: ", ")
    let values = (["\(run)", "t.\(rowID)", "NULL"] + columns.map { "t." + $0 })
      .joined(separator: ", ")
    try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.execute(
        """
        INSERT INTO \(archive.quotedName) (\(targets)) SELECT \(values)
        FROM \(RowRemoval.list) AS g CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row
        """)
    }
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
