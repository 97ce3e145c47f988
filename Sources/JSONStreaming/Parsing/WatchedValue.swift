/// A string, number or boolean that stands around the elements and is kept when it passes.
struct WatchedValue {
  private let steps: [[UInt8]]
  private let stepIndexes: [Int?]

  /// The open containers that the pointer passes, the outermost first.
  private var levels: [ParseState.Level] = []

  /// Whether the value that begins is the one.
  private var isNext = false

  /// The text of a string, or the value as JSON writes it; nothing until it has passed, and where it
  /// is null. Of members with one name the last counts.
  private(set) var text: [UInt8]?

  /// What stands there instead, once it has passed: the start of an array or object, or null.
  private(set) var otherKind: Token.Kind?

  /// - Parameter pointer: where the value stands in the input.
  init(at pointer: JSONPointer) {
    steps = pointer.tokens.map { Array($0.utf8) }
    stepIndexes = pointer.tokens.map(JSONPointer.arrayIndex)
  }

  /// Notes that a value begins, with so many containers open around it.
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

  /// Notes that the value that begins is an array or an object.
  mutating func open(isArray: Bool) {
    guard isNext else { return }
    guard levels.count < steps.count else {
      text = nil
      otherKind = isArray ? .startArray : .startObject
      return
    }
    levels.append(ParseState.Level(isArray: isArray))
  }

  /// Notes that a container ends, with so many open, itself included.
  mutating func close(depth: Int) {
    if depth == levels.count { levels.removeLast() }
  }

  /// Notes the name of a member, with so many containers open around it.
  mutating func readKey(_ name: UnsafeBufferPointer<UInt8>, depth: Int) {
    guard depth == levels.count, let last = levels.indices.last else { return }
    levels[last].isStepNext = unsafe name.elementsEqual(steps[last])
  }

  /// Takes the value that begins, which is neither an array nor an object.
  ///
  /// - Parameter bytes: its text; nothing for null.
  mutating func readScalar(_ bytes: UnsafeBufferPointer<UInt8>?) {
    guard isNext, levels.count == steps.count else { return }
    text = unsafe bytes.map { unsafe Array($0) }
    otherKind = text == nil ? .null : nil
  }

  /// Goes on inside the container of the elements, where another reader began.
  ///
  /// - Parameters:
  ///   - containerSteps: the steps to that container.
  ///   - isArray: whether the container that a step leads out of is an array.
  mutating func restart(inside containerSteps: [[UInt8]], isArray: (Int) -> Bool) {
    levels.removeAll()
    for (index, step) in containerSteps.enumerated() {
      guard index < steps.count else { return }
      levels.append(
        ParseState.Level(
          isArray: isArray(index), nextIndex: stepIndex(of: step).map { $0 + 1 } ?? 0))
      guard step == steps[index] else { return }
    }
  }

  private func stepIndex(of step: [UInt8]) -> Int? {
    JSONPointer.arrayIndex(String(decoding: step, as: UTF8.self))
  }
}
