internal import JSONStreaming

/// Attributes: types, formats, storage, sources.
extension ModelReader {
  static func attribute(
    _ name: String, from json: JSONValue, isRequired: Bool, isRelated: Bool, at place: String
  ) throws(ModelError) -> Attribute {
    guard let members = json.members else {
      throw ModelError(
        message: "an attribute is described by an object, this is \(json.typeName)", pointer: place)
    }
    let isRelation = json["x-relation"] != nil
    try refuseUnknown(
      members,
      known: isRelation ? attributeKeywords.union(["properties", "required"]) : attributeKeywords,
      at: place)
    let types = try types(json["type"], at: place + "/type")
    let format = try format(json["format"], at: place + "/format")
    let storage = try storage(types: types, format: format, json: json, at: place)
    let relation = isRelation ? try relation(from: json, types: types, at: place) : nil
    let isLenient = try boolean(json["x-lenient"], at: place + "/x-lenient")
    if isLenient, types.isDisjoint(with: [.integer, .number, .boolean]) {
      throw ModelError(
        message: "\"x-lenient\" reads numbers and booleans that are written as strings; "
          + "the type allows neither", pointer: place + "/x-lenient")
    }
    let allowsNUL = try boolean(json["x-allow-nul"], at: place + "/x-allow-nul")
    if allowsNUL, !types.contains(.string) {
      throw ModelError(
        message: "\"x-allow-nul\" speaks of text; the type allows none",
        pointer: place + "/x-allow-nul")
    }
    if isRelation, let rule = ["enum", "const"].first(where: { json[$0] != nil }) {
      throw ModelError(
        message: "\"\(rule)\" compares no objects; state it for the attributes of the relation",
        pointer: "\(place)/\(rule)")
    }
    if isRelated, storage == .json || storage == .any || relation != nil {
      throw ModelError(
        message: "a related row is named by text, numbers, booleans, dates or uuids", pointer: place
      )
    }
    return Attribute(
      name: name, column: try identifier(json["x-column"], at: place + "/x-column") ?? name,
      source: try source(json["x-source"], name: name, at: place + "/x-source"), types: types,
      storage: storage, isRequired: isRequired, isLenient: isLenient,
      allowsNUL: allowsNUL,
      rules: try rules(json, format: format, storage: storage, at: place), relation: relation)
  }

  static func types(_ json: JSONValue?, at place: String) throws(ModelError) -> JSONTypes {
    guard let json else { return .all }
    let names = json.elements ?? [json]
    var types: JSONTypes = []
    for name in names {
      guard let text = name.string,
        let type = JSONTypes.named.first(where: { $0.key == text })?.value
      else {
        throw ModelError(
          message: "\(name) is no type; the types are "
            + JSONTypes.named.map(\.key).joined(separator: ", "), pointer: place)
      }
      types.insert(type)
    }
    guard !types.isEmpty else { throw ModelError(message: "no type is named", pointer: place) }
    return types
  }

  /// The formats that are enforced.
  enum Format: String, CaseIterable {
    case uuid
    case dateTime = "date-time"
    case date
  }

  static func format(_ json: JSONValue?, at place: String) throws(ModelError) -> Format? {
    guard let json else { return nil }
    guard let text = json.string, let format = Format(rawValue: text) else {
      throw ModelError(
        message: "the format \(json) cannot be enforced; the formats are "
          + Format.allCases.map(\.rawValue).joined(separator: ", "), pointer: place)
    }
    return format
  }

  static func storage(
    types: JSONTypes, format: Format?, json: JSONValue, at place: String
  ) throws(ModelError) -> Attribute.Storage {
    let values = types.subtracting(.null)
    if let format, values != .string {
      throw ModelError(
        message: "the format \(format.rawValue) needs the type string, and at most null beside it",
        pointer: place + "/format")
    }
    if json["x-zone"] != nil, format != .dateTime {
      throw ModelError(
        message: "\"x-zone\" goes with \"format\": \"date-time\"", pointer: place + "/x-zone")
    }
    if let unit = json["x-unit"] {
      let lengths: [String: Int64] = [
        "seconds": 1_000_000, "milliseconds": 1000, "microseconds": 1,
      ]
      guard let name = unit.string, let length = lengths[name] else {
        throw ModelError(
          message: "the unit \(unit) is none of seconds, milliseconds, microseconds",
          pointer: place + "/x-unit")
      }
      guard values.isSubset(of: [.integer, .number]), !values.isEmpty else {
        throw ModelError(
          message: "\"x-unit\" counts time since 1970 and needs the type integer or number",
          pointer: place + "/x-unit")
      }
      return .instant(.sinceEpoch(microsecondsPerUnit: length))
    }
    if json["x-relation"] != nil { return .relation }
    switch format {
    case .uuid: return .uuid
    case .date: return .text
    case .dateTime:
      return .instant(
        .rfc3339(defaultOffsetMinutes: try zone(json["x-zone"], at: place + "/x-zone")))
    case nil: break
    }
    switch values {
    case .string: return .text
    case .integer, .boolean, [.integer, .boolean]: return .integer
    case .number, [.integer, .number]: return .real
    case .object, .array, [.object, .array]: return .json
    default: return .any
    }
  }

  static func zone(_ json: JSONValue?, at place: String) throws(ModelError) -> Int? {
    guard let json else { return nil }
    let text = Array((json.string ?? "").utf8)
    if json.string == "UTC" || json.string == "Z" { return 0 }
    let digits = [1, 2, 4, 5].map { $0 < text.count ? Int(text[$0]) - 48 : -1 }
    guard text.count == 6, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
      text[3] == UInt8(ascii: ":"), digits.allSatisfy((0...9).contains),
      digits[0] * 10 + digits[1] < 24, digits[2] < 6
    else {
      throw ModelError(
        message: "the zone \(json) is neither \"UTC\" nor an offset such as \"+02:00\"",
        pointer: place)
    }
    let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    return text[0] == UInt8(ascii: "-") ? -minutes : minutes
  }

  static func source(
    _ json: JSONValue?, name: String, at place: String
  ) throws(ModelError) -> Attribute.Source {
    guard let json else { return .pointer([name]) }
    // Relative JSON Pointer's notation for the name of the member that holds the value.
    if json.string == "0#" { return .memberName }
    do {
      let pointer = try JSONPointer(parsing: json.string ?? "#")
      guard !pointer.tokens.isEmpty else {
        throw ModelError(
          message: "the source is the whole record; point at a member, such as \"/\(name)\"",
          pointer: place)
      }
      return .pointer(pointer.tokens)
    } catch let error as ModelError {
      throw error
    } catch {
      throw ModelError(
        message: "the source \(json) is neither a JSON pointer (RFC 6901) such as \"/a/b\" "
          + "nor \"0#\", the member's name", pointer: place)
    }
  }
}
