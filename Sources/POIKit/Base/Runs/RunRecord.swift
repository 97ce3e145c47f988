internal import JSONStreaming
internal import POIFiles
internal import POIRecords
internal import POISQLite

/// A run: a row of `poikit_run`, the log of operations on the database.
///
/// An unfinished import has a checkpoint from its first batch on; a deduplication has none.
struct RunRecord {
  /// The tool name of imports.
  static let importTool = "poi-import"

  /// The tool name of deduplications and purges.
  static let deduplicationTool = "poi-dedup"

  /// The greatest count, offset or number of batches that is accepted from a store, so that further
  /// counting cannot overflow.
  static let greatestCount = 1 << 56

  enum State: String {
    case running, finished, failed, abandoned, undone
  }

  let id: Int64
  let tool: String
  let table: String
  let state: State?

  /// The options and the counters of the run, as JSON objects.
  let options: JSONValue
  let counters: JSONValue

  var isImport: Bool { tool == RunRecord.importTool }

  /// A counter; 0 if the run has no counter with this name.
  func count(_ name: String) -> Int { counters[name]?.integer ?? 0 }

  // MARK: Reading the log

  /// Whether the database has the toolkit's tables.
  static func hasBookkeeping(_ connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'poikit_run'") != nil
  }

  /// The condition that a run is an import into a table.
  static func imports(into table: String) -> SQL {
    "tool = \(literal: importTool) AND table_name = \(literal: table)"
  }

  /// The condition that a run is an import into a table that stopped before its inputs ended.
  static func unfinishedImports(into table: String) -> SQL {
    """
    \(imports(into: table)) AND state IN ('running', 'failed')
    AND id IN (SELECT run FROM main.poikit_checkpoint)
    """
  }

  /// The condition that an import stored a record. The counters of a killed run are NULL.
  static let hasStored: SQL = """
    coalesce(counters ->> 'read', 1)
    > coalesce(counters ->> 'rejected', 0) + coalesce(counters ->> 'elsewhere', 0)
    """

  /// The runs that satisfy a condition on the columns of `poikit_run`, the latest first.
  ///
  /// - Parameter limit: the greatest number of runs; nil for all.
  static func list(
    where condition: SQL, limit: Int? = nil, in connection: Connection
  ) throws -> [RunRecord] {
    guard try hasBookkeeping(connection) else { return [] }
    return try connection.rows(
      """
      SELECT id, tool, table_name, state, options, counters
      FROM main.poikit_run WHERE \(condition) ORDER BY id DESC LIMIT \(limit ?? -1)
      """
    ) {
      RunRecord(
        id: $0.integer(0), tool: $0.text(1), table: $0.text(2), state: State(rawValue: $0.text(3)),
        options: JSONValue.stored($0.text(4)) ?? .null,
        counters: JSONValue.stored($0.text(5)) ?? .null)
    }
  }

  /// The latest run that satisfies a condition.
  static func latest(where condition: SQL, in connection: Connection) throws -> RunRecord? {
    try list(where: condition, limit: 1, in: connection).first
  }

  /// The inputs of the latest complete imports into a table, by name and size, each with its latest run.
  static func importedInputs(
    of table: String, in connection: Connection
  ) throws -> [ExactText: [Int: Int64]] {
    let runs = try list(
      where: "\(imports(into: table)) AND state = 'finished'", limit: comparedRunLimit,
      in: connection)
    var inputs: [ExactText: [Int: Int64]] = [:]
    for run in runs.reversed() where run.options["limit"]?.integer == nil {
      for input in run.options["inputs"]?.elements ?? [] {
        if let name = input["name"]?.string, let byteCount = input["bytes"]?.integer {
          inputs[ExactText(name), default: [:]][byteCount] = run.id
        }
      }
    }
    return inputs
  }

  /// The places of the records in the inputs of the latest imports into a table; empty for the top level.
  static func places(ofInputsInto table: String, in connection: Connection) throws -> Set<String> {
    let runs = try list(where: imports(into: table), limit: comparedRunLimit, in: connection)
    let inputs = runs.flatMap { $0.options["inputs"]?.elements ?? [] }
    return Set(inputs.compactMap { input in input["at"].map { $0.string ?? "" } })
  }

