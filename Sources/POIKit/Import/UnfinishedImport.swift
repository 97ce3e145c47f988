/// An import that stopped before its inputs ended.
struct UnfinishedImport {
  /// Its run in `poikit_run`.
  let id: Int64
  /// How many batches it has committed.
  let generation: Int64
  /// Where it is.
  let checkpoint: ImportCheckpoint
  /// Whether it failed before it had read a record: nothing is lost where it is given up.
  let isVoid: Bool

  init(run: RunRecord.Unfinished, checkpoint: ImportCheckpoint) {
    id = run.record.id
    generation = run.generation
    self.checkpoint = checkpoint
    isVoid = run.hasFailed && checkpoint.counters.read == 0
  }
}
