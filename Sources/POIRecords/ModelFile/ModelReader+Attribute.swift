internal import JSONStreaming

extension ModelReader {
  static func attribute(
    _ name: String, from json: JSONValue, isRequired: Bool, isRelated: Bool, at place: String,
    with compiler: inout RuleCompiler
  ) throws(ModelError) -> Attribute {
    let schemas = try schemas(ofAttribute: json, at: place, with: compiler)
    let json = merged(schemas)
    let isRelation = json["x-relation"] != nil
    let (types, format) = (try types(of: schemas), try format(of: schemas))
    let isPlain = types.isDisjoint(with: [.object, .array])
    let valueStorage = try storage(types: types, format: format, json: json, at: place)
    let storage = isRelation ? .relation : valueStorage
    let hasDecimalComma = try boolean(json["x-decimal-comma"], at: place + "/x-decimal-comma")
    if hasDecimalComma, types.contains(.string) || types.isDisjoint(with: [.integer, .number]) {
      throw ModelError(
        message: "\"x-decimal-comma\" reads numbers that are written as strings such as 52,09; "
          + "the type has to be number or integer", pointer: place + "/x-decimal-comma")
    }
    let isLenient =
      try boolean(json["x-lenient"], at: place + "/x-lenient") || hasDecimalComma
    if isLenient, types.isDisjoint(with: [.integer, .number, .boolean]) {
      throw ModelError(
        message: "\"x-lenient\" reads numbers and booleans that are written as strings; "
          + "the type allows neither", pointer: place + "/x-lenient")
    }
    let readsEmptyAsNull = try boolean(json["x-empty-as-null"], at: place + "/x-empty-as-null")
    if readsEmptyAsNull, !types.contains(.null) || !types.contains(.string) && !isLenient {
      throw ModelError(
        message: "\"x-empty-as-null\" reads an empty string as null; the type allows "
          + (types.contains(.null) ? "no string" : "no null"), pointer: place + "/x-empty-as-null")
    }
    let allowsNUL = try boolean(json["x-allow-nul"], at: place + "/x-allow-nul")
    if allowsNUL, !types.contains(.string) {
      throw ModelError(
        message: "\"x-allow-nul\" needs the type string",
        pointer: place + "/x-allow-nul")
    }
    if isRelated, isRelation {
      throw ModelError(message: "a related row cannot have a relation", pointer: place)
    }
    if isRelated || isRelation && isPlain, [.json, .any].contains(valueStorage) {
      throw ModelError(
        message: "a related row is identified by text, numbers, booleans, dates or uuids",
        pointer: place
      )
    }
    if json["default"] != nil, isRequired {
      throw ModelError(
        message: "a required attribute is never absent, so its default would never be used; "
          + "remove one of the two", pointer: place + "/default")
    }
    var attribute = Attribute(
      name: name, column: try identifier(json["x-column"], at: place + "/x-column") ?? name,
      source: try source(json["x-source"], name: name, at: place + "/x-source"), types: types,
      storage: storage, isRequired: isRequired, isLenient: isLenient,
      readsEmptyAsNull: readsEmptyAsNull, allowsNUL: allowsNUL,
      defaultValue: json["default"]?.description,
      mergeRule: try mergeRule(
        json, types: types, storage: storage, isRelated: isRelated, at: place),
      schema: try compiler.attribute(isRelation && !isPlain ? [] : schemas, types: types),
      relation: nil)
    attribute.hasDecimalComma = hasDecimalComma
    attribute.target = try target(
      json["x-references"], of: storage, isRelated: isRelated, at: place + "/x-references")
    attribute.writesZone = json["x-zone"]?.string == "Z"
    if isRelation, isPlain {
      attribute.relation = try plainRelation(
        from: json, of: attribute, storage: valueStorage,
        schema: try compiler.attribute(schemas, types: types.subtracting(.null)), at: place)
    } else if isRelation {
      attribute.relation = try relation(from: json, types: types, at: place, with: &compiler)
    }
    return attribute
  }

  /// The schema of an attribute and the schemas that it refers to, checked for unknown keywords.
  private static func schemas(
    ofAttribute json: JSONValue, at place: String, with compiler: RuleCompiler
  ) throws(ModelError) -> [(json: JSONValue, place: String)] {
    var schemas = try compiler.chain(from: json, at: place)
    for (number, schema) in schemas.enumerated() {
      if schema.json == .bool(true) {
        schemas[number].json = .object([])
        continue
      }
      guard let members = schema.json.members else {
        throw ModelError(
          message: schema.json == .bool(false)
            ? "the schema false allows no value of the attribute; remove the attribute"
            : "an attribute is described by an object, this is \(schema.json.typeName)",
          pointer: schema.place)
      }
      let isObject = schema.json["x-relation"] != nil && names("object", asTypeOf: schema.json)
      try refuseUnknown(
        members, known: isObject ? relatedRowKeywords : attributeSchemaKeywords, at: schema.place)
    }
    return schemas
  }

  /// The attribute's own members, and the attribute keywords of the schemas that it refers to.
  private static func merged(_ schemas: [(json: JSONValue, place: String)]) -> JSONValue {
    var members = schemas[0].json.members ?? []
    for schema in schemas.dropFirst() {
      members += (schema.json.members ?? []).filter { member in
        (attributeKeywords.contains(member.name) || member.name == "default")
          && !members.contains { $0.name == member.name }
      }
    }
    return .object(members)
  }

