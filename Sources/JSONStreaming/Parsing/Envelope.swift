internal import CYajl

/// What stands around the elements, parsed by yajl: finds the containers that a pointer leads to.
///
/// A class, because yajl's callbacks get a pointer to it.
@safe
final class Envelope {
  /// Why yajl stopped.
  enum Stop {
    /// The container of the elements begins.
    case found
    /// The bytes are not JSON.
    case syntax
    case truncated, depth, stringBytes, utf8
    case notAContainer, duplicateMember
    /// A top-level value that holds something else has nothing at the pointer.
    case targetMissing
    /// An object stands where an array stood before, or the other way round.
    case otherContainer
  }

  let limits: ReadingLimits
  private let isSequence: Bool
  private(set) var target: PointerTrack
  /// A value that is kept when it passes.
  private(set) var watched: WatchedValue?

  /// Where reading stands: at the next element, apart from separators; outside the container, behind the last
  /// token.
  var state: ElementScanner.State
  /// How many containers around the elements are open, without their own.
  private(set) var depth = 0
  /// Whether the latest top-level value has the elements, and whether it has something that the pointer
  /// does not pass.
  private var (holdsTarget, holdsOther) = (false, false)
  /// Whether the elements stand in objects; nil before the first container.
  private(set) var containersAreObjects: Bool?
  private(set) var topLevelValueCount = 0

  /// yajl's parser; nil until it is needed.
  private(set) var handle: OpaquePointer?
  /// The bytes of the last call that an earlier call of yajl parsed. The callbacks read it while it is
  /// written.
  private let parsedByteCount: UnsafeMutablePointer<Int>
  /// Whether yajl gets bytes that are not the input's.
  private var isPriming = false
  private var stop: Stop?
  /// The offset in the input of the first byte that yajl was given by the last call.
  private var callOffset = 0

  init(shape: ElementShape, limits: ReadingLimits, watching watched: JSONPointer?) {
    self.limits = limits
    isSequence = shape == .sequence
    target = PointerTrack(shape.pointer ?? JSONPointer(tokens: []))
    self.watched = watched.map { WatchedValue(at: $0) }
    var place = Place()
    place.isInContainer = isSequence
    state = ElementScanner.State(boundary: 0, place: place)
    unsafe parsedByteCount = .allocate(capacity: 1)
    unsafe parsedByteCount.initialize(to: 0)
  }

  deinit {
    freeParser()
    unsafe parsedByteCount.deallocate()
  }
}

extension Envelope {
  /// Parses the next bytes, which begin at an offset of the input.
  ///
  /// - Returns: why yajl stopped; nil if it did not.
  func parse(_ bytes: Span<UInt8>, at offset: Int) -> Stop? {
    if unsafe handle == nil { prepare() }
    callOffset = offset
    return result(parse(bytes))
  }

  /// Says that no more bytes follow.
  func complete(at offset: Int) -> Stop? {
    callOffset = offset
    unsafe parsedByteCount.pointee = 0
    return unsafe handle == nil ? nil : result(unsafe cyajl_complete_parse(handle))
  }

  private func parse(_ bytes: Span<UInt8>) -> cyajl_status {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe cyajl_parse(handle, parsedByteCount, $0.baseAddress, $0.count)
    }
  }

  private func result(_ status: cyajl_status) -> Stop? {
    switch status {
    case cyajl_ok: nil
    case cyajl_stopped: stop
    default: .syntax
    }
  }

  /// Makes a parser that stands behind a value in the containers that the pointer passes.
  private func prepare() {
    unsafe handle = cyajl_alloc(Self.callbacks, Unmanaged.passUnretained(self).toOpaque())
    guard depth > 0 else { return }
    let openers = parents.map { $0 ? "[" : "{\"\":" }.joined()
    isPriming = true
    _ = parse(Array((openers + "null").utf8).span)
    isPriming = false
  }

  /// What yajl says of bytes that it refused.
  var failure: YajlFailure { unsafe YajlFailure(of: handle, parsedByteCount.pointee) }

  /// How many bytes of the input had to be seen to stop.
  func noticedOffset(of stop: Stop) -> Int {
    stop == .syntax ? callOffset + failure.byteIndex + 1 : consumedOffset
  }

  /// What is open around the container that holds the elements, the outermost first: true for an
  /// array.
  var parents: [Bool] {
    target.steps.indices.map { state.place.arrayLevels >> UInt64($0) & 1 == 1 }
  }

  /// JSON that brings a fresh parser into a container like the one at the boundary.
  var containerPrime: [UInt8] {
    switch (state.place.containerIsObject, state.place.needsComma) {
    case (false, false): Array("[".utf8)
    case (false, true): Array("[null".utf8)
    case (true, false): Array("{".utf8)
    case (true, true): Array("{\"\":null".utf8)
    }
  }

  /// Whether a container was found.
  var isTargetFound: Bool { containersAreObjects != nil }

  private func freeParser() {
    if let handle = unsafe handle { unsafe yajl_free(handle) }
    unsafe handle = nil
  }

  /// Goes on behind the end of the container, which is at the boundary.
  func leaveContainer() {
    state.boundary += 1
    (state.place.isInContainer, state.place.needsComma) = (false, false)
    freeParser()
  }

  /// Goes on inside a container at `offset`.
  func restart(at offset: Int, in place: Place) {
    freeParser()
    state = ElementScanner.State(boundary: offset, place: place)
    guard !isSequence else { return }
    containersAreObjects = place.containerIsObject
    topLevelValueCount = max(1, topLevelValueCount)
    let steps = target.steps
    target.restart(inside: steps, arrayLevels: place.arrayLevels)
    watched?.track.restart(inside: steps, arrayLevels: place.arrayLevels)
    depth = steps.count
    holdsTarget = true
  }
}

