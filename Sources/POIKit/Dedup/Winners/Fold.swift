internal import POIRecords
internal import POISQLite

/// The rows of a table whose keys lost in a run, and that a delivery brought back, with the rows that they lost
/// to.
///
/// They are listed in a temporary table. Each row that came back is compared with the first row of its chain of
/// redirects that exists.
struct Fold: Sendable {
  /// The run whose redirects list the rows.
  let run: Int64

  private static let listTable: SQL = "temp.poikit_fold"

  /// The column that tells which listed rows are compared.
  static let group: SQL = "f.winner"

  /// Lists the rows that came back.
  ///
  /// - Parameters:
  ///   - layout: the table's layout.
  ///   - snapshot: the rows that a snapshot met, and whose others will be removed; nil for no snapshot.
  ///   - connection: the database.
  /// - Returns: one value for each run, the earliest first; nil if the table has no redirects.
  static func list(
    of layout: TableLayout, staying snapshot: SnapshotTable?, in connection: Connection
  ) throws -> [Fold]? {
    let redirects: SQL = "main.poikit_redirect WHERE table_name = \(literal: layout.table)"
    guard try connection.integer("SELECT 1 FROM \(redirects) LIMIT 1") != nil else { return nil }
    try snapshot?.complete()
    let stays: SQL = snapshot?.holds(row: "t") ?? "1"
    let table: SQL = "main.\(name: layout.table) AS t"
    let row: SQL = "t.\(StoreSchema.idColumn)"
    func has(_ key: SQL) -> SQL {
      let names = layout.identityColumns
      // The first conditions can use an index.
      var conditions = names.enumerated().map { place, name -> SQL in
        names.count == 1
          ? "t.\(name: name) = \(key)" : "t.\(name: name) = \(key) ->> \(Int64(place))"
      }
      conditions.append("\(layout.identity(of: "t")) = \(key)")
      return conditions.joined(separator: " AND ")
    }
    try connection.execute(
      """
      DROP TABLE IF EXISTS temp.poikit_redirected;
      CREATE TEMP TABLE poikit_redirected (
        loser TEXT NOT NULL PRIMARY KEY, winner TEXT NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO temp.poikit_redirected
        SELECT loser_key, winner_key, max(run) FROM \(redirects) GROUP BY loser_key;
      DROP TABLE IF EXISTS \(listTable);
      CREATE TABLE \(listTable) (
        run INTEGER NOT NULL, row INTEGER NOT NULL, winner INTEGER NOT NULL, loser TEXT,
        PRIMARY KEY (run, row)) WITHOUT ROWID;
      INSERT OR IGNORE INTO \(listTable)
      WITH RECURSIVE chain (run, row, loser, "key") AS (
        SELECT r.run, \(row), r.loser, r.winner
        FROM temp.poikit_redirected AS r JOIN \(table) ON \(has("r.loser"))
        WHERE \(stays)
        UNION
        SELECT c.run, c.row, c.loser, r.winner
        FROM chain AS c CROSS JOIN temp.poikit_redirected AS r ON r.loser = c."key"
        WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE \(has("c.\"key\""))))
      SELECT c.run, c.row, \(row), c.loser FROM chain AS c JOIN \(table) ON \(has("c.\"key\""))
      WHERE \(row) <> c.row AND \(stays);
      INSERT OR IGNORE INTO \(listTable) SELECT run, winner, winner, NULL FROM \(listTable);
      DROP TABLE temp.poikit_redirected;
      """)
    return try connection.rows("SELECT DISTINCT run FROM \(listTable) ORDER BY run") {
      Fold(run: $0.integer(0))
    }
  }

  /// The fold that was killed before its end, which lists no rows; nil if all have ended.
  static func unfinished(of table: String, in connection: Connection) throws -> Fold? {
    let condition: SQL = """
      tool = \(literal: RunRecord.deduplicationTool) AND table_name = \(literal: table)
      AND state = 'running' AND options ->> 'fold' = 1
      """
    return try RunRecord.latest(where: condition, in: connection).map { Fold(run: $0.id) }
  }

  /// The listed rows as `t`, each with its group.
  func rows(of schema: TableSchema) -> SQL {
    """
    (SELECT row, winner FROM \(Fold.listTable) WHERE run = \(run)) AS f
    CROSS JOIN main.\(name: schema.name) AS t ON t.\(name: schema.rowIDName) = f.row
    """
  }

  /// Deletes the redirects of rows that came back and stay.
  func endRedirects(of layout: TableLayout, in connection: Connection) throws {
    try connection.execute(
      """
      DELETE FROM main.poikit_redirect WHERE table_name = \(literal: layout.table) AND loser_key IN (
        SELECT f.loser FROM \(Fold.listTable) AS f JOIN main.\(name: layout.table) AS t
        ON t.\(StoreSchema.idColumn) = f.row WHERE f.run = \(run))
      """)
  }
}
