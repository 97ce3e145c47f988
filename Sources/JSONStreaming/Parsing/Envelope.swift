/// The text around the elements: steps of the pointer are matched, everything else is skipped.
///
/// Functions that read return why the parser must stop, or `none`.
struct Envelope {
  private(set) var path: OpenPath
  /// Values to keep.
  var watched: [WatchedValue]
  /// The columns of the elements, if these may be rows.
  var columns: ColumnNames?
  /// The number of open containers, on the pointer's path or not.
  private(set) var depth = 0
  private(set) var containerStart = 0
  private(set) var isTargetFound = false
  /// Whether the latest top-level value has the elements, and whether it has values off the
  /// pointer's path.
  private var holdsTarget = false
  private var holdsOther = false
  /// Whether the containers of the elements are objects; nil before the first one.
  private(set) var containersAreObjects: Bool?
  private(set) var topLevelValueCount = 0

  init(around shape: ElementShape, watching watched: [WatchedValue]) {
    self.watched = watched
    if shape == .container(ColumnNames.rows) { columns = ColumnNames() }
    var pointer = JSONPointer(tokens: [])
    if case .container(let found) = shape { pointer = found }
    path = OpenPath(pointer: pointer)
  }

  /// Registers the start of a value; returns whether it is on the pointer's path.
  private mutating func passesNextValue() -> Bool {
    for place in watched.indices { watched[place].beginValue(depth: depth) }
    if depth == 0 {
      topLevelValueCount += 1
      (holdsTarget, holdsOther) = (false, false)
    }
    let isPassed = path.beginValue(depth: depth)
    if !isPassed { holdsOther = true }
    return isPassed
  }

  /// Handles a value that is neither an array nor an object; `text` is nil for null.
  @unsafe
  mutating func readScalar(_ text: UnsafeBufferPointer<UInt8>?) -> ParseState.Stop {
    let step = path.levels.count
    let isPassed = passesNextValue()
    for place in watched.indices { unsafe watched[place].readScalar(text) }
    unsafe columns?.readScalar(text, depth: depth)
    if isPassed, step == path.pointer.tokens.count, path.pointer.wildcards.isEmpty {
      return .notAContainer
    }
    return depth == 0 ? .targetMissing : .none
  }

  mutating func open(
    isArray: Bool, at offset: Int, in context: inout ElementContext
  ) -> ParseState.Stop {
    if passesNextValue() {
      if path.levels.count == path.pointer.tokens.count {
        guard containersAreObjects ?? !isArray == !isArray else { return .otherContainer }
        containersAreObjects = !isArray
        context.isInContainer = true
        context.containerIsObject = !isArray
        context.needsComma = false
        beginElements()
        containerStart = offset
      } else if isArray {
        context.arrayLevels |= 1 << UInt64(path.levels.count)
      }
      path.levels.append(OpenPath.Level(isArray: isArray))
    }
    for place in watched.indices { watched[place].open(isArray: isArray) }
    columns?.open(isArray: isArray, depth: depth)
    depth += 1
    return .none
  }

  mutating func close(in context: inout ElementContext) -> ParseState.Stop {
    context.isInContainer = false
    context.needsComma = false
    if depth == path.levels.count {
      let (last, level) = (depth - 1, path.levels.removeLast())
      if path.pointer.wildcards.contains(last), level.nextIndex == 0 {
        (isTargetFound, holdsTarget) = (true, true)
      }
      context.arrayLevels &= ~(1 << UInt64(last))
    }
    for place in watched.indices { watched[place].close(depth: depth) }
    columns?.close(depth: depth)
    depth -= 1
    if depth == 0, let columns, columns.names != columns.firstNames ?? [] { return .otherColumns }
    return depth == 0 && holdsOther && !holdsTarget ? .targetMissing : .none
  }

  @unsafe
  mutating func readKey(_ name: UnsafeBufferPointer<UInt8>) -> ParseState.Stop {
    for place in watched.indices { unsafe watched[place].readKey(name, depth: depth) }
    unsafe columns?.readKey(name, depth: depth)
    guard unsafe path.readKey(name, depth: depth) else { return .none }
    guard !path.levels[depth - 1].isStepSeen else { return .duplicateMember }
    path.levels[depth - 1].isStepSeen = true
    return .none
  }

  private mutating func beginElements() {
    (isTargetFound, holdsTarget) = (true, true)
    // Columns behind the rows are not theirs: some rows may be delivered already.
    if columns?.firstNames == nil { columns = nil }
  }

  /// Continues outside all containers, or in the container of the elements.
  mutating func restart(in context: ElementContext, isSequence: Bool) {
    path.levels.removeAll(keepingCapacity: true)
    depth = 0
    guard !isSequence, context.isInContainer else { return }
    beginElements()
    containersAreObjects = context.containerIsObject
    topLevelValueCount = max(1, topLevelValueCount)
    for index in path.pointer.tokens.indices {
      // The step has been matched: no later array element matches it again, unless it is a wildcard.
      path.levels.append(
        OpenPath.Level(isArray: context.isArray(atStep: index), nextIndex: .min, isStepSeen: true))
    }
    path.levels.append(OpenPath.Level(isArray: !context.containerIsObject))
    depth = path.levels.count
    for place in watched.indices { watched[place].restart(inside: path.pointer, context) }
  }
}
