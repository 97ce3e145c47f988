/// How far a run is whose records land before they are merged.
///
/// What is merged is told by two cursors into orders that do not change while it is done: the rows
/// that were stored before, by their ids, and the landed records, by their keys.
struct LandingProgress {
  /// The greatest row id of the table when merging began; nothing while records still land.
  var boundary: Int64?

  /// The last record that was merged into a row stored before.
  var target: TargetEntry?

  /// The last of the records that met no such row; all others are merged before the first of them.
  var entry: LandingEntry?

  init() {}

  var json: JSONValue {
    .object([
      "boundary": boundary.map { .number($0) } ?? .null,
      "target": target.map(LandingProgress.json) ?? .null,
      "entry": entry.map(LandingProgress.json) ?? .null,
    ])
  }

  /// Reads what `json` says; nothing where it is null.
  init?(_ json: JSONValue?) {
    guard let members = json?.members, !members.isEmpty else { return nil }
    boundary = json?["boundary"]?.integer.map(Int64.init)
    target = TargetEntry(words: LandingProgress.words(json?["target"]))
    entry = LandingEntry(words: LandingProgress.words(json?["entry"]))
  }

  private static func json(_ entry: some SortableEntry) -> JSONValue {
    .array((0..<type(of: entry).wordCount).map { .number(entry.word($0)) })
  }

  private static func words(_ json: JSONValue?) -> [UInt64] {
    (json?.elements ?? []).compactMap { element in
      if case .number(let lexeme) = element { UInt64(lexeme) } else { nil }
    }
  }
}
