/// What came of the end of a snapshot.
enum SnapshotOutcome {
  /// What it lacks is removed and the run ended, with this checkpoint.
  case done(ImportCheckpoint)
  /// It lacks more than may go of the rows that were there before it; nothing has changed.
  case tooMany(gone: Int, of: Int)
  /// It lacks more than may go of the rows that were there before an earlier one that removed nothing;
  /// nothing has changed.
  case tooManySince(EarlierSnapshot, gone: Int)
}
