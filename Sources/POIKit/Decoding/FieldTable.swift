internal import JSONStreaming

/// The source pointers of a model's fields, compiled so that a member's name finds its field with
/// one hash.
///
/// The pointers form a tree. A node of it stands for one object or array on the way to a value; its
/// members are looked up in a flat open-addressing table.
struct FieldTable {
  /// What stands behind a member or element.
  struct Target {
    /// The field that the value is, or -1.
    var field: Int
    /// The node that describes the value's own members, or -1.
    var node: Int

    static let none = Target(field: -1, node: -1)
  }

  private struct Entry {
    var name: [UInt8]
    var hash: UInt32
    var target: Target
  }

  private struct Node {
    /// Entry numbers by hash, -1 where free; the count is a power of two, at least twice the
    /// entries'.
    var buckets: [Int32]
    var entries: [Entry]
    /// The entries whose names are array indices, by index.
    var elements: [(index: Int, target: Target)]
    /// How messages call the place: `/properties`.
    var pointer: String
    /// A field at or below the node, for messages about the node's own type.
    var anyField: Int
  }

  private var nodes: [Node] = []

  /// The fields that read the name of the member that holds the record.
  let memberNameFields: [Int]

  init(_ layout: RecordLayout) {
    var memberNameFields: [Int] = []
    var draft = [Draft(pointer: "", anyField: -1)]
    for (index, field) in layout.fields.enumerated() where field.relationField == nil {
      guard case .pointer(let tokens) = field.attribute.source else {
        memberNameFields.append(index)
        continue
      }
      let node = FieldTable.add(tokens, field: index, under: 0, to: &draft)
      if field.attribute.relation != nil {
        let inner = FieldTable.child(of: node, to: &draft, anyField: index)
        for related in field.relatedFields {
          guard case .pointer(let tokens) = layout.fields[related].attribute.source else {
            continue
          }
          FieldTable.add(tokens, field: related, under: inner, to: &draft)
        }
      }
    }
    self.memberNameFields = memberNameFields
    nodes = draft.map { FieldTable.compile($0) }
  }

  /// The tree while it is built: names to targets.
  private struct Draft {
    var names: [String] = []
    var targets: [Target] = []
    var pointer: String
    var anyField: Int
  }

  /// Where a draft's target stands: node and position in it.
  private typealias Place = (node: Int, position: Int)

  @discardableResult
  private static func add(
    _ tokens: [String], field: Int, under root: Int, to draft: inout [Draft]
  ) -> Place {
    var node = root
    var place = (node: root, position: 0)
    for (step, token) in tokens.enumerated() {
      if let position = draft[node].names.firstIndex(of: token) {
        place = (node, position)
      } else {
        draft[node].names.append(token)
        draft[node].targets.append(.none)
        place = (node, draft[node].names.count - 1)
      }
      if step < tokens.count - 1 {
        node = child(of: place, to: &draft, anyField: field)
      }
    }
    draft[place.node].targets[place.position].field = field
    return place
  }

  private static func child(of place: Place, to draft: inout [Draft], anyField: Int) -> Int {
    let existing = draft[place.node].targets[place.position].node
    if existing >= 0 { return existing }
    let parent = draft[place.node]
    draft.append(
      Draft(
        pointer: parent.pointer + JSONPointer.step(parent.names[place.position]),
        anyField: anyField))
    draft[place.node].targets[place.position].node = draft.count - 1
    return draft.count - 1
  }

  private static func compile(_ draft: Draft) -> Node {
    let entries = zip(draft.names, draft.targets).map { name, target in
      let bytes = Array(name.utf8)
      return Entry(name: bytes, hash: hash(bytes.span), target: target)
    }
    var size = 4
    while size < entries.count * 2 { size *= 2 }
    var buckets = [Int32](repeating: -1, count: size)
    for (number, entry) in entries.enumerated() {
      var bucket = Int(entry.hash) & (size - 1)
      while buckets[bucket] >= 0 { bucket = (bucket + 1) & (size - 1) }
      buckets[bucket] = Int32(number)
    }
    let elements = zip(draft.names, draft.targets).compactMap { name, target in
      Int(name).map { (index: $0, target: target) }
    }
    return Node(
      buckets: buckets, entries: entries, elements: elements, pointer: draft.pointer,
      anyField: draft.anyField)
  }

  var nodeCount: Int { nodes.count }

  /// The node that describes a record.
  static let root = 0

  /// What stands behind the member called `name`.
  func target(ofMember name: Span<UInt8>, in node: Int) -> Target {
    let hash = FieldTable.hash(name)
    let mask = nodes[node].buckets.count - 1
    var bucket = Int(hash) & mask
    while true {
      let number = Int(nodes[node].buckets[bucket])
      if number < 0 { return .none }
      if nodes[node].entries[number].hash == hash,
        FieldTable.isEqual(nodes[node].entries[number].name, name)
      {
        return nodes[node].entries[number].target
      }
      bucket = (bucket + 1) & mask
    }
  }

  /// What stands behind the element at `index`.
  func target(ofElement index: Int, in node: Int) -> Target {
    for element in nodes[node].elements where element.index == index { return element.target }
    return .none
  }

  /// How messages call the place of a node.
  func pointer(of node: Int) -> String { nodes[node].pointer }

  /// A field that is read through a node.
  func anyField(of node: Int) -> Int { nodes[node].anyField }

  /// FNV-1a, 32 bits.
  static func hash(_ name: Span<UInt8>) -> UInt32 {
    var hash: UInt32 = 0x811C_9DC5
    for index in name.indices { hash = (hash ^ UInt32(name[index])) &* 0x0100_0193 }
    return hash
  }

  /// Whether `text` is just the bytes of `name`.
  static func isEqual(_ name: [UInt8], _ text: Span<UInt8>) -> Bool {
    guard name.count == text.count else { return false }
    for index in text.indices where name[index] != text[index] { return false }
    return true
  }
}
