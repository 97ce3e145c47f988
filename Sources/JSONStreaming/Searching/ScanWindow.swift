/// The bytes available to a scan, addressed by input offset.
struct ScanWindow: ~Escapable {
  /// The answer to a question about bytes that may not have arrived.
  enum Answer {
    case yes, no, unknown
  }

  private let bytes: Span<UInt8>
  private let startOffset: Int
  let isComplete: Bool

  /// - Parameter isComplete: whether the input ends after `bytes`.
  @_lifetime(copy bytes)
  init(bytes: Span<UInt8>, startOffset: Int, isComplete: Bool) {
    self.bytes = bytes
    self.startOffset = startOffset
    self.isComplete = isComplete
  }

  var endOffset: Int { startOffset + bytes.count }

  subscript(offset: Int) -> UInt8 { bytes[offset - startOffset] }
}

extension ScanWindow {
  /// Whether the container of the elements can end before `offset`: what follows must close the
  /// containers around it, continue in one of them, or be another top-level value.
  ///
  /// - Parameters:
  ///   - parents: the containers around it, outermost first.
  ///   - limit: the number of bytes to check; if they are all white space, the answer is yes.
  func canEndContainer(
    before offset: Int, parents: [ElementContext.Container], limit: Int
  ) -> Answer {
    var parents = parents[...]
    var isNameDue = false
    for next in offset..<(offset + limit) {
      guard next < endOffset else { return isComplete ? .yes : .unknown }
      switch (self[next], parents.last) {
      case (0x20, _), (0x09, _), (0x0A, _), (0x0D, _): break
      case (let byte, _) where isNameDue: return byte == UInt8(ascii: "\"") ? .yes : .no
      case (UInt8(ascii: "}"), .object?), (UInt8(ascii: "]"), .array?): parents.removeLast()
      case (UInt8(ascii: ","), .array?): return .yes
      case (UInt8(ascii: ","), .object?): isNameDue = true
      case (UInt8(ascii: "{"), nil), (UInt8(ascii: "["), nil): return .yes
      default: return .no
      }
    }
    return .yes
  }
}

/// The bracket that a closing one closes.
func opener(of closer: UInt8) -> UInt8 {
  closer == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
}
