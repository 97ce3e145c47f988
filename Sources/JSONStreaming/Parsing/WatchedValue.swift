/// A string, number or boolean that stands around the elements and is kept when it passes.
struct WatchedValue {
  /// The way to the value.
  var track: PointerTrack

  /// Whether the pointer passes the value that begins or ends at it.
  private var isPassed = false

  /// The text of a string, or the value as JSON writes it; nil until it has passed, and if it is null.
  /// Of members with one name the last counts.
  private(set) var text: [UInt8]?

  /// What stands there instead, once it has passed: the start of an array or object, or null.
  private(set) var otherKind: Token.Kind?

  /// - Parameter pointer: where the value stands in the input.
  init(at pointer: JSONPointer) { track = PointerTrack(pointer) }

  /// Notes that a value begins, with so many containers open around it.
  mutating func beginValue(depth: Int) { isPassed = track.passesValue(depth: depth) }

  /// Notes that the value that begins is an array or an object.
  ///
  /// - Parameter isEntered: whether what is inside will pass.
  mutating func open(_ kind: Token.Kind, isEntered: Bool) {
    guard isPassed else { return }
    if track.isAtEnd {
      (text, otherKind) = (nil, kind)
    } else if isEntered {
      track.open(isArray: kind == .startArray)
    }
  }

  /// Takes the value that begins, which is neither an array nor an object.
  ///
  /// - Parameter bytes: its text; nil for null.
  mutating func readScalar(_ bytes: UnsafeBufferPointer<UInt8>?) {
    guard isPassed, track.isAtEnd else { return }
    text = unsafe bytes.map { unsafe Array($0) }
    otherKind = text == nil ? .null : nil
  }
}