  private static func types(
    of schemas: [(json: JSONValue, place: String)]
  ) throws(ModelError) -> JSONTypes {
    var shared = JSONTypes.all
    for (json, place) in schemas where json["type"] != nil {
      shared = shared.intersection(with: try types(json["type"], at: place + "/type"))
    }
    guard !shared.isEmpty else {
      throw ModelError(
        message: "no type is allowed by both the attribute and what it refers to",
        pointer: schemas[0].place)
    }
    return shared
  }

  private static func format(
    of schemas: [(json: JSONValue, place: String)]
  ) throws(ModelError) -> TextFormat? {
    var shared: TextFormat?
    for (json, place) in schemas {
      guard let format = try format(json["format"], at: place + "/format") else { continue }
      guard shared == nil || shared == format else {
        throw ModelError(
          message: "the format differs from the format of the attribute that refers to it",
          pointer: place + "/format")
      }
      shared = format
    }
    return shared
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
          message: "\(name) is not a type; the types are "
            + JSONTypes.named.map(\.key).joined(separator: ", "), pointer: place)
      }
      types.insert(type)
    }
    guard !types.isEmpty else { throw ModelError(message: "no type is named", pointer: place) }
    return types
  }

  static func format(_ json: JSONValue?, at place: String) throws(ModelError) -> TextFormat? {
    guard let json else { return nil }
    guard let text = json.string,
      let format = TextFormat.allCases.first(where: { $0.name == text })
    else {
      throw ModelError(
        message: "the format \(json) cannot be enforced; the formats are "
          + TextFormat.allCases.map(\.name).joined(separator: ", "), pointer: place)
    }
    return format
  }

  static func storage(
    types: JSONTypes, format: TextFormat?, json: JSONValue, at place: String
  ) throws(ModelError) -> Attribute.Storage {
    let values = types.subtracting(.null)
    if let format, values != .string {
      throw ModelError(
        message: "the format \(format.name) needs the type string, optionally with null",
        pointer: place + "/format")
    }
    if json["x-zone"] != nil, format != .dateTime {
      throw ModelError(
        message: "\"x-zone\" needs \"format\": \"date-time\"", pointer: place + "/x-zone")
    }
    let pattern = try datePattern(
      json["x-date-pattern"], format: format, at: place + "/x-date-pattern")
    if let unit = json["x-unit"] {
      guard let length = unit.string.flatMap(EpochUnit.init)?.microsecondsPerUnit else {
        throw ModelError(
          message: "the unit \(unit) is not one of seconds, milliseconds, microseconds",
          pointer: place + "/x-unit")
      }
      guard values.isSubset(of: [.integer, .number]), !values.isEmpty else {
        throw ModelError(
          message: "\"x-unit\" counts time since 1970 and needs the type integer or number",
          pointer: place + "/x-unit")
      }
      return .instant(.sinceEpoch(microsecondsPerUnit: length))
    }
    switch format {
    case .uuid: return .uuid
    case .date: return .date(pattern)
    case .time, .email, .uri, .jsonPointer, .timestamp: return .text
    case .dateTime:
      let zone = try zone(json["x-zone"], at: place + "/x-zone")
      guard let pattern else { return .instant(.rfc3339(defaultOffsetMinutes: zone)) }
      guard zone == nil || pattern.mayLackZone else {
        throw ModelError(
          message: "the date pattern names the zone of each text; remove \"x-zone\"",
          pointer: place + "/x-zone")
      }
      return .instant(
        .pattern(pattern, defaultOffsetMinutes: zone ?? (pattern.hasZone ? nil : 0)))
    case nil: break
    }
    if try boolean(json["x-digits"], at: place + "/x-digits") {
      guard values.isSubset(of: [.integer, .number]), !values.isEmpty else {
        throw ModelError(
          message: "\"x-digits\" keeps numbers as text and needs the type integer or number",
          pointer: place + "/x-digits")
      }
      return .json
    }
    switch values {
    case .string: return .text
    case .integer, .boolean, [.integer, .boolean]: return .integer
    case .number, [.integer, .number]: return .real
    case .object, .array, [.object, .array]: return .json
    default: return .any
    }
  }

  private static func datePattern(
    _ json: JSONValue?, format: TextFormat?, at place: String
  ) throws(ModelError) -> DatePattern? {
    guard let json else { return nil }
    guard format == .date || format == .dateTime else {
      throw ModelError(
        message: "\"x-date-pattern\" needs \"format\": \"date\" or \"date-time\"", pointer: place)
    }
    guard let text = json.string else {
      throw ModelError(message: "\(json) is not a text such as \"dd.MM.yyyy\"", pointer: place)
    }
    let pattern: DatePattern
    do {
      pattern = try DatePattern(text)
    } catch {
      throw ModelError(message: "\(json) is not a date pattern: \(error.message)", pointer: place)
    }
    guard format == .dateTime || !pattern.hasTime else {
      throw ModelError(
        message:
          "the date pattern \(json) has a time; give the attribute \"format\": \"date-time\"",
        pointer: place)
    }
    return pattern
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
    // Relative JSON Pointer: the name of the member that holds the value.
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
