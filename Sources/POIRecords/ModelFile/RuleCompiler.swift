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
  let document: SchemaDocument

  var table = RuleTable()

  /// The constants of all choices so far.
  private var constants: [JSONValue] = []

  /// The schemas so far, by their place in the document.
  private(set) var schemasByPlace: [ExactText: Int] = [:]

  /// A schema that has its index, and is not compiled yet.
  private struct Waiting {
    let json: JSONValue
    let place: String
    let index: Int
  }

  /// The schemas that references led to: a chain of references is as long as the document allows,
  /// so it is no recursion.
  private var waiting: [Waiting] = []

  init(_ document: SchemaDocument) {
    self.document = document
  }

  /// Compiles a schema inside an attribute.
  ///
  /// - Returns: its index.
  mutating func schema(_ json: JSONValue, at place: String) throws(ModelError) -> Int {
    if let known = schemasByPlace[ExactText(place)] { return known }
    let index = reserve(place)
    try compile(json, at: place, into: index)
    return index
  }

  /// Takes the index of a schema, by which it finds itself where it refers to itself.
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

  /// Compiles a definition that only an attribute may refer to, because it says how one is read.
  mutating func check(_ definition: JSONValue, at place: String) throws(ModelError) {
    try compile(definition, at: place, into: reserve(nil))
  }

  /// Compiles the schemas that references led to.
  mutating func compileWaiting() throws(ModelError) {
    while let next = waiting.popLast() {
      try compile(next.json, at: next.place, into: next.index)
    }
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
    try compileWaiting()
    try refuseEndlessReferences()
    if !constants.isEmpty {
      (table.constants, table.constantPlaces, table.constantHashes) = try Self.tape(of: constants)
      fillBuckets()
    }
    return table
  }

  /// Puts the constants of large choices into buckets by their hash.
  private mutating func fillBuckets() {
    for index in table.choices.indices {
      let numbers = table.choices[index].first..<table.choices[index].end
      guard numbers.count > RuleTable.Choice.unhashedLimit else { continue }
      var size = 4
      while size < numbers.count * 2 { size *= 2 }
      let firstBucket = table.constantBuckets.count
      table.choices[index].firstBucket = firstBucket
      table.choices[index].bucketMask = size - 1
      table.constantBuckets += Array(repeating: -1, count: size)
      for number in numbers {
        var bucket = Int(truncatingIfNeeded: table.constantHashes[number]) & (size - 1)
        while table.constantBuckets[firstBucket + bucket] >= 0 {
          bucket = (bucket + 1) & (size - 1)
        }
        table.constantBuckets[firstBucket + bucket] = Int32(number)
      }
    }
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

  /// The constants in one array on a tape, where each stands, and its hash.
  private static func tape(
    of constants: [JSONValue]
  ) throws(ModelError) -> (TapeCopy, [Int], [UInt64]) {
    var limits = ReadingLimits()
    limits.depth += 1
    var reader = ElementReader(shape: .sequence, limits: limits, isResumable: false)
    reader.append(Array(JSONValue.array(constants).description.utf8).span)
    reader.finish()
    let isFound: Bool
    do { isFound = try reader.findValue() } catch { throw .outOfMemory }
    guard isFound else {
      throw ModelError(message: "the constants of the model are too large", pointer: "")
    }
    let copy = TapeCopy(reader)
    var places: [Int] = []
    var hashes: [UInt64] = []
    var place = 1
    for _ in constants {
      places.append(place)
      hashes.append(copy.tape.valueHash(at: place))
      place = copy.tape.end(ofValueAt: place)
    }
    return (copy, places, hashes)
  }
}
