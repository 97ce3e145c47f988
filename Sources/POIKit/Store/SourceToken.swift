/// What a run learned of what to ask its source for next.
struct SourceToken {
  /// The table that the records went to.
  let table: String

  /// What `ImportOptions.source` was.
  let source: String

  /// The record that was changed last; nothing where none has a timestamp.
  let highest: LatestRecord?

  /// The token of the last input that was read to its end and has one.
  let serverToken: String?
}
