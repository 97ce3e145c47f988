internal import JSONStreaming

/// Compiles the schemas of a model's document into a `RuleTable`, and refuses what cannot be
/// enforced.
struct RuleCompiler {
  /// The keywords that state rules, of an attribute or of a schema inside one.
  static let keywords: Set<String> = [
    "type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "x-not-blank", "x-no-controls", "items", "minItems",
    "maxItems", "uniqueItems", "properties", "required", "additionalProperties", "minProperties",
    "maxProperties", "dependentRequired", "enum", "const", "$ref", "$defs", "default",
  ]

  /// The document, which references point into.
  let document: JSONValue

  var table = RuleTable()

  /// The constants of all choices so far.
  private var constants: [JSONValue] = []

  /// The schemas so far, by their place in the document.
  private(set) var schemasByPlace: [String: Int] = [:]

  init(_ document: JSONValue) {
    self.document = document
  }

  /// Compiles a schema inside an attribute.
  ///
  /// - Returns: its index.
  mutating func schema(_ json: JSONValue, at place: String) throws(ModelError) -> Int {
    if let known = schemasByPlace[place] { return known }
    let index = table.schemas.count
    // A schema that refers to itself finds itself.
    schemasByPlace[place] = index
    if case .bool(let allows) = json {
      table.schemas.append(allows ? .anything : RuleTable.Schema(types: []))
      return index
    }
    guard let members = json.members else {
      throw ModelError(
        message: "a schema is an object, true or false; this is \(json.typeName)", pointer: place)
    }
    try ModelReader.refuseUnknown(members, known: Self.keywords, at: place)
    table.schemas.append(
      RuleTable.Schema(types: try ModelReader.types(json["type"], at: place + "/type")))
    var rules = try valueRules(json, at: place)
    if let reference = json["$ref"] {
      let (target, targetPlace) = try self.target(of: reference, at: place + "/$ref")
      rules.append(.reference(try schema(target, at: targetPlace)))
    }
    append(rules, to: index)
    return index
  }

  /// Compiles the rules of an attribute: its own, and those of the definitions that it refers to.
  ///
  /// - Parameter schemas: the attribute's schema and the ones it refers to, with their places.
  /// - Returns: the index of a schema with all rules of all of them.
  mutating func attribute(
    _ schemas: [(json: JSONValue, place: String)], types: JSONTypes
  ) throws(ModelError) -> Int {
    let index = table.schemas.count
    table.schemas.append(RuleTable.Schema(types: types))
    var rules: [Rule] = []
    for (json, place) in schemas { rules += try valueRules(json, at: place) }
    // Decoding these two checks them as well.
    rules.removeAll { $0 == .format(.uuid) || $0 == .format(.dateTime) }
    append(rules, to: index)
    return index
  }

  /// The table, when everything is compiled.
  consuming func finish() throws(ModelError) -> RuleTable {
    try refuseEndlessReferences()
    if !constants.isEmpty {
      (table.constants, table.constantPlaces) = try Self.tape(of: constants)
    }
    return table
  }

  private mutating func append(_ rules: [Rule], to schema: Int) {
    table.schemas[schema].first = table.rules.count
    table.rules += rules
    table.schemas[schema].end = table.rules.count
  }

  /// Adds the constants of an `enum` or a `const`.
  mutating func choice(of values: [JSONValue], isConst: Bool) -> Rule {
    table.choices.append(
      RuleTable.Choice(
        first: constants.count, end: constants.count + values.count, isConst: isConst))
    constants += values
    return .oneOf(table.choices.count - 1)
  }

  /// The constants in one array on a tape, and where each stands.
  private static func tape(
    of constants: [JSONValue]
  ) throws(ModelError) -> (TapeCopy, [Int]) {
    var limits = ReadingLimits()
    limits.depth += 1
    var reader = ElementReader(shape: .sequence, limits: limits, isResumable: false)
    reader.append(Array(JSONValue.array(constants).description.utf8).span)
    reader.finish()
    guard let event = try? reader.next(), case .element = event else {
      throw ModelError(message: "the constants of the model are too large", pointer: "")
    }
    let copy = TapeCopy(reader)
    var places: [Int] = []
    var place = 1
    for _ in constants {
      places.append(place)
      place = copy.tape.end(ofValueAt: place)
    }
    return (copy, places)
  }
}
