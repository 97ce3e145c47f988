internal import JSONStreaming

extension ModelReader {
  /// The keywords with rules for a whole record or a whole element of a relation to many.
  static let recordKeywords: Set<String> = [
    "additionalProperties", "minProperties", "maxProperties", "dependentRequired", "x-coordinates",
  ]

  static func recordRules(
    _ json: JSONValue, attributes: [Attribute], at place: String,
    with compiler: inout RuleCompiler
  ) throws(ModelError) -> RecordRules {
    // The attributes have the other rules.
    let keywords = ["minProperties", "maxProperties"]
    let counts = (json.members ?? []).filter { keywords.contains($0.name) }
    let schema = try compiler.attribute([(.object(counts), place)], types: .object)
    var additional: Int?
    if let value = json["additionalProperties"], value != .bool(true) {
      additional = try compiler.schema(value, at: place + "/additionalProperties")
    }
    var dependencies: [RecordRules.Dependency] = []
    for (name, needed) in try compiler.dependencies(json["dependentRequired"], at: place) {
      let place = place + "/dependentRequired" + JSONPointer.step(name)
      dependencies.append(
        RecordRules.Dependency(
          attribute: try index(of: name, in: attributes, at: place),
          needed: try index(of: needed, in: attributes, at: place)))
    }
    return RecordRules(
      schema: schema, additional: additional, dependencies: dependencies,
      coordinates: try coordinates(
        json["x-coordinates"], attributes: attributes, at: place + "/x-coordinates"))
  }

  private static func index(
    of name: String, in attributes: [Attribute], at place: String
  ) throws(ModelError) -> Int {
    guard let index = attributes.index(named: name) else {
      throw ModelError(message: "\"\(name)\" is not an attribute", pointer: place)
    }
    return index
  }

  private static func coordinates(
    _ json: JSONValue?, attributes: [Attribute], at place: String
  ) throws(ModelError) -> RecordRules.Coordinates? {
    guard let json else { return nil }
    guard let members = json.members, let latitude = json["latitude"]?.string,
      let longitude = json["longitude"]?.string, !latitude.isExactly(longitude)
    else {
      throw ModelError(
        message: "coordinates are two attributes: {\"latitude\": \"…\", \"longitude\": \"…\"}",
        pointer: place)
    }
    try refuseUnknown(members, known: ["latitude", "longitude"], at: place)
    let coordinates = RecordRules.Coordinates(
      latitude: try index(of: latitude, in: attributes, at: place + "/latitude"),
      longitude: try index(of: longitude, in: attributes, at: place + "/longitude"))
    for index in [coordinates.latitude, coordinates.longitude] {
      try refuseRelation(attributes[index], as: "coordinate", at: place)
    }
    for index in [coordinates.latitude, coordinates.longitude]
    where attributes[index].types.subtracting([.integer, .number, .null]) != []
      || ![.integer, .real].contains(attributes[index].storage)
    {
      throw ModelError(
        message: "\"\(attributes[index].name)\" is not a coordinate: give it the type number",
        pointer: place)
    }
    return coordinates
  }

  /// Decodes the defaults of a model, and refuses a default that violates the rules of its attribute.
  static func defaults(of model: Model, at place: String) throws(ModelError) -> DefaultValues {
    guard model.attributes.contains(where: { $0.defaultValue != nil }) else {
      return DefaultValues()
    }
    var decoder = RecordDecoder(model: model)
    let values = decoder.decodeDefaults()
    guard let issue = decoder.issues.first else { return values }
    throw ModelError(
      message: "the default breaks the attribute's own rules: \(issue.message)",
      pointer: place + "/properties" + JSONPointer.step(issue.attribute ?? "") + "/default")
  }
}
