internal import POIRecords
internal import POISQLite

/// An import that stopped before its inputs ended.
struct UnfinishedImport {
  /// Its run in `poikit_run`.
  let id: Int64
  let generation: Int64
  /// Its state; nil if it cannot be read.
  let checkpoint: ImportCheckpoint?
  /// The source of its inputs; empty if none was named.
  let source: String
  /// The notation of its shard; nil if it takes all records.
  let shard: String?
  let inputs: [ImportReport.Input]
  private let names: Set<ExactText>
  /// Whether it failed before it read a record, so that abandoning it loses nothing.
  let isVoid: Bool

  /// The unfinished imports into a table, the latest first.
  static func list(into table: String, in connection: Connection) throws -> [UnfinishedImport] {
    let runs = try RunRecord.list(
      where: RunRecord.unfinishedImports(into: table), in: connection)
    return try runs.compactMap { try UnfinishedImport($0, in: connection) }
  }

  /// nil if another process has just ended the run.
  private init?(_ run: RunRecord, in connection: Connection) throws {
    let inputs = try InputTable.inputs(ofRun: run.id, in: connection)
    var statement = try connection.prepare(
      "SELECT generation, state FROM main.poikit_checkpoint WHERE run = \(run.id)")
    guard try statement.step() else { return nil }
    id = run.id
    source = run.options["source"]?.string ?? ""
    shard = run.options["shard"]?.string
    self.inputs = inputs
    names = Set(inputs.map { ExactText($0.name) })
    generation = statement.integer(0)
    let isSound = 0...Int64(RunRecord.greatestCount) ~= generation
    checkpoint = isSound ? ImportCheckpoint(statement.text(1), inputs: inputs) : nil
    isVoid = run.state == .failed && checkpoint?.counters.read == 0
  }

  var isUnknown: Bool { checkpoint == nil && inputs.isEmpty }

  func hasBegun(_ name: String) -> Bool { names.contains(ExactText(name)) }
}
