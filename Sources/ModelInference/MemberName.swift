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

  private static let latitudes: Set<String> = ["lat", "latitude"]
  private static let longitudes: Set<String> = ["lon", "lng", "long", "longitude"]

  /// The words for latitude and longitude.
  static let axes = latitudes.union(longitudes)

  /// Whether the name is or begins or ends with a word for latitude.
  var isLatitude: Bool { begins(orEndsWith: MemberName.latitudes) }

  var isLongitude: Bool {
    begins(orEndsWith: MemberName.longitudes) && (text == "long" || words.first != "long")
  }

  private func begins(orEndsWith axes: Set<String>) -> Bool {
    axes.contains(words.first ?? "") || axes.contains(words.last ?? "")
  }

  var isTimeLike: Bool {
    holds(anyOf: "time", "date", "modif", "creat", "chang", "expire", "reported", "last_seen")
      || text.hasSuffix("_at") || original.hasSuffix("At") || text == "ts" || text == "since"
  }

  /// How well an instant of this name identifies the newest version of a record: 0 is best, nil unsuitable.
  var versionRank: Int? {
    let isOpening = !Set(words).isDisjoint(with: ["open", "opened", "opening"])
    if isOpening || holds(anyOf: "creat", "previous") { return nil }
    if holds(anyOf: "updat", "modif", "chang", "edited", "revis", "refresh") { return 0 }
    // A last login or inspection is not a change, but often the best there is.
    if saysLast || holds(anyOf: "report", "timestamp", "fetched") { return 1 }
    // `time`, `date` and `ts` are times of the event.
    return nil
  }

  private var saysLast: Bool {
    text.hasPrefix("last") || original.contains("Last")
      || ["_last", ":last", "-last", ".last"].contains { text.contains($0) }
  }

  var isRemovalLike: Bool { holds(anyOf: "removed", "deleted") }

  /// How a member of this name can identify a record. The first kind is preferred.
  var keyKind: KeyKind {
    let identifiers = [
      "id", "_id", "@id", "identifier", "uuid", "guid", "globalid", "key",
    ]
    if identifiers.contains(text) { return .ownIdentifier }
    let hasSuffix =
      ["_id", "-id", ":id", "_uuid", "_key"].contains { text.hasSuffix($0) }
      || original.hasSuffix("Id") || original.hasSuffix("ID")
    if hasSuffix { return .namedIdentifier }
    return text == "code" ? .code : .other
  }

  /// Whether the name suggests a key.
  var isLikeKey: Bool { keyKind != .other }

  /// Whether each export numbers its records anew, as ArcGIS does.
  var isRowNumber: Bool {
    ["objectid", "fid", "ogc_fid", "rowid"].contains(text)
  }

  /// Whether a value of this name measures or counts something.
  var isMeasure: Bool {
    let measures: Set<String> = [
      "population", "area", "count", "total", "amount", "price", "height", "elevation", "length",
      "width", "size", "distance", "rank", "index", "position", "score", "capacity",
    ]
    return isLatitude || isLongitude || !measures.isDisjoint(with: words)
  }

  /// Whether a value of this name is measured, so that integers can become decimals.
  var isMeasured: Bool {
    let measured: Set<String> = [
      "area", "amount", "price", "height", "elevation", "depth", "length", "width", "distance",
      "weight",
      "score", "mag", "magnitude", "gap", "temperature", "speed",
    ]
    return !measured.isDisjoint(with: words)
  }

  /// The words of the name in lower case: `stationCount` and `station_count` have two.
  var words: [String] {
    var words = [""]
    var previous: Character = "_"
    for character in original {
      let isLetter = character.isLetter || character.isNumber
      if !isLetter || character.isUppercase && previous.isLowercase { words.append("") }
      if isLetter { words[words.count - 1] += character.lowercased() }
      previous = character
    }
    return words
  }
}
