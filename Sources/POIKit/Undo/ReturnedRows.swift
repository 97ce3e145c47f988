internal import POIRecords
internal import SQLiteKit

/// The rows that a run removed and that are not to come back: where the key is enforced, those whose
/// key came back since, in rows that are to stay, and those that a later removal beats; and those that
/// have values in a column which is gone. Undoing the run leaves them out, and all that belongs or
/// refers to them.
struct ReturnedRows {
  /// The run that is to be undone.
  let run: UndoableRun

  /// The temporary table of the values that rows had before the run changed them.
  private static let former: SQL = "temp.poikit_former"

  /// The temporary table of the values that other rows can refer to no more.
  private static let lost: SQL = "temp.poikit_lost"

  /// Lists them among the rows that were changed since, once winners have their own values again.
  ///
  /// - Throws: `DeduplicationError` when the database cannot be read.
  func list(in connection: Connection) throws(DeduplicationError) {
    var open: [TableSchema] = []
    for table in run.archivedTables {
      let schema = try TableSchema(of: table, in: connection)
      let isAny = try DeduplicationError.converting { () throws(SQLiteError) in
        let count =
          try listReturned(in: schema, of: connection) + listBeaten(in: schema, of: connection)
          + listColumnless(in: schema, of: connection)
        return count > 0
      }
      if isAny { open.append(schema) }
    }
    guard !open.isEmpty else { return }
    let changedTables = try DeduplicationError.converting { () throws(SQLiteError) in
      try collectFormerValues(in: connection)
      return try run.archivedTables + UndoableRun.movedTables(ofRun: run.id, in: connection)
    }
    while let parent = open.popLast() {
      for reference in try TableReference.all(to: parent, in: connection)
      where changedTables.containsExactly(reference.childTable) {
        let child = try TableSchema(of: reference.childTable, in: connection)
        let isAny = try DeduplicationError.converting { () throws(SQLiteError) in
          try collectLostValues(reference.parentColumns, of: parent, in: connection)
          return try listReferring(reference, of: child, in: connection)
        }
        if isAny { open.append(child) }
      }
    }
  }

  /// Lists the archived rows of a table whose key another row has.
  ///
  /// - Returns: how many there are.
  private func listReturned(
    in schema: TableSchema, of connection: Connection
  ) throws(SQLiteError) -> Int {
    let key = try KeyEnforcer.indexedColumns(of: schema.name, in: connection)
    let kept = try ArchiveTable.columns(of: schema.name, in: connection)
    guard !key.isEmpty, key.allSatisfy({ TableSchema.contains(kept, $0) }) else { return 0 }
    let isSame: [SQL] = key.map { "s.\(name: $0) = +a.\(name: $0) COLLATE BINARY" }
    try connection.execute(
      """
      INSERT OR IGNORE INTO \(MovedValues.list)
      SELECT \(literal: schema.name), a.poikit_row_id
      FROM \(ArchiveTable(source: schema).quotedName) AS a CROSS JOIN main.\(name: schema.name) AS s
      WHERE a.poikit_run = \(run.id) AND \(isSame.joined(separator: " AND "))
      """)
    return connection.changeCount
  }

  /// Lists the archived rows of a table that a removal beats which is remembered, but for those that a
  /// deduplication removed because of it. Where the key is not enforced such rows may stand in the
  /// table.
  ///
  /// - Returns: how many there are.
  private func listBeaten(
    in schema: TableSchema, of connection: Connection
  ) throws(SQLiteError) -> Int {
    guard try !KeyEnforcer.indexedColumns(of: schema.name, in: connection).isEmpty,
      let removals = try TombstoneTable.stored(for: schema.name, in: connection)
    else { return 0 }
    let kept = try ArchiveTable.columns(of: schema.name, in: connection)
    guard removals.columns.allSatisfy({ TableSchema.contains(kept, $0) }) else { return 0 }
    try connection.execute(
      """
      INSERT OR IGNORE INTO \(MovedValues.list)
      SELECT \(literal: schema.name), a.poikit_row_id
      FROM \(ArchiveTable(source: schema).quotedName) AS a
      WHERE a.poikit_run = \(run.id) AND (\(run.isSnapshot ? 1 : 0) OR a.poikit_winner_id IS NOT NULL)
        AND \(removals.condition(ofRow: "a"))
      """)
    return connection.changeCount
  }

