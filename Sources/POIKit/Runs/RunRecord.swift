internal import POIRecords
internal import SQLiteKit

/// What a tool did with the store: a row of `poikit_run`.
///
/// An import that is unfinished has a checkpoint beside it, from its first batch on; a deduplication
/// needs none.
struct RunRecord {
  /// The name under which imports stand in the table.
  static let importTool = "poi-import"

  /// The name under which deduplications stand in the table.
  static let deduplicationTool = "poi-dedup"

  /// The greatest count, offset or number of batches that is accepted from a store, so that counting
  /// on from there cannot overflow.
  static let greatestCount = 1 << 56

  /// How far a run is.
  enum State: String {
    case running, finished, failed, abandoned, undone
  }

  /// An import that ended before its inputs did.
  struct Unfinished {
    var record: RunRecord
    /// The checkpoint of its last committed batch.
    var checkpoint: String
    /// The inputs that it has begun, in their order.
    var inputs: [ImportReport.Input]
    /// How many batches the run has committed: by it two processes that drive one run are told.
    var generation: Int64
    /// Whether it ended with an error, so that no process drives it.
    var hasFailed: Bool
    /// What its inputs come from, as `ImportOptions.source` said.
    var source: String
  }

  /// The row's id.
  let id: Int64

  /// What a deduplication changed before it was interrupted.
  private(set) var earlier = RemovalCounts()

  /// A run that is there.
  init(id: Int64, earlier: RemovalCounts = RemovalCounts()) {
    self.id = id
    self.earlier = earlier
  }

  /// Whether the database has the toolkit's bookkeeping.
  static func isBookkept(_ connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'poikit_run'") != nil
  }

  /// Begins a run, inside the caller's transaction.
  ///
  /// - Parameter options: what the run was asked to do, as JSON text.
  init(
    tool: String, table: String, started: Instant, options: String,
    in connection: Connection
  ) throws {
    var statement = try connection.prepare(
      """
      INSERT INTO main.poikit_run (tool, version, table_name, state, started, options, counters)
      VALUES (?1, ?2, ?3, 'running', ?4, ?5, '{}')
      """, isPersistent: false)
    try statement.bind(1, text: tool)
    try statement.bind(2, text: POIKitVersion.current)
    try statement.bind(3, text: table)
    try statement.bind(4, integer: started.microseconds)
    try statement.bind(5, text: options)
    try statement.run()
    id = connection.lastInsertRowID
  }

  /// Ends the run, unless another process has, inside the caller's transaction. Unless it is finished
  /// it keeps its checkpoint.
  func end(
    _ state: State, at end: Instant, counters: String, in connection: Connection
  ) throws {
    var statement = try connection.prepare(
      """
      UPDATE main.poikit_run SET state = ?1, ended = ?2, counters = ?3
      WHERE id = ?4 AND state IN ('running', 'failed')
      """, isPersistent: false)
    try statement.bind(1, text: state.rawValue)
    try statement.bind(2, integer: end.microseconds)
    try statement.bind(3, text: counters)
    try statement.bind(4, integer: id)
    try statement.run()
    guard state == .finished else { return }
    try removeCheckpoint(in: connection)
    try SnapshotTable.remove(ofRun: id, in: connection)
  }

  /// Gives up the import: its rows stay, its checkpoint and the records that it did not merge go.
  func abandon(in connection: Connection) throws {
    try connection.inTransaction(.immediate) {
      try connection.execute("UPDATE main.poikit_run SET state = 'abandoned' WHERE id = \(id)")
      try removeCheckpoint(in: connection)
      try LandingTable.remove(ofRun: id, in: connection)
      try SnapshotTable.remove(ofRun: id, in: connection)
    }
  }

  private func removeCheckpoint(in connection: Connection) throws {
    try connection.execute("DELETE FROM main.poikit_checkpoint WHERE run = \(id)")
    try InputTable.remove(ofRun: id, in: connection)
  }

  /// The id of the latest import into a table; nothing where there is none, or it is not finished.
  static func finishedImport(
    into table: String, in connection: Connection
  ) throws -> Int64? {
    var statement = try connection.prepare(
      """
      SELECT id, state FROM main.poikit_run WHERE tool = ?1 AND table_name = ?2
      ORDER BY id DESC LIMIT 1
      """, isPersistent: false)
    try statement.bind(1, text: importTool)
    try statement.bind(2, text: table)
    guard try statement.step(), statement.text(1) == State.finished.rawValue else { return nil }
    return statement.integer(0)
  }

  /// The unfinished imports into a table, the latest first.
  static func unfinishedImports(
    into table: String, in connection: Connection
  ) throws -> [Unfinished] {
    var statement = try connection.prepare(
      """
      SELECT r.id, c.state, c.generation, r.state = 'failed', r.options ->> 'source'
      FROM main.poikit_run AS r JOIN main.poikit_checkpoint AS c ON c.run = r.id
      WHERE r.tool = ?1 AND r.table_name = ?2 AND r.state IN ('running', 'failed')
      ORDER BY r.id DESC
      """, isPersistent: false)
    try statement.bind(1, text: importTool)
    try statement.bind(2, text: table)
    var runs: [Unfinished] = []
    while try statement.step() {
      let id = statement.integer(0)
      runs.append(
        Unfinished(
          record: RunRecord(id: id), checkpoint: statement.text(1),
          inputs: try InputTable.inputs(ofRun: id, in: connection),
          generation: statement.integer(2), hasFailed: statement.integer(3) == 1,
          source: statement.text(4)))
    }
    return runs
  }
}