// Each of these is one callback's work; it returns 1 to go on and 0 to stop yajl.
extension Envelope {
  /// The offset in the input of the end of the token that a callback is called for.
  private var consumedOffset: Int {
    callOffset + (unsafe parsedByteCount.pointee) + (unsafe yajl_get_bytes_consumed(handle))
  }

  private func stop(_ reason: Stop) -> Int32 {
    stop = reason
    return 0
  }

  /// Notes that a value begins.
  ///
  /// - Returns: whether the pointer passes it or ends at it.
  private func passesNextValue() -> Bool {
    state.boundary = consumedOffset
    watched?.beginValue(depth: depth)
    if depth == 0 {
      topLevelValueCount += 1
      (holdsTarget, holdsOther) = (false, false)
    }
    let isPassed = target.passesValue(depth: depth)
    if !isPassed { holdsOther = true }
    return isPassed
  }

  /// A value that is neither an array nor an object.
  ///
  /// - Parameter text: a string's text, or the value as JSON writes it; nil for null.
  func readScalar(_ text: UnsafeBufferPointer<UInt8>?) -> Int32 {
    guard !isPriming else { return 1 }
    if let text = unsafe text, let flaw = unsafe flaw(of: text) { return stop(flaw) }
    let isPassed = passesNextValue()
    unsafe watched?.readScalar(text)
    if isPassed, target.isAtEnd { return stop(.notAContainer) }
    return depth == 0 ? stop(.targetMissing) : 1
  }

  func readStart(_ kind: Token.Kind) -> Int32 {
    guard !isPriming else { return 1 }
    guard depth < limits.depth else { return stop(.depth) }
    let isPassed = passesNextValue()
    let isFound = isPassed && target.isAtEnd
    watched?.open(kind, isEntered: !isFound)
    if isFound { return enterContainer(isObject: kind == .startObject) }
    if isPassed { target.open(isArray: kind == .startArray) }
    depth += 1
    return 1
  }

  private func enterContainer(isObject: Bool) -> Int32 {
    guard containersAreObjects ?? isObject == isObject else { return stop(.otherContainer) }
    containersAreObjects = isObject
    holdsTarget = true
    state.place.isInContainer = true
    state.place.containerIsObject = isObject
    state.place.needsComma = false
    state.place.arrayLevels = target.arrayLevels
    return stop(.found)
  }

  func readEnd() -> Int32 {
    state.boundary = consumedOffset
    target.close(depth: depth)
    watched?.track.close(depth: depth)
    depth -= 1
    return depth == 0 && holdsOther && !holdsTarget ? stop(.targetMissing) : 1
  }

  func readName(_ name: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard !isPriming else { return 1 }
    if let flaw = unsafe flaw(of: name) { return stop(flaw) }
    state.boundary = consumedOffset
    _ = unsafe watched?.track.isSecondMember(name, depth: depth)
    return unsafe target.isSecondMember(name, depth: depth) ? stop(.duplicateMember) : 1
  }

  private func flaw(of text: UnsafeBufferPointer<UInt8>) -> Stop? {
    if text.count > limits.stringByteCount { return .stringBytes }
    return unsafe StrictText.flaw(in: text) == nil ? nil : .utf8
  }
}
