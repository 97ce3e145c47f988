/// The names of the columns that a Socrata export lists before its rows: for each object in the array
/// `/meta/view/columns`, its member `fieldName`, or else `name`.
struct ColumnNames {
  static let pointer = JSONPointer(tokens: ["meta", "view", "columns"])
  /// The place of the rows.
  static let rows = JSONPointer(tokens: ["data"])

  /// The names of the last list, empty for a column without a name.
  private(set) var names: [[UInt8]] = []
  /// The names of the first list.
  private(set) var firstNames: [[UInt8]]?

  /// The open containers on the path: three objects, the array, a column.
  private var pathDepth = 0
  /// The latest name in the innermost of them.
  private var key: [UInt8] = []
  private var fieldName: [UInt8]?
  private var name: [UInt8]?

  private static let columnDepth = 5

  /// Registers a container inside `depth` others.
  mutating func open(isArray: Bool, depth: Int) {
    guard depth == pathDepth, depth < Self.columnDepth else { return }
    if depth > 0, depth < Self.columnDepth - 1 {
      guard key.elementsEqual(Self.pointer.tokens[depth - 1].utf8) else { return }
    }
    guard isArray == (depth == Self.columnDepth - 2) else { return }
    if isArray { names = [] }
    (fieldName, name) = (nil, nil)
    pathDepth += 1
  }

  /// Registers the end of the container at `depth`.
  mutating func close(depth: Int) {
    guard depth == pathDepth else { return }
    if depth == Self.columnDepth { names.append(fieldName ?? name ?? []) }
    if depth == Self.columnDepth - 1, firstNames == nil { firstNames = names }
    pathDepth -= 1
  }

  /// Registers the name of a member inside `depth` containers.
  mutating func readKey(_ name: UnsafeBufferPointer<UInt8>, depth: Int) {
    if depth == pathDepth { key = unsafe Array(name) }
  }

  /// Registers a value that is neither an array nor an object; `bytes` is nil for null.
  mutating func readScalar(_ bytes: UnsafeBufferPointer<UInt8>?, depth: Int) {
    guard depth == pathDepth, depth == Self.columnDepth else { return }
    let text = unsafe bytes.map { unsafe Array($0) }
    if key.elementsEqual("fieldName".utf8) { fieldName = text }
    if key.elementsEqual("name".utf8) { name = text }
  }
}
