internal import JSONStreaming

/// The document of a model, with its schemas by their places.
final class SchemaDocument {
  /// The whole document.
  let root: JSONValue

  /// Every schema that stands below the root, by its JSON pointer: what references may point at.
  ///
  /// They are looked for with the first reference; most documents have none.
  private(set) lazy var schemas: [ExactText: JSONValue] = {
    var schemas: [ExactText: JSONValue] = [:]
    SchemaDocument.add(schemasBelow: root, at: "", to: &schemas)
    return schemas
  }()

  init(_ root: JSONValue) {
    self.root = root
  }

  private static func add(
    schemasBelow json: JSONValue, at place: String, to schemas: inout [ExactText: JSONValue]
  ) {
    for keyword in ["properties", "$defs"] {
      for member in json[keyword]?.members ?? [] {
        let inner = "\(place)/\(keyword)" + JSONPointer.step(member.name)
        schemas[ExactText(inner)] = member.value
        add(schemasBelow: member.value, at: inner, to: &schemas)
      }
    }
    for keyword in ["items", "additionalProperties"] {
      guard let schema = json[keyword] else { continue }
      let inner = "\(place)/\(keyword)"
      schemas[ExactText(inner)] = schema
      add(schemasBelow: schema, at: inner, to: &schemas)
    }
  }
}
