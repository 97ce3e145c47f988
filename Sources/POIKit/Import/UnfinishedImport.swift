internal import SQLiteKit

/// An import that stopped before its inputs ended.
struct UnfinishedImport {
  /// Its run in `poikit_run`.
  let id: Int64
  /// How many batches it has committed.
  let generation: Int64
  /// Where it is; nothing where that cannot be read.
  let checkpoint: ImportCheckpoint?
  /// The names of its inputs, as far as the checkpoint still tells.
  let inputNames: [String]
  /// Whether it failed before it had read a record: nothing is lost where it is given up.
  let isVoid: Bool

  /// - Throws: `SQLiteError` when there is no memory to read its checkpoint.
  init(_ run: RunRecord.Unfinished) throws(SQLiteError) {
    id = run.record.id
    generation = run.generation
    inputNames = try ImportCheckpoint.inputNames(run.checkpoint)
    let isSound = 0...Int64(ImportCheckpoint.greatestCount) ~= run.generation
    checkpoint = isSound ? try ImportCheckpoint(run.checkpoint) : nil
    isVoid = run.hasFailed && checkpoint?.counters.read == 0
  }

  /// Whether nothing is known of it but that it is there.
  var isUnknown: Bool { checkpoint == nil && inputNames.isEmpty }
}
