/// Decides from a malformed first element whether a sequence holds one element a line.
///
/// It does if the brackets of the element's first line are balanced, or the next line begins an
/// object where the first one left a name or a comma due.
struct LineModeProbe {
  private(set) var offset: Int
  private let start: Int
  private let byteLimit: Int
  private var open: [UInt8] = []
  private var isInString = false
  private var isEscaped = false
  private var previous: UInt8 = 0
  private var isBehindLine = false

  init(start: Int, byteLimit: Int) {
    self.start = start
    self.byteLimit = byteLimit
    offset = start
  }

  /// Goes on with more bytes of the input; nil if more are needed.
  mutating func decide(_ bytes: Span<UInt8>, at bytesOffset: Int, isComplete: Bool)
    -> Place.LineMode?
  {
    while offset - bytesOffset < bytes.count {
      guard offset - start <= byteLimit else { return .free }
      let byte = bytes[offset - bytesOffset]
      if isBehindLine {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: break
        case UInt8(ascii: "{") where open.last == byte && previous != UInt8(ascii: ":"):
          return .oneEachLine
        default: return .free
        }
      } else if byte == 0x0A {
        guard !open.isEmpty else { return .oneEachLine }
        isBehindLine = true
      } else {
        take(byte)
      }
      offset += 1
    }
    return isComplete ? .free : nil
  }

  private mutating func take(_ byte: UInt8) {
    switch byte {
    case _ where isEscaped: isEscaped = false
    case UInt8(ascii: "\\") where isInString: isEscaped = true
    case UInt8(ascii: "\""): isInString.toggle()
    case _ where isInString: break
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if open.count < SiblingScanner.nestingLimit { open.append(byte) }
    case UInt8(ascii: "}"):
      if open.last == UInt8(ascii: "{") { open.removeLast() }
    case UInt8(ascii: "]"):
      if open.last == UInt8(ascii: "[") { open.removeLast() }
    default: break
    }
    if byte != 0x20 && byte != 0x09 && byte != 0x0D { previous = byte }
  }
}
