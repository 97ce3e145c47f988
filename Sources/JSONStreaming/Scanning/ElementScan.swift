/// A scan of bytes for elements that are sound JSON (RFC 8259) within the limits.
@safe
struct ElementScan {
  /// Why an element is not known as sound.
  enum Refusal: Equatable {
    case syntax
    /// The bytes end inside it.
    case cut
    /// So many bytes of the input had to be seen to know that it is beyond a limit.
    case limit(Limit, noticedOffset: Int)
  }

  enum Limit {
    case depth, elementBytes, stringBytes, keysPerObject
  }

  let bytes: UnsafePointer<UInt8>
  /// How many bytes there are.
  let end: Int
  /// The offset of the first of `bytes` in the input.
  let offset: Int
  /// Whether the input ends behind the bytes.
  let isLast: Bool
  let limits: ReadingLimits

  var refusal = Refusal.syntax
  var holdsNUL = false
  var flaw: TextFlaw?

  @unsafe
  init(
    bytes: UnsafePointer<UInt8>, end: Int, offset: Int, isLast: Bool, limits: ReadingLimits
  ) {
    unsafe self.bytes = bytes
    self.end = end
    self.offset = offset
    self.isLast = isLast
    self.limits = limits
  }

  @inline(__always)
  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Puts the element that begins at `start`, with its name if `isNamed`, on the tape.
  ///
  /// - Parameter open: is empty, and is left so by a sound element.
  /// - Returns: nil if it is refused: then what the tape has got of it is to be taken away.
  mutating func member(
    at start: Int, isNamed: Bool, onto tape: inout TapeBuffers,
    _ open: inout GrowableBuffer<OpenContainer>
  ) -> ElementMark? {
    (refusal, holdsNUL, flaw) = (.syntax, false, nil)
    let firstToken = tape.tokens.count
    var index = start
    var name: Token?
    if isNamed {
      name = self.name(at: &index, onto: &tape)
      guard name != nil else { return nil }
    }
    let elementStart = index
    guard element(at: &index, onto: &tape, &open) else { return nil }
    guard index - start <= limits.elementByteCount else {
      _ = refuse(.elementBytes, at: index)
      return nil
    }
    let text = unsafe UnsafeBufferPointer(start: bytes + start, count: index - start)
    if let found = unsafe StrictText.flaw(in: text) { note(.utf8, at: start + found) }
    return ElementMark(
      firstToken: firstToken, endToken: tape.tokens.count, start: offset + elementStart,
      end: offset + index, memberStart: offset + start, name: name, holdsNUL: holdsNUL, flaw: flaw)
  }

  /// Keeps the first of the flaws in the element's text.
  mutating func note(_ rule: TextFlaw.Rule, at index: Int) {
    if let flaw, flaw.byteOffset < offset + index { return }
    flaw = TextFlaw(rule: rule, byteOffset: offset + index)
  }

  /// Refuses the element because of a limit; `index` is behind the byte that is beyond it.
  mutating func refuse(_ limit: Limit, at index: Int) -> Bool {
    refusal = .limit(limit, noticedOffset: offset + index)
    return false
  }

  /// Copies a name, which is no token of an element, and takes the colon behind it.
  private mutating func name(at index: inout Int, onto tape: inout TapeBuffers) -> Token? {
    guard text(.key, at: &index, onto: &tape) else { return nil }
    var token = tape.tokens[tape.tokens.count - 1]
    tape.tokens.truncate(to: tape.tokens.count - 1)
    if !token.isCopied {
      let (start, count) = (index - 1 - token.textByteCount, token.textByteCount)
      token = Token(kind: .key, first: tape.copies.count, second: count, isCopied: true)
      unsafe tape.copies.append(from: bytes + start, count: count)
    }
    skipWhiteSpace(&index)
    guard skip(UInt8(ascii: ":"), at: &index) else { return nil }
    skipWhiteSpace(&index)
    return token
  }

  /// Puts the element at `index` on the tape, and moves `index` behind it.
  private mutating func element(
    at index: inout Int, onto tape: inout TapeBuffers, _ open: inout GrowableBuffer<OpenContainer>
  ) -> Bool {
    var isInObject = false
    // How many values the innermost container has.
    var count = 0
    values: while true {
      if isInObject {
        guard text(.key, at: &index, onto: &tape) else { return false }
        guard count < limits.keysPerObject else { return refuse(.keysPerObject, at: index) }
        skipWhiteSpace(&index)
        guard skip(UInt8(ascii: ":"), at: &index) else { return false }
        skipWhiteSpace(&index)
      }
      guard index < end else { return cut() }
      let byte = unsafe bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        guard text(.string, at: &index, onto: &tape) else { return false }
        count &+= 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < limits.depth else { return refuse(.depth, at: index + 1) }
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
        guard literal(0x6575_7274, .true, at: &index, onto: &tape) else { return false }
        count &+= 1
      case UInt8(ascii: "f"):
        index &+= 1
        guard literal(0x6573_6C61, .false, at: &index, onto: &tape) else { return false }
        count &+= 1
      case UInt8(ascii: "n"):
        guard literal(0x6C6C_756E, .null, at: &index, onto: &tape) else { return false }
        count &+= 1
      default:
        guard number(at: &index, onto: &tape) else { return false }
        count &+= 1
      }
      if open.isEmpty { return true }
      // Behind a value.
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
        guard byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
        tape.tokens.append(Token(kind: isInObject ? .endObject : .endArray))
        tape.tokens[container.token].close(next: tape.tokens.count, elementCount: count)
        open.truncate(to: open.count &- 1)
        guard !open.isEmpty else { return true }
        count = container.outerCount
        isInObject = tape.tokens[open[open.count &- 1].token].kind == .startObject
      }
    }
  }

  /// Refuses the element because the bytes end inside of it.
  mutating func cut() -> Bool {
    refusal = .cut
    return false
  }

  @inline(__always)
  private func skipWhiteSpace(_ index: inout Int) {
    while index < end, unsafe Self.isWhiteSpace(bytes[index]) { index &+= 1 }
  }

  /// Takes one byte if it is what stands there.
  @inline(__always)
  mutating func skip(_ byte: UInt8, at index: inout Int) -> Bool {
    guard index < end else { return cut() }
    guard unsafe bytes[index] == byte else { return false }
    index &+= 1
    return true
  }

  /// Takes four bytes, given as a little-endian number, that are or end a literal.
  @inline(__always)
  private mutating func literal(
    _ word: UInt32, _ kind: Token.Kind, at index: inout Int, onto tape: inout TapeBuffers
  ) -> Bool {
    guard end &- index >= 4 else { return cut() }
    let found = unsafe UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt32.self)
    guard UInt32(littleEndian: found) == word else { return false }
    index &+= 4
    tape.tokens.append(Token(kind: kind))
    return true
  }

  /// Takes a number, whose end shows with the byte behind it.
  @inline(__always)
  private mutating func number(at index: inout Int, onto tape: inout TapeBuffers) -> Bool {
    let start = index
    guard let numberEnd = endOfNumber(from: start) else { return false }
    guard numberEnd < end || isLast else { return cut() }
    guard numberEnd &- start <= limits.stringByteCount else {
      return refuse(.stringBytes, at: numberEnd)
    }
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

  /// Takes digits, at least one.
  @inline(__always)
  private mutating func skipDigits(_ index: inout Int) -> Bool {
    let start = index
    while index < end, unsafe bytes[index] &- UInt8(ascii: "0") < 10 { index &+= 1 }
    if index == end { refusal = .cut }
    return index > start
  }
}
