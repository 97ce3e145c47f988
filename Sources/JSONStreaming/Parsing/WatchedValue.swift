/// The latest string, number or boolean at a pointer around the elements.
struct WatchedValue {
  private var path: OpenPath

  /// Whether the pointer leads to the next value.
  private var isNext = false

  /// A string's text, or the value as JSON text; nil before it has passed and if it is null. The
  /// last of several members with the same name counts.
  private(set) var text: [UInt8]?

  /// The kind of any other value at the pointer: the start of an array or object, or null.
  private(set) var otherKind: Token.Kind?

  init(at pointer: JSONPointer) {
    path = OpenPath(pointer: JSONPointer(tokens: pointer.tokens))
  }

  /// Registers the start of a value inside `depth` containers.
  mutating func beginValue(depth: Int) { isNext = path.beginValue(depth: depth) }

  mutating func open(isArray: Bool) {
    guard isNext else { return }
    guard path.levels.count < path.pointer.tokens.count else {
      text = nil
      otherKind = isArray ? .startArray : .startObject
      return
    }
    path.levels.append(OpenPath.Level(isArray: isArray))
  }

  /// Registers the end of the container at `depth`.
  mutating func close(depth: Int) {
    if depth == path.levels.count { path.levels.removeLast() }
  }

  /// Registers the name of a member inside `depth` containers.
  mutating func readKey(_ name: UnsafeBufferPointer<UInt8>, depth: Int) {
    _ = unsafe path.readKey(name, depth: depth)
  }

  /// Registers a value that is neither an array nor an object; `bytes` is nil for null.
  mutating func readScalar(_ bytes: UnsafeBufferPointer<UInt8>?) {
    guard isNext, path.levels.count == path.pointer.tokens.count else { return }
    text = unsafe bytes.map { unsafe Array($0) }
    otherKind = text == nil ? .null : nil
  }

  /// Continues inside the container of the elements; the value is not below a wildcard.
  mutating func restart(inside container: JSONPointer, _ context: ElementContext) {
    path.levels.removeAll()
    for (index, step) in container.tokens.enumerated() {
      guard index < path.pointer.tokens.count else { return }
      path.levels.append(
        OpenPath.Level(
          isArray: context.isArray(atStep: index),
          nextIndex: JSONPointer.arrayIndex(step).map { $0 + 1 } ?? 0))
      guard step.utf8.elementsEqual(path.pointer.tokens[index].utf8),
        !container.wildcards.contains(index)
      else { return }
    }
  }
}
