internal import JSONStreaming

/// Compiles the schemas of a model's document into a `RuleTable`.
struct RuleCompiler {
  static let keywords: Set<String> = [
    "type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "x-not-blank", "x-no-controls", "items", "minItems",
    "maxItems", "uniqueItems", "properties", "required", "additionalProperties", "minProperties",
    "maxProperties", "dependentRequired", "enum", "const", "$ref", "$defs", "default",
  ]

  /// The document that references point into.
  let document: JSONValue

  /// The document's definitions, by name.
  let definitions: [ExactText: JSONValue]

  var table = RuleTable()

  private var constants: [JSONValue] = []

  /// The compiled or reserved schemas, by their place in the document.
  private(set) var schemasByPlace: [ExactText: Int] = [:]

  private struct Waiting {
    let json: JSONValue
    let place: String
    let index: Int
  }

  /// Referenced schemas that are still to be compiled. No recursion: a chain of references can be long.
  private var waiting: [Waiting] = []

  init(_ document: JSONValue) {
    self.document = document
    let members = document["$defs"]?.members ?? []
    definitions = Dictionary(
      members.map { (ExactText($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func schema(_ json: JSONValue, at place: String) throws(ModelError) -> Int {
    if let known = schemasByPlace[ExactText(place)] { return known }
    let index = reserve(place)
    try compile(json, at: place, into: index)
    return index
  }

  /// Reserves the index of a schema before it is compiled, so that it can refer to itself.
  private mutating func reserve(_ place: String?) -> Int {
    let index = table.schemas.count
    table.schemas.append(.anything)
    if let place { schemasByPlace[ExactText(place)] = index }
    return index
  }

  private mutating func compile(
    _ json: JSONValue, at place: String, into index: Int
  ) throws(ModelError) {
    if case .bool(let allows) = json {
      table.schemas[index].types = allows ? .all : []
      return
    }
    guard let members = json.members else {
      throw ModelError(
        message: "a schema is an object, true or false; this is \(json.typeName)", pointer: place)
    }
    try ModelReader.refuseUnknown(members, known: Self.keywords, at: place)
    table.schemas[index].types = try ModelReader.types(json["type"], at: place + "/type")
    var rules = try valueRules(json, at: place)
    if let reference = json["$ref"] {
      let (target, targetPlace) = try self.target(of: reference, at: place + "/$ref")
      let known = schemasByPlace[ExactText(targetPlace)]
      let next = known ?? reserve(targetPlace)
      if known == nil { waiting.append(Waiting(json: target, place: targetPlace, index: next)) }
      rules.append(.reference(next))
    }
    append(rules, to: index)
  }

  /// Checks a definition that only attributes can refer to, because it has attribute keywords.
  mutating func check(_ definition: JSONValue, at place: String) throws(ModelError) {
    try compile(definition, at: place, into: reserve(nil))
  }

  /// Compiles the schema of an attribute and the schemas that it refers to into one; returns its index.
  mutating func attribute(
    _ schemas: [(json: JSONValue, place: String)], types: JSONTypes
  ) throws(ModelError) -> Int {
    let index = table.schemas.count
    table.schemas.append(RuleTable.Schema(types: types))
    var rules: [Rule] = []
    for (json, place) in schemas { rules += try valueRules(json, at: place) }
    // Decoding checks these formats.
    rules.removeAll { [.format(.uuid), .format(.date), .format(.dateTime)].contains($0) }
    append(rules, to: index)
    return index
  }

  /// Compiles the remaining schemas and returns the table.
  consuming func finish() throws(ModelError) -> RuleTable {
    while let next = waiting.popLast() {
      try compile(next.json, at: next.place, into: next.index)
    }
    try refuseEndlessReferences()
    if !constants.isEmpty { try addConstants() }
    return table
  }

  private mutating func append(_ rules: [Rule], to schema: Int) {
    table.schemas[schema].first = table.rules.count
    table.rules += rules
    table.schemas[schema].end = table.rules.count
  }

  mutating func choice(of values: [JSONValue], isConst: Bool) -> Rule {
    table.choices.append(
      RuleTable.Choice(
        first: constants.count, end: constants.count + values.count, isConst: isConst))
    constants += values
    return .oneOf(table.choices.count - 1)
  }

  /// Puts all constants into one array on a tape, and hashes the constants of large choices.
  private mutating func addConstants() throws(ModelError) {
    var limits = ReadingLimits()
    limits.depth += 1
    var reader = ElementReader(shape: .sequence, limits: limits, isResumable: false)
    reader.append(Array(JSONValue.array(constants).description.utf8).span)
    reader.finish()
    guard reader.findValue() else {
      throw ModelError(message: "the constants of the model are too large", pointer: "")
    }
    let copy = TapeCopy(reader)
    table.constants = copy
    var place = 1
    for _ in constants {
      table.constantPlaces.append(place)
      place = copy.tape.end(ofValueAt: place)
    }
    for index in table.choices.indices {
      let numbers = table.choices[index].first..<table.choices[index].end
      guard numbers.count > RuleTable.Choice.unhashedLimit else { continue }
      for number in numbers {
        let hash = copy.tape.valueHash(at: table.constantPlaces[number])
        table.choices[index].numbersByHash[hash, default: []].append(number)
      }
    }
  }
}
