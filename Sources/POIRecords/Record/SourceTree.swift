internal import JSONStreaming

/// The objects and arrays of a model's records, with the place of each field: what the sources of the
/// attributes describe.
package struct SourceTree: Sendable {
  /// A member of an object, or an element of an array.
  package struct Place: Sendable {
    /// The name of the member, or the index of the element.
    package let name: String

    /// The field of the value. Relations to many are numbered after the fields.
    package var field: Int?

    /// The node of the object or array that is the value.
    package var node: Int?
  }

  package struct Node: Sendable {
    package var places: [Place] = []

    /// Its JSON pointer.
    package let pointer: String

    /// A field at or below it; nil for the record.
    let anyField: Int?

    /// The elements of an array by their index.
    package var elements: [(index: Int, place: Place)] {
      places.compactMap { place in
        JSONPointer.arrayIndex(place.name).map { (index: $0, place: place) }
      }
    }
  }

  /// The node of the record.
  package static let root = 0

  package private(set) var nodes = [Node(pointer: "", anyField: nil)]

  package init(_ layout: RecordLayout) {
    for (index, field) in layout.fields.enumerated() where field.relationField == nil {
      guard case .pointer(let tokens) = field.attribute.source else { continue }
      let place = add(tokens, field: index, under: Self.root)
      guard field.attribute.relation?.isPlain == false else { continue }
      let inner = node(at: place, anyField: index)
      for related in field.relatedFields {
        guard case .pointer(let tokens) = layout.fields[related].attribute.source else { continue }
        _ = add(tokens, field: related, under: inner)
      }
    }
    for (number, many) in layout.relations.enumerated() {
      guard case .pointer(let tokens) = many.relation.source else { continue }
      let target = layout.fields.count + number
      // The node marks the value as not plain. The elements have a tree of their own.
      _ = node(at: add(tokens, field: target, under: Self.root), anyField: target)
    }
  }

  private typealias Position = (node: Int, place: Int)

  private mutating func add(_ tokens: [String], field: Int, under root: Int) -> Position {
    var position = (node: root, place: 0)
    for (step, token) in tokens.enumerated() {
      if step > 0 { position.node = node(at: position, anyField: field) }
      let places = nodes[position.node].places
      position.place = places.firstIndex { $0.name.isExactly(token) } ?? places.count
      if position.place == places.count { nodes[position.node].places.append(Place(name: token)) }
    }
    nodes[position.node].places[position.place].field = field
    return position
  }

  private mutating func node(at position: Position, anyField: Int) -> Int {
    let place = nodes[position.node].places[position.place]
    if let node = place.node { return node }
    nodes.append(
      Node(
        pointer: nodes[position.node].pointer + JSONPointer.step(place.name), anyField: anyField))
    nodes[position.node].places[position.place].node = nodes.count - 1
    return nodes.count - 1
  }
}
