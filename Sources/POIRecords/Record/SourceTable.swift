internal import JSONStreaming

/// Maps the source pointers of a model to its fields: a tree whose nodes are the objects and arrays that
/// contain mapped values.
///
/// Members mostly come in the same order. So the table remembers the successor of each member, and looks
/// up only unexpected members in a hash table.
struct SourceTable: ~Copyable {
  /// What the model maps a member or element to.
  struct Target: BitwiseCopyable {
    /// The field of the value, or -1. Relations to many are numbered after the fields.
    var field: Int
    /// The node for the members inside the value, or -1.
    var node: Int

    static let none = Target(field: -1, node: -1)

    init(_ place: SourceTree.Place) {
      self.init(field: place.field ?? -1, node: place.node ?? -1)
    }

    private init(field: Int, node: Int) {
      self.field = field
      self.node = node
    }

    var isMapped: Bool { field >= 0 || node >= 0 }
  }

  /// A member of a node; the first entry of a node represents the start of the object.
  package struct Entry: BitwiseCopyable {
    var target: Target
    var hash: UInt64
    var nameStart: Int
    var nameByteCount: Int
    /// The entry that last followed this one; initially the entry itself.
    var successor: Int
  }

  struct Node: BitwiseCopyable {
    var firstEntry: Int
    /// The first of its buckets, which hold entry numbers or -1.
    var firstBucket: Int
    var bucketMask: Int
  }

  private var entries = GrowableBuffer<Entry>()
  private var names = GrowableBuffer<UInt8>()
  private var buckets = GrowableBuffer<Int32>()
  private var nodes = GrowableBuffer<Node>()

  /// For each node: the targets whose names are array indices, its pointer, and a field at or below it.
  private let elements: [[(index: Int, target: Target)]]
  private let isArrayNode: [Bool]
  private let elementCounts: [Int]
  private let pointers: [String]
  private let anyFields: [Int]

  /// The fields whose source is the name of the member that holds the record.
  let memberNameFields: [Int]

  init(_ layout: RecordLayout) {
    memberNameFields = layout.fields.indices.filter {
      layout.fields[$0].relationField == nil && layout.fields[$0].attribute.source == .memberName
    }
    let tree = SourceTree(layout)
    pointers = tree.nodes.map(\.pointer)
    anyFields = tree.nodes.map { $0.anyField ?? -1 }
    elements = tree.nodes.map { node in
      node.elements.map { (index: $0.index, target: Target($0.place)) }
    }
    elementCounts = tree.nodes.map { ($0.elements.map(\.index).max() ?? -1) + 1 }
    isArrayNode = tree.nodes.map { $0.elements.count == $0.places.count }
    for node in tree.nodes { compile(node) }
  }

  private mutating func compile(_ source: SourceTree.Node) {
    var size = 4
    while size < source.places.count * 2 { size *= 2 }
    let node = Node(
      firstEntry: entries.count, firstBucket: buckets.count, bucketMask: size - 1)
    nodes.append(node)
    for _ in 0..<size { buckets.append(-1) }
    append(name: [], target: .none)
    // No name matches the entry of the start.
    entries[node.firstEntry].nameByteCount = -1
    for place in source.places {
      append(name: Array(place.name.utf8), target: Target(place))
      let number = entries.count - 1
      var bucket = Int(truncatingIfNeeded: entries[number].hash) & node.bucketMask
      while buckets[node.firstBucket + bucket] >= 0 { bucket = (bucket + 1) & node.bucketMask }
      buckets[node.firstBucket + bucket] = Int32(number)
    }
  }

  private mutating func append(name: [UInt8], target: Target) {
    entries.append(
      Entry(
        target: target, hash: name.span.tableHash, nameStart: names.count,
        nameByteCount: name.count, successor: entries.count))
    names.append(copying: name.span)
  }

  var nodeCount: Int { nodes.count }

  static let root = SourceTree.root

  /// A position among the members of an object.
  struct Cursor {
    fileprivate let node: Int
    fileprivate var previous: Int
    fileprivate var expected: Int
  }

  func cursor(in node: Int) -> Cursor {
    let first = nodes[node].firstEntry
    return Cursor(node: node, previous: first, expected: entries[first].successor)
  }

  /// The target of the next member, called `name`; advances the cursor.
  @inline(__always)
  mutating func target(ofMember name: Span<UInt8>, at cursor: inout Cursor) -> Target {
    let entry = entries[cursor.expected]
    guard entry.nameByteCount == name.count, names.hasBytes(name, at: entry.nameStart) else {
      return target(ofUnexpectedMember: name, at: &cursor)
    }
    cursor.previous = cursor.expected
    cursor.expected = entry.successor
    return entry.target
  }

  @inline(never)
  private mutating func target(
    ofUnexpectedMember name: Span<UInt8>, at cursor: inout Cursor
  ) -> Target {
    let hash = name.tableHash
    let (firstBucket, mask) = (nodes[cursor.node].firstBucket, nodes[cursor.node].bucketMask)
    var bucket = Int(truncatingIfNeeded: hash) & mask
    while true {
      let number = Int(buckets[firstBucket + bucket])
      if number < 0 { return .none }
      let entry = entries[number]
      if entry.hash == hash, entry.nameByteCount == name.count,
        names.hasBytes(name, at: entry.nameStart)
      {
        entries[cursor.previous].successor = number
        cursor.previous = number
        cursor.expected = entries[number].successor
        return entry.target
      }
      bucket = (bucket + 1) & mask
    }
  }

  func target(ofElement index: Int, in node: Int) -> Target {
    for element in elements[node] where element.index == index { return element.target }
    return .none
  }

  /// Whether a node has only elements of an array.
  func isArray(_ node: Int) -> Bool { isArrayNode[node] }

  /// The number of elements in an array that has all elements of a node.
  func elementCount(of node: Int) -> Int { elementCounts[node] }

  /// The JSON pointer of a node for messages, such as `/properties`.
  func pointer(of node: Int) -> String { pointers[node] }

  /// A field at or below a node, for messages about the type of the node.
  func anyField(of node: Int) -> Int { anyFields[node] }
}
