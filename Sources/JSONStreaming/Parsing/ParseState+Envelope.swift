internal import CPOIYajl

// The text around the elements: steps of the pointer are matched, everything else is skipped.
extension ParseState {
  /// Whether all open containers are on the pointer's path.
  private var isOnPath: Bool { depth == levels.count }

  private var hasWildcard: Bool { wildcards.contains(true) }

  /// Registers the start of a value; returns whether it is on the pointer's path.
  private mutating func passesNextValue() -> Bool {
    boundary = consumedOffset
    watched?.beginValue(depth: depth)
    if depth == 0 {
      topLevelValueCount += 1
      (holdsTarget, holdsOther) = (false, false)
    }
    let isPassed = isNextPassed()
    if !isPassed { holdsOther = true }
    return isPassed
  }

  private mutating func isNextPassed() -> Bool {
    guard isOnPath else { return false }
    guard !levels.isEmpty else { return true }
    let last = levels.count - 1
    guard !wildcards[last] else {
      levels[last].nextIndex += 1
      return true
    }
    guard levels[last].isArray else {
      let isNext = levels[last].isStepNext
      levels[last].isStepNext = false
      return isNext
    }
    let index = levels[last].nextIndex
    levels[last].nextIndex += 1
    return index == stepIndexes[last]
  }

  /// Handles a value that is neither an array nor an object; `text` is nil for null.
  @unsafe
  mutating func readEnvelopeScalar(_ text: UnsafeBufferPointer<UInt8>?) -> Int32 {
    guard !isPriming else { return 1 }
    let step = levels.count
    let isPassed = passesNextValue()
    unsafe watched?.readScalar(text)
    unsafe columns?.readScalar(text, depth: depth)
    if isPassed, step == steps.count, !hasWildcard { return stop(.notAContainer) }
    return depth == 0 ? stop(.targetMissing) : 1
  }

  mutating func readEnvelopeLiteral(_ kind: Token.Kind) -> Int32 {
    guard kind != .null else { return unsafe readEnvelopeScalar(nil) }
    let word: StaticString = kind == .true ? "true" : "false"
    return unsafe readEnvelopeScalar(
      UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  mutating func readEnvelopeStart(_ kind: Token.Kind) -> Int32 {
    guard !isPriming else { return 1 }
    guard depth < limits.depth else { return stop(.envelopeDepth) }
    let isArray = kind == .startArray
    if passesNextValue() {
      if levels.count == steps.count {
        guard containersAreObjects ?? !isArray == !isArray else { return stop(.otherContainer) }
        containersAreObjects = !isArray
        context.isInContainer = true
        context.containerIsObject = !isArray
        context.needsComma = false
        (isTargetFound, holdsTarget) = (true, true)
        containerStart = boundary
      } else if isArray {
        context.arrayLevels |= 1 << UInt64(levels.count)
      }
      levels.append(Level(isArray: isArray))
    }
    watched?.open(isArray: isArray)
    columns?.open(isArray: isArray, depth: depth)
    depth += 1
    return 1
  }

  mutating func readEnvelopeEnd() -> Int32 {
    guard !isPriming else { return 1 }
    boundary = consumedOffset
    context.isInContainer = false
    context.needsComma = false
    if isOnPath {
      let last = levels.count - 1
      if last < steps.count, wildcards[last], levels[last].nextIndex == 0 {
        (isTargetFound, holdsTarget) = (true, true)
      }
      levels.truncate(to: last)
      if levels.count < steps.count {
        context.arrayLevels &= ~(1 << UInt64(levels.count))
      }
    }
    watched?.close(depth: depth)
    columns?.close(depth: depth)
    depth -= 1
    if depth == 0, let columns, columns.names != columns.firstNames ?? [] {
      return stop(.otherColumns)
    }
    return depth == 0 && holdsOther && !holdsTarget ? stop(.targetMissing) : 1
  }

  /// Handles a member name outside an element: the element's own or one in the envelope.
  @unsafe
  mutating func readOutsideKey(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int32 {
    guard !isPriming else { return 1 }
    guard context.isInContainer else { return unsafe readEnvelopeKey(start, length) }
    advanceBoundary()
    elementCopies = tape.copies.count
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe tape.copies.append(from: start, count: length)
    (nameStart, nameEnd) = (elementCopies, tape.copies.count)
    nameEndOffset = consumedOffset
    return 1
  }

  @unsafe
  private mutating func readEnvelopeKey(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int32 {
    guard length <= limits.stringByteCount else { return stop(.envelopeStringBytes) }
    boundary = consumedOffset
    let name = unsafe UnsafeBufferPointer(start: start, count: length)
    unsafe watched?.readKey(name, depth: depth)
    unsafe columns?.readKey(name, depth: depth)
    guard isOnPath, let last = levels.isEmpty ? nil : levels.count - 1, !wildcards[last] else {
      return 1
    }
    guard unsafe name.elementsEqual(steps[last]) else { return 1 }
    guard !levels[last].isStepSeen else { return stop(.duplicateMember) }
    levels[last].isStepSeen = true
    levels[last].isStepNext = true
    return 1
  }
}

extension ParseState {
  /// Moves `boundary` to the next token, over white space and, inside a value, commas and colons.
  mutating func advanceEnvelopeBoundary() {
    while boundary < endOffset {
      switch unsafe byte(at: boundary) {
      case 0x20, 0x09, 0x0A, 0x0D: boundary += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { return }
        boundary += 1
      default: return
      }
    }
  }

  /// JSON that puts a new parser into this state's context.
  var prime: [UInt8] {
    var text: [UInt8] = []
    for index in 0..<steps.count {
      let isArray = context.arrayLevels & 1 << UInt64(index) != 0
      text += isArray ? Array("[".utf8) : Array("{\"\":".utf8)
    }
    return text + containerPrime
  }

  var containerPrime: [UInt8] {
    switch (context.containerIsObject, context.needsComma) {
    case (false, false): Array("[".utf8)
    case (false, true): Array("[null".utf8)
    case (true, false): Array("{".utf8)
    case (true, true): Array("{\"\":null".utf8)
    }
  }

  /// JSON that puts a new parser into a container like this state's, after an element and a comma.
  var primeAfterComma: [UInt8] {
    Array((context.containerIsObject ? "{\"\":null," : "[null,").utf8)
  }

  /// The containers around the container of the elements, outermost first.
  var parents: [ElementContext.Container] {
    steps.indices.map { context.arrayLevels & 1 << UInt64($0) != 0 ? .array : .object }
  }
}
