internal import SQLiteKit

/// What the toolkit did with the store: one row of `poikit_run` for each run, with its checkpoint
/// while it is unfinished.
struct RunLog {
  /// A run that ended before its inputs did.
  struct Unfinished {
    var id: Int64
    /// The checkpoint of its last committed batch.
    var checkpoint: String
    /// How many batches the run has committed: by it two processes that drive one run are told.
    var generation: Int64
  }

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - options: what the run was asked to do, as JSON text.
  /// - Returns: the id of the run.
  static func begin(
    tool: String, table: String, started: Instant, options: String,
    in connection: borrowing Connection
  ) throws(SQLiteError) -> Int64 {
    var statement = try connection.prepare(
      """
      INSERT INTO poikit_run (tool, version, table_name, state, started, options, counters)
      VALUES (?, ?, ?, 'running', ?, ?, '{}')
      """)
    try statement.bind(1, text: tool)
    try statement.bind(2, text: POIKitVersion.current)
    try statement.bind(3, text: table)
    try statement.bind(4, integer: started.microseconds)
    try statement.bind(5, text: options)
    try statement.run()
    return connection.lastInsertRowID
  }

  /// Ends a run in the state `finished` or `failed`; a failed one keeps its checkpoint.
  static func end(
    _ id: Int64, state: String, ended: Instant, counters: String,
    in connection: borrowing Connection
  ) throws(SQLiteError) {
    try connection.inTransaction(.immediate) { () throws(SQLiteError) in
      try writeEnd(id, state: state, ended: ended, counters: counters, in: connection)
    }
  }

  /// Ends a run inside the caller's transaction.
  static func writeEnd(
    _ id: Int64, state: String, ended: Instant, counters: String,
    in connection: borrowing Connection
  ) throws(SQLiteError) {
    var statement = try connection.prepare(
      "UPDATE poikit_run SET state = ?, ended = ?, counters = ? WHERE id = ?")
    try statement.bind(1, text: state)
    try statement.bind(2, integer: ended.microseconds)
    try statement.bind(3, text: counters)
    try statement.bind(4, integer: id)
    try statement.run()
    if state == "finished" {
      var removal = try connection.prepare("DELETE FROM poikit_checkpoint WHERE run = ?")
      try removal.bind(1, integer: id)
      try removal.run()
    }
  }

  /// The unfinished runs of `tool` on `table` that have committed a batch, the latest first.
  static func unfinished(
    tool: String, table: String, in connection: borrowing Connection
  ) throws(SQLiteError) -> [Unfinished] {
    var statement = try connection.prepare(
      """
      SELECT r.id, c.state, c.generation FROM poikit_run AS r JOIN poikit_checkpoint AS c ON c.run = r.id
      WHERE r.tool = ? AND r.table_name = ? AND r.state IN ('running', 'failed')
      ORDER BY r.id DESC
      """)
    try statement.bind(1, text: tool)
    try statement.bind(2, text: table)
    var runs: [Unfinished] = []
    while try statement.step() {
      runs.append(
        Unfinished(
          id: statement.integer(0), checkpoint: statement.text(1),
          generation: statement.integer(2)))
    }
    return runs
  }

  /// Gives up a run: its rows stay, its checkpoint and the records that it did not merge go.
  static func abandon(_ id: Int64, in connection: borrowing Connection) throws(SQLiteError) {
    try connection.inTransaction(.immediate) { () throws(SQLiteError) in
      try connection.execute(
        "UPDATE poikit_run SET state = 'abandoned' WHERE id = \(id); "
          + "DELETE FROM poikit_checkpoint WHERE run = \(id);")
      try LandingTable.remove(ofRun: id, in: connection)
      try SnapshotTable.remove(ofRun: id, in: connection)
    }
  }
}
