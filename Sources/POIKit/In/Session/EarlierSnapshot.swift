internal import POIRecords
internal import POISQLite

/// An earlier snapshot that removed no rows, and the rows that it could have removed.
struct EarlierSnapshot {
  let run: Int64
  let rows: RemovableRows

  /// The first snapshot into a table before `run`, among those after the last one that removed rows and is
  /// not undone. The removal limit also applies to the rows stored before it, so that a repeated
  /// snapshot does not remove them.
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
