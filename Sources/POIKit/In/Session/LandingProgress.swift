internal import POIRecords

/// The progress of a run whose records land before they are merged.
struct LandingProgress {
  /// The greatest row id of the table when merging began; nil while records still land.
  var boundary: Int64?

  init() {}

  var json: JSONValue { .object(["boundary": boundary.map { .number($0) } ?? .null]) }

  /// Reads the progress from JSON; nil if it is null.
  init?(_ json: JSONValue?) {
    guard let members = json?.members, !members.isEmpty else { return nil }
    boundary = json?["boundary"]?.integer.map(Int64.init)
  }
}
