/// The bytes of the input that a scan can look at, addressed by their offsets in the input.
struct ScanWindow: ~Escapable {
  /// The answer to a question about bytes of which some may not have come yet.
  enum Answer {
    case yes, no, unknown
  }

  private let held: Span<UInt8>
  private let startOffset: Int
  let isComplete: Bool

  /// - Parameters:
  ///   - bytes: the bytes that are held, of which `startOffset` is the first one's offset.
  ///   - isComplete: whether the input ends after them.
  @_lifetime(copy bytes)
  init(bytes: Span<UInt8>, startOffset: Int, isComplete: Bool) {
    held = bytes
    self.startOffset = startOffset
    self.isComplete = isComplete
  }

  var endOffset: Int { startOffset + held.count }

  subscript(offset: Int) -> UInt8 { held[offset - startOffset] }
}

extension ScanWindow {
  /// Whether a container of elements can end in front of `offset`: what follows closes the containers
  /// around it, goes on in one of them, or is another top-level value.
  ///
  /// - Parameters:
  ///   - parents: what is open around the container, the outermost first: true for an array.
  ///   - limit: how many bytes are looked at; if they are all blank, the answer is yes.
  func canEndContainer(before offset: Int, parents: [Bool], limit: Int) -> Answer {
    var parents = parents[...]
    var isNameDue = false
    for next in offset..<(offset + limit) {
      guard next < endOffset else { return isComplete ? .yes : .unknown }
      switch (self[next], parents.last) {
      case (0x20, _), (0x09, _), (0x0A, _), (0x0D, _): break
      case (let byte, _) where isNameDue: return byte == UInt8(ascii: "\"") ? .yes : .no
      case (UInt8(ascii: "}"), false), (UInt8(ascii: "]"), true): parents.removeLast()
      case (UInt8(ascii: ","), true): return .yes
      case (UInt8(ascii: ","), false): isNameDue = true
      case (UInt8(ascii: "{"), nil), (UInt8(ascii: "["), nil): return .yes
      default: return .no
      }
    }
    return .yes
  }
}
