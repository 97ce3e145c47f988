/// The latest string, number or boolean at a pointer around the elements.
struct WatchedValue {
  private let steps: [[UInt8]]
  private let stepIndexes: [Int?]

  /// The open containers on the pointer's path, outermost first.
  private var levels: [ParseState.Level] = []

  /// Whether the pointer leads to the next value.
  private var isNext = false

  /// A string's text, or the value as JSON text; nil before it has passed and if it is null. The
  /// last of several members with the same name counts.
  private(set) var text: [UInt8]?

  /// The kind of any other value at the pointer: the start of an array or object, or null.
  private(set) var otherKind: Token.Kind?

  init(at pointer: JSONPointer) {
    steps = pointer.tokens.map { Array($0.utf8) }
    stepIndexes = pointer.tokens.map(JSONPointer.arrayIndex)
  }

  /// Registers the start of a value inside `depth` containers.
  mutating func beginValue(depth: Int) {
    isNext = false
    guard depth == levels.count else { return }
    guard let last = levels.indices.last else {
      isNext = true
      return
    }
    if levels[last].isArray {
      isNext = levels[last].nextIndex == stepIndexes[last]
      levels[last].nextIndex += 1
    } else {
      isNext = levels[last].isStepNext
      levels[last].isStepNext = false
    }
  }

  mutating func open(isArray: Bool) {
    guard isNext else { return }
    guard levels.count < steps.count else {
      text = nil
      otherKind = isArray ? .startArray : .startObject
      return
    }
    levels.append(ParseState.Level(isArray: isArray))
  }

  /// Registers the end of the container at `depth`.
  mutating func close(depth: Int) {
    if depth == levels.count { levels.removeLast() }
  }

  /// Registers the name of a member inside `depth` containers.
  mutating func readKey(_ name: UnsafeBufferPointer<UInt8>, depth: Int) {
    guard depth == levels.count, let last = levels.indices.last else { return }
    levels[last].isStepNext = unsafe name.elementsEqual(steps[last])
  }

  /// Registers a value that is neither an array nor an object; `bytes` is nil for null.
  mutating func readScalar(_ bytes: UnsafeBufferPointer<UInt8>?) {
    guard isNext, levels.count == steps.count else { return }
    text = unsafe bytes.map { unsafe Array($0) }
    otherKind = text == nil ? .null : nil
  }

  /// Continues inside the container of the elements.
  ///
  /// - Parameters:
  ///   - wildcards: whether each step is a wildcard; the value is not below one.
  ///   - isArray: whether the container in which a step is resolved is an array.
  mutating func restart(
    inside containerSteps: [[UInt8]], _ wildcards: [Bool], isArray: (Int) -> Bool
  ) {
    levels.removeAll()
    for (index, step) in containerSteps.enumerated() {
      guard index < steps.count else { return }
      levels.append(
        ParseState.Level(
          isArray: isArray(index), nextIndex: stepIndex(of: step).map { $0 + 1 } ?? 0))
      guard step == steps[index], !wildcards[index] else { return }
    }
  }

  private func stepIndex(of step: [UInt8]) -> Int? {
    JSONPointer.arrayIndex(String(decoding: step, as: UTF8.self))
  }
}
