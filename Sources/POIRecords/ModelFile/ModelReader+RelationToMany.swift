internal import JSONStreaming

extension ModelReader {
  static func isRelationToMany(_ json: JSONValue) -> Bool {
    json["x-relation"] != nil && names("array", asTypeOf: json)
  }

  /// - Parameter depth: the number of enclosing relations to many, including this one.
  static func relationToMany(
    _ name: String, from json: JSONValue, isRequired: Bool, parent: String, depth: Int,
    at place: String, document: JSONValue
  ) throws(ModelError) -> RelationToMany {
    try refuseUnknown(
      json.members ?? [],
      known: ["type", "items", "minItems", "maxItems", "x-relation", "x-source"], at: place)
    let types = try types(json["type"], at: place + "/type")
    guard types.subtracting([.array, .null]).isEmpty else {
      throw ModelError(
        message: "a relation to many needs the type array, optionally with null",
        pointer: place + "/type")
    }
    guard depth <= Model.relationDepthLimit else {
      throw ModelError(
        message: "relations to many are nested at most \(Model.relationDepthLimit) deep",
        pointer: place)
    }
    let ownPlace = place + "/x-relation"
    let (table, unique) = try relationKeyword(
      json["x-relation"], beside: ["parent", "join"], at: ownPlace)
    guard !unique.isEmpty, Set(unique.map(ExactText.init)).count == unique.count else {
      throw ModelError(
        message: "\"unique\" names the attributes that identify an element within its array, "
          + "each once", pointer: ownPlace + "/unique")
    }
    let link = try link(json["x-relation"], parent: parent, table: table, at: ownPlace)
    let (element, isPlain) = try element(
      json["items"], table: table, unique: unique, link: link, depth: depth, at: place + "/items",
      document: document)
    let source = try source(json["x-source"], name: name, at: place + "/x-source")
    guard case .pointer = source else {
      throw ModelError(
        message: "an array cannot have the source \"0#\", the name of a member",
        pointer: place + "/x-source")
    }
    let compiler = RuleCompiler(document)
    return RelationToMany(
      name: name, source: source, isRequired: isRequired, allowsNull: types.contains(.null),
      minItems: try compiler.count(json, "minItems", at: place),
      maxItems: try compiler.count(json, "maxItems", at: place), element: element,
      isPlain: isPlain, link: link)
  }

  private static func link(
    _ json: JSONValue?, parent: String, table: String, at place: String
  ) throws(ModelError) -> RelationToMany.Link {
    let column = try identifier(json?["parent"], at: place + "/parent") ?? parent
    guard let join = try tableName(json?["join"], at: place + "/join") else {
      return .parent(column: column)
    }
    guard column.lowercased() != table.lowercased() else {
      throw ModelError(
        message: "the table \"\(join)\" would have two columns \"\(column)\"; rename the "
          + "parent's with \"parent\"", pointer: place)
    }
    return .join(table: join, parentColumn: column, rowColumn: table)
  }

  private static func element(
    _ json: JSONValue?, table: String, unique: [String], link: RelationToMany.Link, depth: Int,
    at place: String, document: JSONValue
  ) throws(ModelError) -> (model: Model, isPlain: Bool) {
    guard let items = json, items.members != nil else {
      throw ModelError(
        message: "a relation to many describes its elements in \"items\"", pointer: place)
    }
    var compiler = RuleCompiler(document)
    // `items` may refer to an object elsewhere, but then has no other keywords.
    let target = try compiler.chain(from: items, at: place).last
    let isPlain = target?.json["properties"] == nil
    let (json, place) =
      isPlain ? (items, place) : try elsewhere(items, target, at: place)
    let members = json.members ?? []
    let attributes: [Attribute]
    var relations: [RelationToMany] = []
    if isPlain {
      guard unique.count == 1 else {
        throw ModelError(
          message: "an element without \"properties\" is one value: name one attribute for it in "
            + "\"unique\"", pointer: place)
      }
      guard json["x-source"] == nil else {
        throw ModelError(
          message: "the element itself is the value", pointer: place + "/x-source")
      }
      attributes = [
        try attribute(
          unique[0], from: json, isRequired: true, isRelated: true, at: place,
          with: &compiler)
      ]
    } else {
      try refuseUnknown(
        members, known: recordKeywords.union(["type", "properties", "required"]), at: place)
      guard json["type"] == .string("object") else {
        throw ModelError(
          message: "an element is an object; say \"type\": \"object\"", pointer: place + "/type")
      }
      let required = try namesInArray(json["required"], at: place + "/required")
      (attributes, relations) = try attributesAndRelations(
        json["properties"]?.members ?? [], required: required, table: table, depth: depth,
        at: place, with: &compiler)
    }
    let recordRules = try recordRules(
      isPlain ? .object([]) : json, attributes: attributes, at: place, with: &compiler)
    var model = Model(
      name: table, table: table, attributes: attributes, relations: relations,
      key: unique, timestamp: nil, tombstone: nil, unmappedColumn: nil,
      rules: try compiler.finish(), recordRules: recordRules, document: json.description)
    try check(model, link: link, at: place)
    model.defaults = try defaults(of: model, at: place)
    return (model, isPlain)
  }

  private static func elsewhere(
    _ items: JSONValue, _ target: (json: JSONValue, place: String)?, at place: String
  ) throws(ModelError) -> (json: JSONValue, place: String) {
    guard items["$ref"] != nil, let target else { return (items, place) }
    try refuseUnknown(items.members ?? [], known: ["$ref"], at: place)
    return target
  }

  private static func check(
    _ element: Model, link: RelationToMany.Link, at place: String
  ) throws(ModelError) {
    for name in element.key {
      guard let attribute = element.attribute(named: name) else {
        throw ModelError(
          message: "\"unique\" names \"\(name)\", which is not an attribute of an element",
          pointer: place)
      }
      guard attribute.isColumnNotNull, ![.json, .any, .relation].contains(attribute.storage) else {
        throw ModelError(
          message: "\"\(name)\" identifies an element: it must be required, not null, and a "
            + "text, number, boolean, date or uuid, and no relation", pointer: place)
      }
    }
    if let attribute = element.attributes.first(where: { $0.source == .memberName }) {
      throw ModelError(
        message: "the source \"0#\" is not available in an element of an array",
        pointer: place + "/properties" + JSONPointer.step(attribute.name) + "/x-source")
    }
    try checkColumns(of: element, at: place)
    try checkSources(of: element.attributes, element.relations, at: place + "/properties")
    switch link {
    case .parent(let column):
      let columns = element.attributes.map(\.column) + element.relations.map(\.name)
      guard !columns.contains(where: { $0.lowercased() == column.lowercased() }) else {
        throw ModelError(
          message: "the column \"\(column)\" belongs to an attribute and to the parent; rename the "
            + "parent's with \"parent\" in \"x-relation\"", pointer: place)
      }
    case .join:
      guard
        Set(element.key.map(ExactText.init)) == Set(element.attributes.map { ExactText($0.name) }),
        element.relations.isEmpty
      else {
        throw ModelError(
          message: "a row that several records share can only have the attributes in "
            + "\"unique\"", pointer: place)
      }
    }
  }
}
