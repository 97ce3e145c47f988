/// Guesses the meaning of a member from its name.
struct MemberName {
  /// The name in lower case.
  private let text: String
  private let original: String

  init(_ name: String) {
    original = name
    text = name.lowercased()
  }

  private func holds(anyOf words: String...) -> Bool { words.contains { text.contains($0) } }

  var isLatitude: Bool { text == "lat" || text == "latitude" }

  var isLongitude: Bool { ["lon", "lng", "long", "longitude"].contains(text) }

  var isTimeLike: Bool {
    holds(anyOf: "time", "date", "modif", "creat", "chang", "expire", "reported", "last_seen")
      || text.hasSuffix("_at") || original.hasSuffix("At") || text == "ts" || text == "since"
  }

  /// How well an instant of this name identifies the newest version of a record: 0 is best, nil unsuitable.
  var versionRank: Int? {
    if holds(anyOf: "updat", "modif", "chang", "edited", "revis") { return 0 }
    if holds(anyOf: "report", "timestamp", "fetched", "lastseen", "last_seen") { return 1 }
    return text == "time" || text == "date" || text == "ts" ? 2 : nil
  }

  var isRemovalLike: Bool { holds(anyOf: "removed", "deleted") }

  /// How likely the member is a key: 0 is most likely.
  var keyRank: Int {
    if ["id", "_id", "identifier", "uuid", "guid", "key"].contains(text) { return 0 }
    let hasSuffix =
      ["_id", "-id", ":id", "_uuid", "_key"].contains { text.hasSuffix($0) }
      || original.hasSuffix("Id") || original.hasSuffix("ID")
    return hasSuffix ? 1 : 2
  }
}
