internal import JSONStreaming

extension ModelReader {
  /// A relation whose value is an object.
  static func relation(
    from json: JSONValue, types: JSONTypes, at place: String,
    with compiler: inout RuleCompiler
  ) throws(ModelError) -> Relation {
    let ownPlace = place + "/x-relation"
    let (table, unique) = try relationKeyword(json["x-relation"], at: ownPlace)
    guard types.contains(.object), types.subtracting([.object, .null]).isEmpty else {
      throw ModelError(
        message: "a relation needs the type object or one plain type, optionally with null",
        pointer: ownPlace)
    }
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
        message: "the source \"0#\" is not available in a related row",
        pointer: place + "/properties" + JSONPointer.step(attribute.name) + "/x-source")
    }
    try checkSources(of: attributes, at: place + "/properties")
    return Relation(table: table, attributes: attributes, isPlain: false)
  }

  /// A relation to a plain value; `schema` has the rules of values other than null.
  static func plainRelation(
    from json: JSONValue, of attribute: Attribute, storage: Attribute.Storage, schema: Int,
    at place: String
  ) throws(ModelError) -> Relation {
    let ownPlace = place + "/x-relation"
    let (table, unique) = try relationKeyword(json["x-relation"], at: ownPlace)
    guard unique.count == 1 else {
      throw ModelError(
        message: "a relation without \"properties\" has one value: name one attribute for it in "
          + "\"unique\"", pointer: ownPlace + "/unique")
    }
    guard json["default"] == nil else {
      throw ModelError(message: "a relation has no default", pointer: place + "/default")
    }
    let column = try identifier(.string(unique[0]), at: ownPlace + "/unique") ?? unique[0]
    let value = Attribute(
      name: unique[0], column: column, source: attribute.source,
      types: attribute.types.subtracting(.null), storage: storage, isRequired: true,
      isLenient: attribute.isLenient, readsEmptyAsNull: false, allowsNUL: attribute.allowsNUL,
      defaultValue: nil, mergeRule: nil, schema: schema, relation: nil)
    return Relation(table: table, attributes: [value], isPlain: true)
  }

  /// The attribute that `x-references` names.
  static func target(
    _ json: JSONValue?, of storage: Attribute.Storage, isRelated: Bool, at place: String
  ) throws(ModelError) -> Attribute.Target? {
    guard let json else { return nil }
    guard let members = json.members, let attribute = json["attribute"]?.string, !attribute.isEmpty,
      let table = try tableName(json["table"], at: place + "/table")
    else {
      throw ModelError(
        message: "a reference is an object: {\"table\": \"…\", \"attribute\": \"…\"}",
        pointer: place)
    }
    try refuseUnknown(members, known: ["table", "attribute"], at: place)
    guard !isRelated, [.text, .uuid, .integer].contains(storage) else {
      throw ModelError(
        message:
          "a reference is a text, an integer or a uuid of the record or of an array's element",
        pointer: place)
    }
    return Attribute.Target(table: table, attribute: attribute)
  }

  /// Refuses a relation in a role that needs a value of the record itself.
  static func refuseRelation(
    _ attribute: Attribute, as role: String, at place: String
  ) throws(ModelError) {
    guard attribute.relation != nil else { return }
    throw ModelError(
      message: "\"\(attribute.name)\" is a relation, which cannot be a \(role)", pointer: place)
  }

  /// The table and the unique attributes that `x-relation` names.
  static func relationKeyword(
    _ json: JSONValue?, beside others: Set<String> = [], at place: String
  ) throws(ModelError) -> (table: String, unique: [String]) {
    guard let json, let members = json.members else {
      throw ModelError(
        message: "a relation is an object: {\"table\": \"…\", \"unique\": \"…\"}", pointer: place)
    }
    try refuseUnknown(members, known: others.union(["table", "unique"]), at: place)
    guard let table = try tableName(json["table"], at: place + "/table") else {
      throw ModelError(message: "the relation's table is not named", pointer: place)
    }
    return (table, try names(json["unique"], at: place + "/unique"))
  }
}
