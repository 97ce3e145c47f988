/// Follows a JSON pointer through values that pass.
struct PointerTrack {
  /// An open container that the pointer passes.
  private struct Level {
    var isArray: Bool
    /// The index of the next element of an array.
    var nextIndex = 0
    /// Whether the member of an object that the pointer names has been seen.
    var isStepSeen = false
    /// Whether the next value is that member's.
    var isStepNext = false
  }

  let steps: [[UInt8]]
  private let stepIndexes: [Int?]
  private var levels: [Level] = []

  init(_ pointer: JSONPointer) {
    steps = pointer.tokens.map { Array($0.utf8) }
    stepIndexes = pointer.tokens.map(JSONPointer.arrayIndex)
  }

  /// Whether the open containers are all that the pointer passes.
  var isAtEnd: Bool { levels.count == steps.count }

  /// One bit for each container that the pointer passes, the outermost's lowest: set for an array.
  var arrayLevels: UInt64 {
    levels.reversed().reduce(0) { $0 << 1 | ($1.isArray ? 1 : 0) }
  }

  /// Notes that a value begins in so many containers.
  ///
  /// - Returns: whether the pointer passes it or ends at it.
  mutating func passesValue(depth: Int) -> Bool {
    guard depth == levels.count else { return false }
    guard let last = levels.indices.last else { return true }
    if levels[last].isArray {
      levels[last].nextIndex += 1
      return levels[last].nextIndex - 1 == stepIndexes[last]
    }
    defer { levels[last].isStepNext = false }
    return levels[last].isStepNext
  }

  /// Notes that a value that the pointer passes is a container.
  mutating func open(isArray: Bool) { levels.append(Level(isArray: isArray)) }

  /// Notes that a container ends, with so many open, itself included.
  mutating func close(depth: Int) {
    if depth == levels.count { levels.removeLast() }
  }

  /// Notes the name of a member, with so many containers open around it.
  ///
  /// - Returns: whether the pointer names it and one before it in the same object.
  mutating func isSecondMember(_ name: UnsafeBufferPointer<UInt8>, depth: Int) -> Bool {
    guard depth == levels.count, let last = levels.indices.last else { return false }
    levels[last].isStepNext = unsafe name.elementsEqual(steps[last])
    guard levels[last].isStepNext else { return false }
    defer { levels[last].isStepSeen = true }
    return levels[last].isStepSeen
  }

  /// Goes on inside the containers that other steps lead to.
  ///
  /// - Parameter arrayLevels: one bit for each of them, as in `arrayLevels`.
  mutating func restart(inside others: [[UInt8]], arrayLevels: UInt64) {
    levels.removeAll()
    for (index, step) in others.prefix(steps.count).enumerated() {
      let stepIndex = JSONPointer.arrayIndex(String(decoding: step, as: UTF8.self))
      levels.append(
        Level(
          isArray: arrayLevels >> UInt64(index) & 1 == 1, nextIndex: (stepIndex ?? -1) + 1,
          isStepSeen: true))
      guard step == steps[index] else { return }
    }
  }
}
