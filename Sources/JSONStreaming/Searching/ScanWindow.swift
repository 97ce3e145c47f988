/// The bytes available to a scan, addressed by input offset.
struct ScanWindow: ~Escapable {
  /// The answer to a question about bytes that may not have arrived.
  enum Answer {
    case yes, no, unknown
  }

  private let held: Span<UInt8>
  private let startOffset: Int
  let isComplete: Bool

  /// - Parameter isComplete: whether the input ends after `bytes`.
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
  /// Whether the container of the elements can end before `offset`: what follows must close the
  /// containers around it, continue in one of them, or be another top-level value.
  ///
  /// - Parameters:
  ///   - parents: the containers around it, outermost first; true for an array.
  ///   - limit: the number of bytes to check; if they are all white space, the answer is yes.
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
