internal import SQLiteKit

/// The rows of before, as an earlier snapshot met them that removed nothing.
struct EarlierSnapshot {
  let run: Int64
  let rows: RemovableRows

  /// The first snapshot into a table, among those before `run`, since one removed what it lacked and
  /// is not undone: what was there before it is not to go by a repetition of the same mistake.
  ///
  /// - Returns: nothing where there is none, or an earlier version of the toolkit imported it.
  static func first(
    before run: Int64, into table: String, in connection: Connection
  ) throws -> EarlierSnapshot? {
    var statement = try connection.prepare(
      """
      WITH snapshots AS (
        SELECT id, options ->> 'rows' AS row_count, options ->> 'lastRow' AS last_row,
          state = 'finished' AND counters ->> 'refused' IS NULL AS is_taken
        FROM main.poikit_run
        WHERE tool = ?1 AND table_name = ?2 AND id < ?3 AND options ->> 'snapshot' = 1)
      SELECT id, row_count, last_row FROM snapshots
      WHERE id > coalesce((SELECT max(id) FROM snapshots WHERE is_taken), 0)
      ORDER BY id LIMIT 1
      """, isPersistent: false)
    try statement.bind(1, text: RunRecord.importTool)
    try statement.bind(2, text: table)
    try statement.bind(3, integer: run)
    guard try statement.step(), !statement.isNull(1), !statement.isNull(2) else { return nil }
    return EarlierSnapshot(
      run: statement.integer(0),
      rows: RemovableRows(count: Int(statement.integer(1)), lastRow: statement.integer(2)))
  }
}
