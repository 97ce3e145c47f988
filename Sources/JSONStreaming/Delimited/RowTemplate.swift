/// The tokens of a row of delimited text: an object, in which each column is a member, or a value further inside.
struct RowTemplate {
  /// The names of all members as UTF-8, one after the other.
  private(set) var names: [UInt8] = []
  /// The tokens of the object. A key has its place in `names`, a null the number of its column.
  private(set) var tokens: [Token] = []
  let columnCount: Int
  /// The columns without a name.
  private(set) var unnamedColumns: [Int] = []

  /// The most elements of an array that columns are put into.
  private static let longestArray = 100

  private struct Node {
    var name: [UInt8]
    var column: Int?
    var inner: [Node] = []

    /// Adds a column at a path; false if it would be inside another column.
    mutating func add(_ column: Int, at path: ArraySlice<String>) -> Bool {
      guard let step = path.first else {
        guard self.column == nil, inner.isEmpty else { return false }
        self.column = column
        return true
      }
      guard self.column == nil else { return false }
      let name = Array(step.utf8)
      if let index = inner.firstIndex(where: { $0.name == name }) {
        return inner[index].add(column, at: path.dropFirst())
      }
      inner.append(Node(name: name))
      return inner[inner.count - 1].add(column, at: path.dropFirst())
    }
  }

  /// - Parameters:
  ///   - columns: the names, which are different unless they are empty.
  ///   - places: the steps to the values of columns that are not members of their own name.
  init(_ columns: [[UInt8]], places: [[UInt8]: [String]]) {
    columnCount = columns.count
    var root = Node(name: [])
    for (column, name) in columns.enumerated() {
      if name.isEmpty {
        unnamedColumns.append(column)
      } else if let place = places[name], root.add(column, at: place[...]) {
        continue
      } else {
        root.inner.append(Node(name: name, column: column))
      }
    }
    append(root)
  }

  private mutating func append(_ node: Node) {
    guard node.column == nil else {
      return tokens.append(Token(kind: .null, first: node.column ?? 0))
    }
    let start = tokens.count
    let positions = node.inner.compactMap {
      JSONPointer.arrayIndex(String(decoding: $0.name, as: UTF8.self))
    }
    let isArray =
      start > 0 && !positions.isEmpty && positions.count == node.inner.count
      && positions.allSatisfy { $0 < Self.longestArray }
    tokens.append(Token(kind: isArray ? .startArray : .startObject))
    var count = node.inner.count
    if isArray {
      count = (positions.max() ?? 0) + 1
      for position in 0..<count {
        if let index = positions.firstIndex(of: position) {
          append(node.inner[index])
        } else {
          // The number of no column.
          tokens.append(Token(kind: .null, first: columnCount))
        }
      }
    } else {
      for inner in node.inner {
        tokens.append(Token(kind: .key, first: names.count, second: inner.name.count))
        names += inner.name
        append(inner)
      }
    }
    tokens.append(Token(kind: isArray ? .endArray : .endObject))
    tokens[start].close(next: tokens.count, elementCount: count)
  }

  /// Appends the tokens of a row.
  ///
  /// - Parameter namesStart: the place of `names` in the tape's copies.
  func append(
    _ fields: borrowing GrowableBuffer<Token>, namesStart: Int,
    to output: inout GrowableBuffer<Token>
  ) {
    let start = output.count
    let template = tokens.span
    for index in template.indices {
      var token = template[index]
      switch token.kind {
      case .key:
        token = Token(
          kind: .key, first: token.next &+ namesStart, second: token.textByteCount, isCopied: true)
      case .null: if token.next < columnCount { token = fields[token.next] }
      case .startObject, .startArray:
        token.close(next: token.next &+ start, elementCount: token.elementCount)
      default: break
      }
      output.append(token)
    }
  }
}
