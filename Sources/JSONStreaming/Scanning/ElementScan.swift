/// A scan of bytes for arrays and objects that are valid JSON (RFC 8259) within the limits.
///
/// `StrictText` checks the encoding.
@safe
struct ElementScan {
  let bytes: UnsafePointer<UInt8>
  let end: Int
  /// The input offset of the first of `bytes`.
  let offset: Int
  let limits: ReadingLimits

  /// Whether the last scan failed only because the bytes end.
  var isCut = false

  @unsafe
  init(bytes: UnsafePointer<UInt8>, end: Int, offset: Int, limits: ReadingLimits) {
    unsafe self.bytes = bytes
    self.end = end
    self.offset = offset
    self.limits = limits
  }

  @inline(__always)
  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// An element, with its name in an object.
  struct Member {
    /// The name, which is among the tape's copies.
    var name: Token?
    var start: Int
    var end: Int
  }

  /// Puts the element at `start` on the tape, with its name if `isNamed`.
  ///
  /// - Parameter open: an empty buffer; a valid element leaves it empty.
  /// - Returns: nil if the scan fails; the caller must then remove what was put on the tape.
  mutating func member(
    at start: Int, isNamed: Bool, onto tape: inout TapeBuffers,
    _ open: inout GrowableBuffer<OpenContainer>
  ) -> Member? {
    isCut = false
    var index = start
    var name: Token?
    if isNamed {
      name = self.name(at: &index, onto: &tape)
      guard name != nil else { return nil }
    }
    let elementStart = index
    guard let end = element(at: index, onto: &tape, &open) else { return nil }
    return Member(name: name, start: elementStart, end: end)
  }

  /// Copies a name, which is not a token of the element, and skips its colon.
  private mutating func name(at index: inout Int, onto tape: inout TapeBuffers) -> Token? {
    guard text(.key, at: &index, onto: &tape) else { return nil }
    let token = tape.tokens[tape.tokens.count - 1]
    tape.tokens.truncate(to: tape.tokens.count - 1)
    if !token.isCopied {
      let textEnd = index - 1
      unsafe tape.copies.append(
        from: bytes + (textEnd - token.textByteCount), count: token.textByteCount)
    }
    skipWhiteSpace(&index)
    guard skip(UInt8(ascii: ":"), at: &index) else { return nil }
    skipWhiteSpace(&index)
    return Token(
      kind: .key, first: tape.copies.count - token.textByteCount, second: token.textByteCount,
      isCopied: true)
  }

