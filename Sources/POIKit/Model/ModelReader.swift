internal import JSONStreaming

extension Model {
  /// Reads a model from its document.
  ///
  /// The document is a JSON Schema (2020-12) whose root describes one record. Every keyword in it
  /// is enforced, is known to have no effect (`title`, `description`, `examples`, `$comment`,
  /// `$schema`, `$id`), or is refused.
  ///
  /// - Parameter document: the JSON text.
  /// - Throws: `ModelError` with the place in the document and what to do.
  public init(parsing document: String) throws(ModelError) {
    try self.init(parsing: Array(document.utf8).span)
  }

  /// Reads a model from the bytes of its document.
  init(parsing document: Span<UInt8>) throws(ModelError) {
    let json: JSONValue
    do {
      json = try JSONValue(parsing: document)
    } catch {
      throw ModelError(
        message: "line \(error.line), column \(error.column): \(error.message)", pointer: "")
    }
    self = try ModelReader.model(from: json)
  }
}

/// Turns a model's document into a `Model`, and refuses what it cannot enforce.
enum ModelReader {
  /// Keywords that say something to people and other programs only.
  static let annotations: Set<String> = [
    "$schema", "$id", "$comment", "title", "description", "examples",
  ]

  private static let rootKeywords: Set<String> = [
    "type", "required", "properties", "x-table", "x-key", "x-timestamp", "x-unmapped-column",
  ]

  private static let attributeKeywords: Set<String> = [
    "type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "pattern", "enum", "const", "x-column", "x-source", "x-unit", "x-zone",
    "x-lenient", "x-allow-nul", "x-relation",
  ]

  private static let relationKeywords: Set<String> = ["table", "unique"]

  static func model(from json: JSONValue) throws(ModelError) -> Model {
    guard let members = json.members else {
      throw ModelError(
        message: "a model is a JSON object, this is \(json.typeName)", pointer: "")
    }
    try refuseUnknown(members, known: rootKeywords, at: "")
    if let type = json["type"], type != .string("object") {
      throw ModelError(message: "a record is an object; say \"type\": \"object\"", pointer: "/type")
    }
    if let dialect = json["$schema"],
      dialect.string?.hasPrefix("https://json-schema.org/draft/2020-12/schema") != true
    {
      throw ModelError(
        message: "only JSON Schema 2020-12 is read "
          + "(https://json-schema.org/draft/2020-12/schema), not \(dialect)", pointer: "/$schema")
    }
    let table = try identifier(json["x-table"], at: "/x-table") ?? nil
    guard let table else {
      throw ModelError(
        message: "the table is not named; add \"x-table\": \"…\"", pointer: "")
    }
    let required = try names(json["required"], at: "/required")
    guard let properties = json["properties"]?.members, !properties.isEmpty else {
      throw ModelError(
        message: "a model needs \"properties\", an object of attributes", pointer: "")
    }
    var attributes: [Attribute] = []
    for property in properties {
      attributes.append(
        try attribute(
          property.name, from: property.value, isRequired: required.contains(property.name),
          isRelated: false, at: "/properties" + JSONPointer.step(property.name)))
    }
    for name in required where !attributes.contains(where: { $0.name == name }) {
      throw ModelError(
        message: "\"\(name)\" is required, but stands not in \"properties\"", pointer: "/required")
    }
    let key = try keyNames(json["x-key"], attributes: attributes)
    let timestamp = try timestampName(json["x-timestamp"], attributes: attributes)
    let unmapped = try identifier(json["x-unmapped-column"], at: "/x-unmapped-column")
    let model = Model(
      name: json["$id"]?.string ?? json["title"]?.string ?? table, table: table,
      attributes: attributes, key: key, timestamp: timestamp, unmappedColumn: unmapped,
      document: json.description)
    try checkColumns(of: model)
    try checkSources(of: attributes, at: "/properties")
    return model
  }

  // MARK: Attributes

