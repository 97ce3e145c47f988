/// What a run found out about the next request to its source.
struct SourceToken {
  /// The table that the records went to.
  let table: String

  /// The value of `ImportOptions.source`.
  let source: String

  /// The record with the latest timestamp; nil if no record has one.
  let highest: LatestRecord?

  /// The token of the last completed input that has one.
  let serverToken: String?
}
