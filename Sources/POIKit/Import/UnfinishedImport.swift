/// An import that stopped before its inputs ended.
struct UnfinishedImport {
  /// Its run in `poikit_run`.
  let id: Int64
  /// How many batches it has committed.
  let generation: Int64
  /// Where it is.
  let checkpoint: ImportCheckpoint

  init(run: RunRecord.Unfinished, checkpoint: ImportCheckpoint) {
    id = run.record.id
    generation = run.generation
    self.checkpoint = checkpoint
  }
}