  /// Puts the element at `start` on the tape and returns the index after it.
  private mutating func element(
    at start: Int, onto tape: inout TapeBuffers,
    _ open: inout GrowableBuffer<OpenContainer>
  ) -> Int? {
    var index = start
    var isInObject = false
    // The number of values in the innermost container.
    var count = 0
    guard start < end else { return cut() }
    guard unsafe isOpener(bytes[start]) else { return nil }
    values: while true {
      if isInObject {
        guard count < limits.keysPerObject, text(.key, at: &index, onto: &tape) else {
          return nil
        }
        skipWhiteSpace(&index)
        guard skip(UInt8(ascii: ":"), at: &index) else { return nil }
        skipWhiteSpace(&index)
      }
      guard index < end else { return cut() }
      let byte = unsafe bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        guard text(.string, at: &index, onto: &tape) else { return nil }
        count &+= 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < limits.depth else { return nil }
        isInObject = byte == UInt8(ascii: "{")
        open.append(
          OpenContainer(token: tape.tokens.count, outerCount: count &+ 1))
        tape.tokens.append(Token(kind: isInObject ? .startObject : .startArray))
        count = 0
        index &+= 1
        skipWhiteSpace(&index)
        guard index < end else { return cut() }
        let closer = isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        if unsafe bytes[index] != closer { continue values }
      case UInt8(ascii: "t"):
        guard literal(0x6575_7274, .true, at: &index, onto: &tape) else { return nil }
        count &+= 1
      case UInt8(ascii: "f"):
        index &+= 1
        guard literal(0x6573_6C61, .false, at: &index, onto: &tape) else { return nil }
        count &+= 1
      case UInt8(ascii: "n"):
        guard literal(0x6C6C_756E, .null, at: &index, onto: &tape) else { return nil }
        count &+= 1
      default:
        guard number(at: &index, onto: &tape) else { return nil }
        count &+= 1
      }
      // After a value.
      while true {
        skipWhiteSpace(&index)
        guard index < end else { return cut() }
        let byte = unsafe bytes[index]
        index &+= 1
        if byte == UInt8(ascii: ",") {
          skipWhiteSpace(&index)
          continue values
        }
        let container = open[open.count &- 1]
        guard byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
        tape.tokens.append(Token(kind: isInObject ? .endObject : .endArray))
        tape.tokens[container.token].close(next: tape.tokens.count, elementCount: count)
        open.truncate(to: open.count &- 1)
        guard !open.isEmpty else { return index }
        count = container.outerCount
        isInObject = tape.tokens[open[open.count &- 1].token].kind == .startObject
      }
    }
  }

  @inline(__always)
  private func isOpener(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }

  private mutating func cut() -> Int? {
    isCut = true
    return nil
  }

  @inline(__always)
  private func skipWhiteSpace(_ index: inout Int) {
    while index < end, unsafe Self.isWhiteSpace(bytes[index]) { index &+= 1 }
  }

  @inline(__always)
  mutating func skip(_ byte: UInt8, at index: inout Int) -> Bool {
    guard index < end else {
      isCut = true
      return false
    }
    guard unsafe bytes[index] == byte else { return false }
    index &+= 1
    return true
  }

  /// Scans a literal, or its last four bytes, given as a little-endian number.
  @inline(__always)
  private mutating func literal(
    _ word: UInt32, _ kind: Token.Kind, at index: inout Int, onto tape: inout TapeBuffers
  ) -> Bool {
    guard end &- index >= 4 else {
      isCut = true
      return false
    }
    let found = unsafe UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt32.self)
    guard UInt32(littleEndian: found) == word else { return false }
    index &+= 4
    tape.tokens.append(Token(kind: kind))
    return true
  }

  /// Scans a number; its end is known only with the byte after it.
  @inline(__always)
  private mutating func number(at index: inout Int, onto tape: inout TapeBuffers) -> Bool {
    let start = index
    guard let numberEnd = endOfNumber(from: start) else { return false }
    guard numberEnd < end else {
      isCut = true
      return false
    }
    guard numberEnd &- start <= limits.stringByteCount else { return false }
    index = numberEnd
    tape.tokens.append(
      Token(kind: .number, first: offset &+ start, second: numberEnd &- start))
    return true
  }

  @inline(__always)
  private mutating func endOfNumber(from start: Int) -> Int? {
    var index = start
    if index < end, unsafe bytes[index] == UInt8(ascii: "-") { index &+= 1 }
    if index < end, unsafe bytes[index] == UInt8(ascii: "0") {
      index &+= 1
    } else {
      guard skipDigits(&index) else { return nil }
    }
    if index < end, unsafe bytes[index] == UInt8(ascii: ".") {
      index &+= 1
      guard skipDigits(&index) else { return nil }
    }
    if index < end, unsafe bytes[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if index < end, unsafe bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
      {
        index &+= 1
      }
      guard skipDigits(&index) else { return nil }
    }
    return index
  }

  /// Skips digits; false if there are not any.
  @inline(__always)
  private mutating func skipDigits(_ index: inout Int) -> Bool {
    let start = index
    while index < end, unsafe bytes[index] &- UInt8(ascii: "0") < 10 { index &+= 1 }
    if index == end { isCut = true }
    return index > start
  }
}
