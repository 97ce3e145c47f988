/// The open containers on the path of a pointer around the elements.
struct OpenPath {
  struct Level {
    var isArray: Bool
    /// The number of values so far; in an object, only if its step is a wildcard.
    var nextIndex = 0
    /// Whether the member that the pointer names has occurred in this object.
    var isStepSeen = false
    /// Whether the next value is the value of that member.
    var isStepNext = false
  }

  let pointer: JSONPointer
  /// Outermost first.
  var levels: [Level] = []

  /// Registers the start of a value inside `depth` containers; returns whether it is on the path.
  mutating func beginValue(depth: Int) -> Bool {
    guard depth == levels.count else { return false }
    guard let last = levels.indices.last else { return true }
    defer {
      levels[last].nextIndex += 1
      levels[last].isStepNext = false
    }
    guard !pointer.wildcards.contains(last) else { return true }
    return levels[last].isArray
      ? levels[last].nextIndex == JSONPointer.arrayIndex(pointer.tokens[last])
      : levels[last].isStepNext
  }

  /// Registers the name of a member inside `depth` containers; returns whether it is on the path.
  @unsafe
  mutating func readKey(_ name: UnsafeBufferPointer<UInt8>, depth: Int) -> Bool {
    guard depth == levels.count, let last = levels.indices.last else { return false }
    let isStep = unsafe name.elementsEqual(pointer.tokens[last].utf8)
    levels[last].isStepNext = isStep
    return isStep && !pointer.wildcards.contains(last)
  }
}
