internal import JSONStreaming

/// Relations.
extension ModelReader {
  static func relation(
    from json: JSONValue, types: JSONTypes, at place: String,
    with compiler: inout RuleCompiler
  ) throws(ModelError) -> Relation {
    let ownPlace = place + "/x-relation"
    guard let keyword = json["x-relation"], let members = keyword.members else {
      throw ModelError(
        message: "a relation is an object: {\"table\": \"…\", \"unique\": \"…\"}", pointer: ownPlace
      )
    }
    try refuseUnknown(members, known: relationKeywords, at: ownPlace)
    guard types.contains(.object), types.subtracting([.object, .null]).isEmpty else {
      throw ModelError(
        message: "a relation needs the type object, and at most null beside it", pointer: ownPlace)
    }
    guard let table = try identifier(keyword["table"], at: ownPlace + "/table") else {
      throw ModelError(message: "the relation's table is not named", pointer: ownPlace)
    }
    let unique = try names(keyword["unique"], at: ownPlace + "/unique")
    let required = try namesInArray(json["required"], at: place + "/required")
    var attributes: [Attribute] = []
    for property in json["properties"]?.members ?? [] {
      attributes.append(
        try attribute(
          property.name, from: property.value, isRequired: required.containsExactly(property.name),
          isRelated: true, at: place + "/properties" + JSONPointer.step(property.name),
          with: &compiler))
    }
    guard !attributes.isEmpty,
      Set(unique.map(ExactText.init)) == Set(attributes.map { ExactText($0.name) })
    else {
      throw ModelError(
        message:
          "\"unique\" names the attributes that identify a related row; they must be exactly "
          + "those in its \"properties\"", pointer: ownPlace)
    }
    guard attributes.allSatisfy(\.isColumnNotNull) else {
      throw ModelError(
        message: "the attributes that identify a related row must be required and not null",
        pointer: ownPlace)
    }
    if let attribute = attributes.first(where: { $0.source == .memberName }) {
      throw ModelError(
        message: "a related row has no member's name",
        pointer: place + "/properties" + JSONPointer.step(attribute.name) + "/x-source")
    }
    try checkSources(of: attributes, at: place + "/properties")
    return Relation(table: table, attributes: attributes)
  }
}