  /// The number of runs whose inputs are compared with the inputs of a new one.
  private static let comparedRunLimit = 50

  // MARK: Writing the log

  /// Adds the names, sizes and places of its inputs to the options of a run that ends.
  static func note(
    _ inputs: [ImportReport.Input], ofRun id: Int64, in connection: Connection
  ) throws {
    let list = JSONValue.array(
      inputs.prefix(notedInputLimit).map { input in
        .object([
          "name": .string(input.name), "bytes": .number(input.byteCount),
          "at": .string(input.pointer),
          "address": .string(input.version?.address),
          "condition": .string(input.version?.condition),
        ])
      })
    try connection.execute(
      """
      UPDATE main.poikit_run
      SET options = json_set(options, '$.inputs', json(\(literal: list.description)))
      WHERE id = \(id) AND json_valid(options)
      """)
  }

  /// The key of an address, which may hold secrets, of the options and of the model by which its records are read.
  static func key(
    ofAddress address: String, _ model: Model, _ options: ImportOptions
  ) -> String {
    let text = "\(address)\n\(options.readingText)\n\(model.document)"
    return MurmurHash3.digest(of: text.utf8Span.span).description
  }

  /// The header that asks for another version of an address than the one that is all of the latest import from there,
  /// unless that has rejects or is undone.
  static func condition(
    ofAddress address: String, _ model: Model, _ options: ImportOptions,
    in connection: Connection
  ) throws -> String? {
    let key = key(ofAddress: address, model, options)
    let runs = try list(
      where: "\(imports(into: model.table)) AND state IN ('finished', 'undone')",
      limit: comparedRunLimit, in: connection)
    for run in runs where run.options["limit"]?.integer == nil {
      guard let inputs = run.options["inputs"]?.elements,
        inputs.contains(where: { $0["address"]?.string == key })
      else { continue }
      let isWhole =
        inputs.count == 1 && run.state == .finished && run.count("rejected") == 0
      return isWhole ? inputs[0]["condition"]?.string : nil
    }
    return nil
  }

  /// The number of inputs of one run that are noted.
  private static let notedInputLimit = 100

  /// Begins a run, inside the caller's transaction.
  ///
  /// - Returns: the id of the run.
  static func begin(
    tool: String, table: String, started: Instant, options: JSONValue, in connection: Connection
  ) throws -> Int64 {
    var statement = try connection.prepare(
      """
      INSERT INTO main.poikit_run (tool, version, table_name, state, started, options, counters)
      VALUES (?1, ?2, ?3, 'running', ?4, ?5, '{}')
      """, isPersistent: false)
    try statement.bind(1, text: tool)
    try statement.bind(2, text: ToolkitVersion.current)
    try statement.bind(3, text: table)
    try statement.bind(4, integer: started.microseconds)
    try statement.bind(5, text: options.description)
    try statement.run()
    return connection.lastInsertRowID
  }

  /// Ends a run inside the caller's transaction, unless another process has ended it. A run that is
  /// not finished keeps its checkpoint.
  static func end(
    _ id: Int64, _ state: State, at end: Instant, counters: JSONValue, in connection: Connection
  ) throws {
    try connection.execute(
      """
      UPDATE main.poikit_run SET state = \(literal: state.rawValue), ended = \(end.microseconds),
        counters = \(literal: counters.description)
      WHERE id = \(id) AND state IN ('running', 'failed')
      """)
    guard state == .finished else { return }
    try removeCheckpoint(of: id, in: connection)
    try SnapshotTable.remove(ofRun: id, in: connection)
  }

  /// Abandons an import: its rows stay; its checkpoint and its unmerged records are deleted.
  static func abandon(_ id: Int64, in connection: Connection) throws {
    try connection.inTransaction(.immediate) {
      try connection.execute("UPDATE main.poikit_run SET state = 'abandoned' WHERE id = \(id)")
      try removeCheckpoint(of: id, in: connection)
      try LandingTable.remove(ofRun: id, in: connection)
      try SnapshotTable.remove(ofRun: id, in: connection)
    }
  }

  private static func removeCheckpoint(of id: Int64, in connection: Connection) throws {
    try connection.execute("DELETE FROM main.poikit_checkpoint WHERE run = \(id)")
    try InputTable.remove(ofRun: id, in: connection)
  }
}