  /// Lists the archived rows of a table that have values in a column which the table lacks by now,
  /// unless it is the one that the run deduplicated.
  ///
  /// - Returns: how many there are.
  private func listColumnless(
    in schema: TableSchema, of connection: Connection
  ) throws(SQLiteError) -> Int {
    guard !schema.name.isExactly(run.table) else { return 0 }
    let archive = ArchiveTable(source: schema)
    let hasValue = try archive.lostColumns(in: connection).map { "\(name: $0) IS NOT NULL" as SQL }
    guard !hasValue.isEmpty else { return 0 }
    try connection.execute(
      """
      INSERT OR IGNORE INTO \(MovedValues.list)
      SELECT \(literal: schema.name), poikit_row_id FROM \(archive.quotedName)
      WHERE poikit_run = \(run.id) AND (\(hasValue.joined(separator: " OR ")))
      """)
    return connection.changeCount
  }

  /// Collects what the run changed: of several changes of one value the first counts.
  private func collectFormerValues(in connection: Connection) throws(SQLiteError) {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_former (
        table_name TEXT NOT NULL, column_name TEXT NOT NULL, row_id INTEGER NOT NULL, value,
        PRIMARY KEY (table_name, column_name, row_id)) WITHOUT ROWID;
      DELETE FROM \(Self.former);
      INSERT OR IGNORE INTO \(Self.former)
      SELECT table_name, column_name, row_id, old_value FROM main.poikit_moved
      WHERE run = \(run.id) ORDER BY rowid
      """)
  }

  /// Collects what the listed rows of a table had in some columns before the run, and no row has now.
  private func collectLostValues(
    _ columns: [String], of schema: TableSchema, in connection: Connection
  ) throws(SQLiteError) {
    let values = columns.indices.map { "v\($0)" as SQL }
    // With the affinities of the columns, by which a reference is compared.
    let typed: [SQL] = zip(columns, values).map { "\(name: $0) AS \($1)" }
    let isSame: [SQL] = zip(columns, values).map { "s.\(name: $0) = poikit_lost.\($1)" }
    try connection.execute(
      """
      DROP TABLE IF EXISTS \(Self.lost);
      CREATE TEMP TABLE poikit_lost AS
      SELECT \(typed.joined(separator: ", ")) FROM main.\(name: schema.name) WHERE 0;
      INSERT INTO \(Self.lost)
      SELECT \(values.joined(separator: ", "))
      FROM (\(try rows(of: schema, with: columns, in: connection)))
      WHERE NOT \(MovedValues.isUnchanged("row", of: schema.name));
      DELETE FROM \(Self.lost) WHERE EXISTS (
        SELECT 1 FROM main.\(name: schema.name) AS s WHERE \(isSame.joined(separator: " AND ")))
      """)
  }

  /// Lists the rows of a table that would refer to lost values once the run is undone.
  ///
  /// - Returns: whether there are any that were not listed before.
  private func listReferring(
    _ reference: TableReference, of child: TableSchema, in connection: Connection
  ) throws(SQLiteError) -> Bool {
    let values = reference.childColumns.indices.map { "v\($0)" as SQL }.joined(separator: ", ")
    try connection.execute(
      """
      INSERT OR IGNORE INTO \(MovedValues.list)
      SELECT \(literal: child.name), row
      FROM (\(try rows(of: child, with: reference.childColumns, in: connection)))
      WHERE (\(values)) IN (SELECT \(values) FROM \(Self.lost))
      """)
    return connection.changeCount > 0
  }

  /// Returns the rows of a table that the run archived or changed, each with its id, `row`, and what
  /// it had in some columns before: `v0`, `v1` and so on.
  private func rows(
    of schema: TableSchema, with columns: [String], in connection: Connection
  ) throws(SQLiteError) -> SQL {
    let table = schema.name
    let rowID = SQL(name: schema.rowIDName)
    func values(_ row: SQL) -> SQL {
      columns.enumerated().map { "\(row).\(name: $1) AS v\($0)" }.joined(separator: ", ")
    }
    var rows: SQL = """
      SELECT s.\(rowID) AS row, \(values("s")) FROM main.\(name: table) AS s
      WHERE s.\(rowID) IN (SELECT row_id FROM \(Self.former) WHERE table_name = \(literal: table))
      """
    let kept = try ArchiveTable.columns(of: table, in: connection)
    if columns.allSatisfy({ TableSchema.contains(kept, $0) }) {
      rows += """
         UNION ALL SELECT a.poikit_row_id, \(values("a"))
        FROM \(ArchiveTable(source: schema).quotedName) AS a WHERE a.poikit_run = \(run.id)
        """
    }
    var formerValues: SQL = ""
    var joins: SQL = ""
    for (place, column) in columns.enumerated() {
      formerValues += ", iif(f\(place).row_id IS NULL, r.v\(place), f\(place).value) AS v\(place)"
      joins += """
         LEFT JOIN \(Self.former) AS f\(place) ON f\(place).table_name = \(literal: table)
        AND f\(place).column_name = \(literal: column) AND f\(place).row_id = r.row
        """
    }
    return "SELECT r.row AS row\(formerValues) FROM (\(rows)) AS r\(joins)"
  }
}
