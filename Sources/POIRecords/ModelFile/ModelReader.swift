internal import JSONStreaming

extension Model {
  /// Reads a model from its document.
  ///
  /// The document is a JSON Schema (2020-12) whose root describes one record. Every keyword is enforced, is
  /// an annotation (`title`, `description`, `examples`, `$comment`, `$schema`, `$id`), or is refused.
  ///
  /// - Parameter document: the JSON text.
  /// - Throws: `ModelError` if the document is not a valid model.
  public init(parsing document: String) throws(ModelError) {
    try self.init(parsing: Array(document.utf8).span)
  }

  /// Reads a model from a document in UTF-8.
  package init(parsing document: Span<UInt8>) throws(ModelError) {
    let json: JSONValue
    do {
      json = try JSONValue(parsing: document)
    } catch {
      throw ModelError(error)
    }
    self = try ModelReader.model(from: json)
  }
}

/// Reads a model's document, and refuses keywords that it cannot enforce.
enum ModelReader {
  /// Keywords without an effect on records.
  static let annotations: Set<String> = ["$comment", "title", "description", "examples"]

  static let rootKeywords: Set<String> = recordKeywords.union([
    "$schema", "$id", "$defs", "type", "required", "properties", "x-table", "x-key",
    "x-key-doubtful", "x-null-key", "x-timestamp", "x-ties", "x-tombstone", "x-unmapped-column",
    // Earlier versions inferred x-widens.
    "x-widens", "x-keeps-misfits",
  ])

  /// The keywords of attributes, without the keywords of `RuleCompiler`.
  static let attributeKeywords: Set<String> = [
    "x-column", "x-source", "x-unit", "x-zone", "x-date-pattern", "x-lenient", "x-decimal-comma",
    "x-empty-as-null",
    "x-allow-nul", "x-digits",
    "x-relation", "x-references", "x-merge",
  ]

  static let attributeSchemaKeywords = attributeKeywords.union(RuleCompiler.keywords)

