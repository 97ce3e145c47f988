internal import JSONStreaming

/// Lines that name keys of records.
extension Model {
  /// A model of objects with the key of a record of this model, and further members.
  ///
  /// - Parameters:
  ///   - place: the place of the key, such as `/key`; empty if its members are beside the others.
  ///   - table: the table of the objects.
  ///   - members: the names and schemas of the further members.
  ///   - required: the names of further members that an object must have.
  package func ofKeys(
    at place: String = "", table: String, members: [(name: String, schema: JSONValue)] = [],
    required: [String] = []
  ) throws(ModelError) -> Model {
    let document = try? JSONValue(parsing: document.utf8Span.span)
    var properties: [JSONValue.Member] = []
    for name in key {
      guard let attribute = attribute(named: name),
        var schema = document?["properties"]?[name]?.members
      else { continue }
      schema.removeAll { ["x-source", "x-merge", "default"].contains($0.name) }
      if let types = schema["type"]?.elements {
        schema["type"] = .array(types.filter { $0 != .string("null") })
        schema.removeAll { $0.name == "x-empty-as-null" }
      }
      let source =
        attribute.source == .memberName ? JSONPointer.step(name) : attribute.source.notation
      schema.append(JSONValue.Member(name: "x-source", value: .string(place + source)))
      properties.append(JSONValue.Member(name: name, value: .object(schema)))
    }
    properties += members.map { JSONValue.Member(name: $0.name, value: $0.schema) }
    var parts: [JSONValue.Member] = [
      .init(name: "x-table", value: .string(table)),
      .init(name: "required", value: .array((key + required).map(JSONValue.string))),
      .init(name: "properties", value: .object(properties)),
    ]
    if let definitions = document?["$defs"] {
      parts.append(.init(name: "$defs", value: definitions))
    }
    return try Model(parsing: JSONValue.object(parts).description)
  }
}
