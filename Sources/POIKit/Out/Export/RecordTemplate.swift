internal import JSONStreaming
internal import POIRecords

/// How the records of a model are written: its `SourceTree` in flat tables, which are read without counting
/// references.
struct RecordTemplate {
  /// What is at a place of an object or array.
  enum Content: BitwiseCopyable {
    /// A field.
    case value
    /// A relation to one: the value of the related row's only field.
    case relatedValue(field: Int)
    /// A relation to one: the related row.
    case relatedRow(node: Int)
    /// A JSON value that is kept as a whole, while parts of it have fields of their own.
    case whole(node: Int)
    /// The rows of a relation to many.
    case rows(relation: Int)
    /// An object or array without a field.
    case container(node: Int)
  }

  struct Place {
    let content: Content

    /// The number of the field; -1 if the content is not a field.
    let field: Int

    /// Whether NULL is written as null: absent, the value would be an issue or the default.
    let writesNull: Bool

    /// The bytes of the member's name in `names`, as JSON with a colon.
    let name: Range<Int>

    /// The index of the element; -1 if the name is not an index.
    let index: Int
  }

  struct Node {
    let places: Range<Int>

    /// Whether all names are indices, so that it is an array unless unmapped members say otherwise.
    let isArray: Bool

    /// The greatest index; -1 if no name is one.
    let lastIndex: Int

    /// Whether a field at or below it is written.
    var hasFields = false
  }

  private(set) var nodes: [Node] = []
  private(set) var places: [Place] = []
  private var names: [UInt8] = []

  /// The names of the places, not quoted.
  private(set) var plainNames: [String] = []

  /// The forms of the fields.
  let forms: [ValueForm]

  /// - Parameter columns: the names of the attributes and relations to write; empty for all.
  init(_ layout: RecordLayout, of model: Model, columns: [String]) {
    forms = layout.fields.map { ValueForm($0.attribute) }
    let needed = Set(model.recordRules.dependencies.map(\.needed))
    for (number, node) in SourceTree(layout).nodes.enumerated() {
      let first = places.count
      for place in node.places {
        guard let content = Self.content(of: place, in: layout, columns) else { continue }
        let name = Array((JSONText.quoted(place.name) + ":").utf8)
        names += name
        plainNames.append(place.name)
        let field = place.field.flatMap { $0 < layout.fields.count ? $0 : nil }
        let attribute = field.map { layout.fields[$0].attribute }
        places.append(
          Place(
            content: content, field: field ?? -1,
            writesNull: attribute?.isRequired == true || attribute?.defaultValue != nil
              || field.map(needed.contains) == true,
            name: (names.count - name.count)..<names.count,
            index: JSONPointer.arrayIndex(place.name) ?? -1))
      }
      let indices = places[first...].map(\.index)
      nodes.append(
        Node(
          places: first..<places.count,
          isArray: number != SourceTree.root && !indices.isEmpty && !indices.contains(-1),
          lastIndex: indices.max() ?? -1))
    }
    // A node comes before those inside.
    for number in nodes.indices.reversed() {
      nodes[number].hasFields = places[nodes[number].places].contains { place in
        switch place.content {
        case .container(let inner): nodes[inner].hasFields
        case .value, .relatedValue, .relatedRow, .whole, .rows: true
        }
      }
    }
  }

  /// Appends the name of a member as JSON, with a colon.
  func appendName(of place: Place, to output: inout GrowableBuffer<UInt8>) {
    output.append(bytes: names.span.extracting(place.name))
  }

  /// The content of a place; nil if it is not to be written.
  private static func content(
    of place: SourceTree.Place, in layout: RecordLayout, _ columns: [String]
  ) -> Content? {
    func isChosen(_ name: String) -> Bool {
      columns.isEmpty || columns.contains { $0.isExactly(name) }
    }
    guard let number = place.field else { return place.node.map { .container(node: $0) } }
    if number >= layout.fields.count {
      let relation = number - layout.fields.count
      return isChosen(layout.relations[relation].relation.name) ? .rows(relation: relation) : nil
    }
    let field = layout.fields[number]
    guard field.relationField != nil || isChosen(field.path) else {
      return place.node.flatMap { field.attribute.relation == nil ? .container(node: $0) : nil }
    }
    if let relation = field.attribute.relation {
      return relation.isPlain
        ? .relatedValue(field: field.relatedFields.lowerBound)
        : .relatedRow(node: place.node ?? SourceTree.root)
    }
    return place.node.map { .whole(node: $0) } ?? .value
  }
}
