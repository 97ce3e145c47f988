/// Decides from a malformed first element whether a sequence holds one element a line.
///
/// It does if the brackets of the element's first line are balanced, or the next line begins an
/// object where the first one left a name or a comma due, or holds a whole object or array that begins in the
/// first column, and another one begins so behind it, or nothing.
struct LineModeProbe {
  private enum Part {
    case firstLine, behindFirst, secondLine, behindSecond
  }

  private(set) var offset: Int
  private let start: Int
  private let byteLimit: Int
  private var open: [UInt8] = []
  private var isInString = false
  private var isEscaped = false
  private var previous: UInt8 = 0
  private var part = Part.firstLine
  private var isLineStart = false
  /// Whether a closer fitted no bracket.
  private var isUnbalanced = false

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
      if let mode = takeNext(bytes[offset - bytesOffset]) { return mode }
      isLineStart = bytes[offset - bytesOffset] == 0x0A
      offset += 1
    }
    guard isComplete else { return nil }
    return part == .behindSecond || (part == .secondLine && isWhole) ? .oneEachLine : .free
  }

  /// Whether the second line holds one whole object or array so far.
  private var isWhole: Bool {
    open.isEmpty && !isUnbalanced
      && (previous == UInt8(ascii: "}") || previous == UInt8(ascii: "]"))
  }

  private mutating func takeNext(_ byte: UInt8) -> Place.LineMode? {
    let isOpener = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    switch (part, byte) {
    case (.firstLine, 0x0A):
      guard !open.isEmpty else { return .oneEachLine }
      part = .behindFirst
    case (.secondLine, 0x0A):
      guard isWhole else { return .free }
      part = .behindSecond
    case (.firstLine, _), (.secondLine, _): take(byte)
    case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D): break
    case (.behindFirst, UInt8(ascii: "{"))
    where open.last == byte && previous != UInt8(ascii: ":"):
      return .oneEachLine
    case (.behindFirst, _) where isOpener && isLineStart:
      (part, open, isInString, isEscaped, isUnbalanced) = (.secondLine, [], false, false, false)
      take(byte)
    case (.behindSecond, _) where isOpener && isLineStart: return .oneEachLine
    default: return .free
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) {
    switch byte {
    case _ where isEscaped: isEscaped = false
    case UInt8(ascii: "\\") where isInString: isEscaped = true
    case UInt8(ascii: "\""): isInString.toggle()
    case _ where isInString: break
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if open.count < SiblingScanner.nestingLimit { open.append(byte) }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      let fits = open.last == (byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "["))
      if fits { open.removeLast() } else { isUnbalanced = true }
    default: break
    }
    if byte != 0x20 && byte != 0x09 && byte != 0x0D { previous = byte }
  }
}
