enum SnapshotOutcome {
  /// The missing rows are removed and the run has ended, with this checkpoint.
  case done(ImportCheckpoint)
  /// It lacks more of the rows stored before it than may be removed; nothing has changed.
  case tooMany(gone: Int, of: Int)
}