  static let relatedRowKeywords = attributeKeywords.union(["type", "properties", "required"])

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
    guard let table = try tableName(json["x-table"], at: "/x-table") else {
      throw ModelError(
        message: "the table is not named; add \"x-table\": \"…\"", pointer: "")
    }
    let required = try namesInArray(json["required"], at: "/required")
    guard let properties = json["properties"]?.members, !properties.isEmpty else {
      throw ModelError(
        message: "a model needs \"properties\", an object of attributes", pointer: "")
    }
    var compiler = RuleCompiler(json)
    let (attributes, relations) = try attributesAndRelations(
      properties, required: required, table: table, depth: 0, at: "", with: &compiler)
    let key = try keyNames(json["x-key"], attributes: attributes)
    let timestamp = try timestampName(json["x-timestamp"], attributes: attributes, json)
    let tombstone = try tombstone(json["x-tombstone"], attributes: attributes, key: key)
    try checkMergeRules(of: attributes, key: key, timestamp: timestamp, tombstone: tombstone)
    let unmapped = try identifier(json["x-unmapped-column"], at: "/x-unmapped-column")
    let recordRules = try recordRules(json, attributes: attributes, at: "", with: &compiler)
    try compiler.checkDefinitions(json["$defs"], at: "/$defs")
    var model = Model(
      name: json["$id"]?.string ?? json["title"]?.string ?? table, table: table,
      attributes: attributes, relations: relations, key: key, timestamp: timestamp,
      tombstone: tombstone, unmappedColumn: unmapped, rules: try compiler.finish(),
      recordRules: recordRules, document: json.description)
    try checkColumns(of: model, at: "")
    try checkTables(of: model)
    try checkSources(of: attributes, relations, at: "/properties")
    model.isKeyDoubtful = try boolean(json["x-key-doubtful"], at: "/x-key-doubtful")
    model.ties = try tieRule(json["x-ties"])
    model.groupsNullKeys = try groupsNullKeys(json["x-null-key"])
    model.keepsMisfits = try boolean(json["x-keeps-misfits"], at: "/x-keeps-misfits")
    if model.keepsMisfits, unmapped == nil {
      throw ModelError(
        message: "what does not fit is kept with the unmapped members; add \"x-unmapped-column\": "
          + "\"…\"", pointer: "/x-keeps-misfits")
    }
    model.defaults = try defaults(of: model, at: "")
    return model
  }

  /// The attributes and the relations to many of a record, or of an element inside `depth` relations to many.
  static func attributesAndRelations(
    _ properties: [JSONValue.Member], required: [String], table: String, depth: Int,
    at place: String, with compiler: inout RuleCompiler
  ) throws(ModelError) -> (attributes: [Attribute], relations: [RelationToMany]) {
    var attributes: [Attribute] = []
    var relations: [RelationToMany] = []
    for property in properties {
      let inner = place + "/properties" + JSONPointer.step(property.name)
      let isRequired = required.containsExactly(property.name)
      if isRelationToMany(property.value) {
        relations.append(
          try relationToMany(
            property.name, from: property.value, isRequired: isRequired, parent: table,
            depth: depth + 1, at: inner, document: compiler.document))
      } else {
        attributes.append(
          try attribute(
            property.name, from: property.value, isRequired: isRequired, isRelated: false,
            at: inner, with: &compiler))
        if depth > 0, attributes.last?.mergeRule != nil {
          throw ModelError(
            message: "a related row is not merged; remove \"x-merge\"",
            pointer: inner + "/x-merge")
        }
      }
    }
    for name in required where !properties.contains(where: { $0.name.isExactly(name) }) {
      throw ModelError(
        message: "\"\(name)\" is required, but is not in \"properties\"",
        pointer: place + "/required")
    }
    return (attributes, relations)
  }

  // MARK: Parts of the root

  private static func keyNames(
    _ json: JSONValue?, attributes: [Attribute]
  ) throws(ModelError) -> [String] {
    let key = try names(json, at: "/x-key")
    for name in key {
      guard let index = attributes.index(named: name) else {
        throw ModelError(
          message: "the key \"\(name)\" is not an attribute" + list(of: attributes),
          pointer: "/x-key")
      }
      guard attributes[index].relation == nil,
        attributes[index].storage != .json
          || attributes[index].types.isDisjoint(with: [.object, .array])
      else {
        throw ModelError(
          message: "\"\(name)\" cannot be a key: it is a relation, an object or an array",
          pointer: "/x-key")
      }
    }
    guard Set(key.map(ExactText.init)).count == key.count else {
      throw ModelError(message: "the key names an attribute twice", pointer: "/x-key")
    }
    return key
  }

  /// The first attributes, for a message.
  private static func list(of attributes: [Attribute]) -> String {
    attributes.isEmpty
      ? ""
      : "; the attributes are " + attributes.prefix(20).map(\.name).joined(separator: ", ")
        + (attributes.count > 20 ? ", …" : "")
  }

  private static func timestampName(
    _ json: JSONValue?, attributes: [Attribute], _ document: JSONValue
  ) throws(ModelError) -> String? {
    guard let json else { return nil }
    guard let name = json.string, let index = attributes.index(named: name) else {
      throw ModelError(
        message: "the timestamp \(json) is not an attribute" + list(of: attributes),
        pointer: "/x-timestamp")
    }
    try refuseRelation(attributes[index], as: "timestamp", at: "/x-timestamp")
    switch attributes[index].storage {
    case .instant, .date: return name
    default:
      let property = document["properties"]?[name]
      if property?["format"]?.string == TextFormat.timestamp.name {
        guard document["x-tombstone"] == nil else {
          throw ModelError(
            message: "removals need a timestamp that is not kept as text; give \"\(name)\" "
              + "\"format\": \"date-time\"", pointer: "/x-timestamp")
        }
        return name
      }
      throw ModelError(
        message: "the timestamp \"\(name)\" is not an instant; give it \"format\": \"date-time\", "
          + "\"date\" or \"timestamp\", or \"x-unit\" if it is a number"
          + (property?["$comment"]?.string.map { " (\($0))" } ?? ""), pointer: "/x-timestamp")
    }
  }

  private static func tieRule(_ json: JSONValue?) throws(ModelError) -> TieRule? {
    guard let json else { return nil }
    guard let rule = json.string.flatMap(TieRule.init) else {
      throw ModelError(
        message: "\(json) does not decide between equally new records; say \"digest\" or \"later\"",
        pointer: "/x-ties")
    }
    return rule
  }

  private static func groupsNullKeys(_ json: JSONValue?) throws(ModelError) -> Bool {
    switch json?.string ?? (json == nil ? "keep" : "") {
    case "keep": return false
    case "group": return true
    default:
      throw ModelError(
        message: "say \"group\" if keys with a NULL are equal, or \"keep\"", pointer: "/x-null-key")
    }
  }

  static func checkColumns(of model: Model, at place: String) throws(ModelError) {
    var columns: Set<String> = []
    let inner = place + "/properties"
    var named = model.attributes.map { ($0.column, inner + JSONPointer.step($0.name)) }
    // The readable view has a column for each relation to many.
    named += model.relations.map { ($0.name, inner + JSONPointer.step($0.name)) }
    if let unmapped = model.unmappedColumn { named.append((unmapped, "/x-unmapped-column")) }
    for (column, place) in named {
      // SQLite ignores the case of ASCII letters in column names.
      guard columns.insert(column.lowercased()).inserted else {
        throw ModelError(message: "two attributes have the column \"\(column)\"", pointer: place)
      }
      _ = try identifier(.string(column), at: place)
    }
    guard model.attributes.count + model.relations.count <= 1000 else {
      throw ModelError(message: "a model has at most 1,000 attributes", pointer: inner)
    }
  }

  /// Refuses a table with two uses, unless both uses are shared rows of the same form.
  private static func checkTables(of model: Model) throws(ModelError) {
    let uses = tablesOfRelations(of: model, at: "")
    // The readable view joins all of them, and SQLite joins at most 64 tables.
    guard uses.count <= 60 else {
      throw ModelError(
        message: "the relations of a model have at most 60 tables", pointer: "/properties")
    }
    var known = [model.table.lowercased(): TableUse(table: model.table, rows: nil, pointer: "")]
    for use in uses {
      guard let other = known.updateValue(use, forKey: use.table.lowercased()) else { continue }
      guard let rows = use.rows, let others = other.rows else {
        throw ModelError(
          message: "the table \"\(use.table)\" is also used by "
            + (other.pointer.isEmpty ? "the records" : other.pointer) + "; name another one",
          pointer: use.pointer)
      }
      guard use.table.isExactly(other.table), rows.isStored(as: others) else {
        throw ModelError(
          message: "the table \"\(use.table)\" is also used by \(other.pointer): write its name "
            + "alike, and give its rows the same columns and types in the same order; or name "
            + "another one", pointer: use.pointer)
      }
    }
  }

  private struct TableUse {
    var table: String
    /// The form of its rows, if several records share them.
    var rows: Relation?
    var pointer: String
  }

  private static func tablesOfRelations(of model: Model, at place: String) -> [TableUse] {
    func pointer(_ name: String) -> String { place + "/properties" + JSONPointer.step(name) }
    var uses: [TableUse] = model.attributes.compactMap { attribute in
      attribute.relation.map {
        TableUse(table: $0.table, rows: $0, pointer: pointer(attribute.name))
      }
    }
    for relation in model.relations {
      let pointer = pointer(relation.name)
      switch relation.link {
      case .parent:
        uses.append(TableUse(table: relation.element.table, rows: nil, pointer: pointer))
      case .join(let join, _, _):
        uses.append(TableUse(table: join, rows: nil, pointer: pointer))
        uses.append(
          TableUse(table: relation.element.table, rows: relation.sharedRows, pointer: pointer))
      }
      uses += tablesOfRelations(of: relation.element, at: pointer + "/items")
    }
    return uses
  }

  static func checkSources(
    of attributes: [Attribute], _ relations: [RelationToMany] = [], at place: String
  ) throws(ModelError) {
    var sources: Set<ExactText> = []
    let named = attributes.map { ($0.name, $0.source) } + relations.map { ($0.name, $0.source) }
    for (name, source) in named where !sources.insert(ExactText(source.notation)).inserted {
      throw ModelError(
        message: "another attribute reads the same member",
        pointer: place + JSONPointer.step(name))
    }
    for relation in relations {
      guard case .pointer(let array) = relation.source else { continue }
      for (name, source) in named {
        guard case .pointer(let tokens) = source, tokens.count > array.count,
          tokens.starts(with: array, by: { $0.isExactly($1) })
        else { continue }
        throw ModelError(
          message: "\"\(relation.name)\" is a relation to many: describe its elements in "
            + "its \"items\"", pointer: place + JSONPointer.step(name))
      }
    }
  }
}