  private static func attribute(
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

  private static func types(_ json: JSONValue?, at place: String) throws(ModelError) -> JSONTypes {
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
  private enum Format: String, CaseIterable {
    case uuid
    case dateTime = "date-time"
    case date
  }

  private static func format(_ json: JSONValue?, at place: String) throws(ModelError) -> Format? {
    guard let json else { return nil }
    guard let text = json.string, let format = Format(rawValue: text) else {
      throw ModelError(
        message: "the format \(json) cannot be enforced; the formats are "
          + Format.allCases.map(\.rawValue).joined(separator: ", "), pointer: place)
    }
    return format
  }

  private static func storage(
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

  private static func zone(_ json: JSONValue?, at place: String) throws(ModelError) -> Int? {
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

  private static func source(
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

  private static func relation(
    from json: JSONValue, types: JSONTypes, at place: String
  ) throws(ModelError) -> Relation {
    let place = place + "/x-relation"
    guard let keyword = json["x-relation"], let members = keyword.members else {
      throw ModelError(
        message: "a relation is an object: {\"table\": \"…\", \"unique\": \"…\"}", pointer: place)
    }
    try refuseUnknown(members, known: relationKeywords, at: place)
    guard types.contains(.object), types.subtracting([.object, .null]).isEmpty else {
      throw ModelError(
        message: "a relation needs the type object, and at most null beside it", pointer: place)
    }
    guard let table = try identifier(keyword["table"], at: place + "/table") else {
      throw ModelError(message: "the relation's table is not named", pointer: place)
    }
    let unique = try names(keyword["unique"], at: place + "/unique")
    let required = try names(json["required"], at: place + "/required")
    var attributes: [Attribute] = []
    for property in json["properties"]?.members ?? [] {
      attributes.append(
        try attribute(
          property.name, from: property.value, isRequired: required.contains(property.name),
          isRelated: true, at: place + "/properties" + JSONPointer.step(property.name)))
    }
    guard !attributes.isEmpty, Set(unique) == Set(attributes.map(\.name)) else {
      throw ModelError(
        message:
          "\"unique\" names the attributes that identify a related row; they must be exactly "
          + "those in its \"properties\"", pointer: place)
    }
    guard attributes.allSatisfy(\.isColumnNotNull) else {
      throw ModelError(
        message: "the attributes that identify a related row must be required and not null",
        pointer: place)
    }
    try checkSources(of: attributes, at: place + "/properties")
    return Relation(table: table, attributes: attributes)
  }

  // MARK: Rules

  private static func rules(
    _ json: JSONValue, format: Format?, storage: Attribute.Storage, at place: String
  ) throws(ModelError) -> [Rule] {
    var rules: [Rule] = []
    let bounds: [(String, (Number) -> Rule)] = [
      ("minimum", Rule.minimum), ("maximum", Rule.maximum),
      ("exclusiveMinimum", Rule.exclusiveMinimum), ("exclusiveMaximum", Rule.exclusiveMaximum),
    ]
    for (keyword, rule) in bounds {
      guard let value = json[keyword] else { continue }
      guard case .number(let lexeme) = value, let number = NumberText.number(lexeme) else {
        throw ModelError(message: "\(value) is no number", pointer: "\(place)/\(keyword)")
      }
      rules.append(rule(number))
    }
    for (keyword, rule) in [("minLength", Rule.minLength), ("maxLength", Rule.maxLength)] {
      guard let value = json[keyword] else { continue }
      guard case .number(let lexeme) = value,
        case .integer(let number)? = NumberText.number(lexeme), number >= 0,
        let count = Int(exactly: number)
      else {
        throw ModelError(
          message: "\(value) is no count of characters", pointer: "\(place)/\(keyword)")
      }
      rules.append(rule(count))
    }
    if let value = json["pattern"] {
      guard let pattern = value.string, Pattern(pattern) != nil else {
        throw ModelError(
          message:
            "\(value) is not a regular expression that can be enforced: it cannot be read, or "
            + "it nests repetitions without bounds, as in (a+)+, which may take for ever",
          pointer: place + "/pattern")
      }
      rules.append(.pattern(pattern))
    }
    if let value = json["enum"] {
      guard let values = value.elements, !values.isEmpty else {
        throw ModelError(message: "\"enum\" lists values in an array", pointer: place + "/enum")
      }
      rules.append(.oneOf(try scalars(values, at: place + "/enum"), keyword: "enum"))
    }
    if let value = json["const"] {
      rules.append(.oneOf(try scalars([value], at: place + "/const"), keyword: "const"))
    }
    if format == .date { rules.append(.date) }
    return rules
  }

  private static func scalars(
    _ values: [JSONValue], at place: String
  ) throws(ModelError) -> [JSONValue] {
    for value in values where value.members != nil || value.elements != nil {
      throw ModelError(
        message: "\(value): only strings, numbers, booleans and null can be compared",
        pointer: place)
    }
    return values
  }

  // MARK: Parts of the root

  private static func keyNames(
    _ json: JSONValue?, attributes: [Attribute]
  ) throws(ModelError) -> [String] {
    let key = try names(json, at: "/x-key")
    for name in key {
      guard let attribute = attributes.first(where: { $0.name == name }) else {
        throw ModelError(message: "the key \"\(name)\" is no attribute", pointer: "/x-key")
      }
      if attribute.relation != nil || attribute.storage == .json {
        throw ModelError(
          message: "\"\(name)\" cannot be a key: it is an object or an array", pointer: "/x-key")
      }
    }
    guard Set(key).count == key.count else {
      throw ModelError(message: "the key names an attribute twice", pointer: "/x-key")
    }
    return key
  }

  private static func timestampName(
    _ json: JSONValue?, attributes: [Attribute]
  ) throws(ModelError) -> String? {
    guard let json else { return nil }
    guard let name = json.string, let attribute = attributes.first(where: { $0.name == name })
    else {
      throw ModelError(message: "the timestamp \(json) is no attribute", pointer: "/x-timestamp")
    }
    guard case .instant = attribute.storage else {
      throw ModelError(
        message: "the timestamp \"\(name)\" is no instant; give it \"format\": \"date-time\", "
          + "or \"x-unit\" where it is a number", pointer: "/x-timestamp")
    }
    return name
  }

  private static func checkColumns(of model: Model) throws(ModelError) {
    var columns: Set<String> = []
    let named = model.attributes.map { ($0.column, "/properties" + JSONPointer.step($0.name)) }
    let unmapped = model.unmappedColumn.map { [($0, "/x-unmapped-column")] } ?? []
    for (column, place) in named + unmapped {
      // SQLite compares column names without regard to the case of ASCII letters.
      guard columns.insert(column.lowercased()).inserted else {
        throw ModelError(message: "two attributes have the column \"\(column)\"", pointer: place)
      }
      _ = try identifier(.string(column), at: place)
    }
    guard model.attributes.count <= 1000 else {
      throw ModelError(message: "a model has at most 1,000 attributes", pointer: "/properties")
    }
    let tables = model.attributes.compactMap(\.relation).map { $0.table.lowercased() }
    // The readable view joins them all, and SQLite joins at most 64 tables.
    guard tables.count <= 60 else {
      throw ModelError(message: "a model has at most 60 relations", pointer: "/properties")
    }
    guard Set(tables + [model.table.lowercased()]).count == tables.count + 1 else {
      throw ModelError(
        message: "the table of each relation must have a name of its own", pointer: "/properties")
    }
  }

  private static func checkSources(
    of attributes: [Attribute], at place: String
  ) throws(ModelError) {
    var sources: Set<Attribute.Source> = []
    for attribute in attributes where !sources.insert(attribute.source).inserted {
      throw ModelError(
        message: "another attribute reads the same member",
        pointer: place + JSONPointer.step(attribute.name))
    }
  }

  // MARK: Small values

  private static func refuseUnknown(
    _ members: [JSONValue.Member], known: Set<String>, at place: String
  ) throws(ModelError) {
    for member in members
    where !known.contains(member.name) && !annotations.contains(member.name) {
      let advice =
        known.contains("x-\(member.name)")
        ? "did you mean \"x-\(member.name)\"?"
        : "it cannot be enforced, so it is refused; take it out, or use one of "
          + known.sorted().joined(separator: ", ")
      throw ModelError(
        message: "unknown keyword \"\(member.name)\": \(advice)",
        pointer: place + JSONPointer.step(member.name))
    }
  }

  /// The names in a string or an array of strings; none where the keyword is absent.
  private static func names(
    _ json: JSONValue?, at place: String
  ) throws(ModelError) -> [String] {
    guard let json else { return [] }
    var names: [String] = []
    for element in json.elements ?? [json] {
      guard let name = element.string else {
        throw ModelError(message: "\(element) is no name of an attribute", pointer: place)
      }
      names.append(name)
    }
    return names
  }

  private static func boolean(_ json: JSONValue?, at place: String) throws(ModelError) -> Bool {
    guard let json else { return false }
    guard case .bool(let value) = json else {
      throw ModelError(message: "\(json) is neither true nor false", pointer: place)
    }
    return value
  }

  /// The name of a table or column.
  private static func identifier(
    _ json: JSONValue?, at place: String
  ) throws(ModelError) -> String? {
    guard let json else { return nil }
    guard let name = json.string, !name.isEmpty, !name.utf8.contains(0) else {
      throw ModelError(message: "\(json) cannot name a table or column", pointer: place)
    }
    for reserved in [Bookkeeping.prefix, "sqlite_"]
    where name.lowercased().hasPrefix(reserved) {
      throw ModelError(
        message: "\"\(name)\": names that begin with \(reserved) are reserved; name another with "
          + "\"x-column\" or \"x-table\"", pointer: place)
    }
    return name
  }
}
