internal import JSONStreaming

extension ModelReader {
  static func refuseUnknown(
    _ members: [JSONValue.Member], known: Set<String>, at place: String
  ) throws(ModelError) {
    for member in members
    where !known.contains(member.name) && !annotations.contains(member.name) {
      let advice =
        known.contains("x-\(member.name)")
        ? "did you mean \"x-\(member.name)\"?"
        : "it cannot be enforced, so it is refused; remove it, or use one of "
          + known.sorted().joined(separator: ", ")
      throw ModelError(
        message: "unknown keyword \"\(member.name)\": \(advice)",
        pointer: place + JSONPointer.step(member.name))
    }
  }

  /// The names in a string or an array of strings.
  static func names(_ json: JSONValue?, at place: String) throws(ModelError) -> [String] {
    guard let json else { return [] }
    var names: [String] = []
    for element in json.elements ?? [json] {
      guard let name = element.string else {
        throw ModelError(message: "\(element) is not the name of an attribute", pointer: place)
      }
      names.append(name)
    }
    return names
  }

  /// The names in an array of strings, as in JSON Schema.
  static func namesInArray(_ json: JSONValue?, at place: String) throws(ModelError) -> [String] {
    guard let json else { return [] }
    guard json.elements != nil else {
      throw ModelError(message: "\(json) is not an array of names", pointer: place)
    }
    return try names(json, at: place)
  }

  static func names(_ type: String, asTypeOf json: JSONValue) -> Bool {
    guard let types = json["type"] else { return false }
    return (types.elements ?? [types]).contains(.string(type))
  }

  static func boolean(_ json: JSONValue?, at place: String) throws(ModelError) -> Bool {
    guard let json else { return false }
    guard case .bool(let value) = json else {
      throw ModelError(message: "\(json) is neither true nor false", pointer: place)
    }
    return value
  }

  static func tableName(_ json: JSONValue?, at place: String) throws(ModelError) -> String? {
    guard let name = try identifier(json, at: place) else { return nil }
    // A table of this name would hide a table-valued function that the toolkit uses.
    let lowercased = name.lowercased()
    guard !lowercased.hasPrefix("pragma_"), !["json_each", "json_tree"].contains(lowercased) else {
      throw ModelError(
        message: "\"\(name)\" is a table-valued function of SQLite; choose another name",
        pointer: place)
    }
    return name
  }

  static func identifier(_ json: JSONValue?, at place: String) throws(ModelError) -> String? {
    guard let json else { return nil }
    guard let name = json.string, !name.isEmpty, !name.utf8.contains(0) else {
      throw ModelError(message: "\(json) cannot name a table or column", pointer: place)
    }
    for reserved in [Model.reservedPrefix, "sqlite_"]
    where name.lowercased().hasPrefix(reserved) {
      throw ModelError(
        message: "\"\(name)\": names that begin with \(reserved) are reserved; name another with "
          + "\"x-column\" or \"x-table\"", pointer: place)
    }
    return name
  }
}
