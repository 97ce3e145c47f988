internal import POIRecords
internal import SQLiteKit

/// The rows of before, as an earlier snapshot met them that removed nothing.
struct EarlierSnapshot {
  let run: Int64
  let rows: RemovableRows

  /// The first snapshot into a table, among those before `run`, since one removed what it lacked and is
  /// not undone: what was there before it is not to go by a repetition of the same mistake.
  static func first(
    before run: Int64, into table: String, in connection: Connection
  ) throws -> EarlierSnapshot? {
    let snapshots: SQL = """
      \(RunRecord.imports(into: table)) AND id < \(run) AND options ->> 'snapshot' = 1
      """
    let since = try RunRecord.list(
      where: """
        \(snapshots) AND id > coalesce((
          SELECT max(id) FROM main.poikit_run
          WHERE \(snapshots) AND state = 'finished' AND counters ->> 'refused' IS NULL), 0)
        """, in: connection)
    guard let first = since.last, let count = first.options["rows"]?.integer,
      let lastRow = first.options["lastRow"]?.integer
    else { return nil }
    return EarlierSnapshot(
      run: first.id, rows: RemovableRows(count: count, lastRow: Int64(lastRow)))
  }
}
