internal import POIRecords
internal import SQLiteKit

/// An import that stopped before its inputs ended.
struct UnfinishedImport {
  /// Its run in `poikit_run`.
  let id: Int64
  /// How many batches it has committed.
  let generation: Int64
  /// Where it is; nothing where that cannot be read.
  let checkpoint: ImportCheckpoint?
  /// What its inputs come from; empty where no source was named.
  let source: String
  /// The inputs that it has begun, in their order.
  let inputs: [ImportReport.Input]
  private let names: Set<ExactText>
  /// Whether it failed before it had read a record: nothing is lost where it is given up.
  let isVoid: Bool

  /// - Throws: `SQLiteError` when there is no memory to read its checkpoint.
  init(_ run: RunRecord.Unfinished) throws {
    id = run.record.id
    generation = run.generation
    source = run.source
    inputs = run.inputs
    names = Set(run.inputs.map { ExactText($0.name) })
    let isSound = 0...Int64(RunRecord.greatestCount) ~= run.generation
    checkpoint = isSound ? try ImportCheckpoint(run.checkpoint, inputs: inputs) : nil
    isVoid = run.hasFailed && checkpoint?.counters.read == 0
  }

  /// Whether nothing is known of it but that it is there.
  var isUnknown: Bool { checkpoint == nil && inputs.isEmpty }

  /// Whether it has begun an input of a name.
  func hasBegun(_ name: String) -> Bool { names.contains(ExactText(name)) }
}
