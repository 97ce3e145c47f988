/// A one-pass check of raw bytes for errors that yajl and `ElementScan` do not detect.
///
/// It finds bytes that are not UTF-8 (Unicode 17, table 3-7) and `\u` escapes of half a surrogate
/// pair, and notes each U+0000 in a string. Blocks of plain ASCII are skipped many bytes at a time.
/// The findings do not depend on how the text is split into calls.
///
/// It does not know strings or structure: the parser finds a backslash outside a string.
@safe
struct StrictText {
  private enum State: UInt8 {
    case plain
    case sequence
    case escape
    /// In the digits of a `\u` escape.
    case digits
    /// After an escape of a high surrogate.
    case high
    /// After the backslash that follows a high surrogate.
    case highEscape
    /// In the digits of the `\u` escape that follows a high surrogate.
    case lowDigits
  }

  private var state = State.plain
  /// Whether a backslash begins an escape.
  private let hasEscapes: Bool

  /// The offset of the sequence or escape; for a pair, of its first half.
  private var start = 0

  /// The offset of a pair's second half.
  private var secondStart = 0

  /// The number of bytes still missing from the sequence or escape.
  private var remaining = 0

  /// The bounds of the sequence's next byte.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  private var value: UInt16 = 0

  init(hasEscapes: Bool = true) { self.hasEscapes = hasEscapes }

  /// Checks the next bytes of the text, which begin at `byteOffset`.
  ///
  /// Appends the flaws in text order, and the offset of each `\u0000` to `nuls`.
  mutating func inspect(
    _ bytes: UnsafeBufferPointer<UInt8>, byteOffset: Int,
    flaws: inout GrowableBuffer<TextFlaw>, nuls: inout GrowableBuffer<Int>
  ) {
    guard let base = bytes.baseAddress else { return }
    var index = 0
    while index < bytes.count {
      if state == .plain {
        index = unsafe Self.endOfSoundText(base, from: index, count: bytes.count)
        guard index < bytes.count else { return }
      }
      unsafe step(base[index], byteOffset + index, &flaws, &nuls)
      index += 1
    }
  }

  mutating func finish(byteOffset: Int, flaws: inout GrowableBuffer<TextFlaw>) {
    switch state {
    case .plain, .escape, .digits: break
    case .sequence: flaws.append(flaw(.utf8, byteOffset))
    case .high, .highEscape, .lowDigits: flaws.append(flaw(.surrogateEscape, byteOffset))
    }
    state = .plain
  }

  private func flaw(_ rule: TextFlaw.Rule, _ noticedOffset: Int) -> TextFlaw {
    TextFlaw(rule: rule, byteOffset: start, noticedOffset: noticedOffset)
  }

  /// The index after the ASCII text, whole UTF-8 sequences and short escapes that begin at `index`.
  @inline(__always)
  private static func endOfSoundText(
    _ base: UnsafePointer<UInt8>, from index: Int, count: Int
  ) -> Int {
    var index = index
    let raw = unsafe UnsafeRawPointer(base)
    while true {
      while count &- index >= 64 {
        guard unsafe Self.isPlain(raw + index) else { break }
        index &+= 64
      }
      while count &- index >= 8 {
        let suspects = unsafe Self.suspects(in: raw, at: index)
        guard suspects == 0 else {
          index &+= suspects.trailingZeroBitCount / 8
          break
        }
        index &+= 8
      }
      guard count - index >= 8 else { break }
      let length = unsafe soundLength(base + index)
      guard length > 0 else { return index }
      index += length
    }
    while index < count {
      let byte = unsafe base[index]
      if byte >= 0x80 || byte == 0x5C { break }
      index += 1
    }
    return index
  }

  /// A word whose lowest set bit is in the lane of the first of eight bytes that is a backslash or
  /// not ASCII; otherwise 0.
  @unsafe
  @inline(__always)
  private static func suspects(in raw: UnsafeRawPointer, at offset: Int) -> UInt64 {
    let bytes = unsafe ByteLanes(raw, at: offset)
    return (bytes.word & ByteLanes(repeating: 0x80).word) | bytes.anyEqual(0x5C)
  }

  /// Whether 64 bytes are ASCII without backslashes.
  @unsafe
  @inline(__always)
  private static func isPlain(_ bytes: UnsafeRawPointer) -> Bool {
    let one = SIMD2(repeating: ByteLanes(repeating: 0x01).word)
    let backslash = SIMD2(repeating: ByteLanes(repeating: 0x5C).word)
    var suspects = SIMD2<UInt64>.zero
    for number in 0..<4 {
      let lanes = unsafe bytes.loadUnaligned(
        fromByteOffset: 16 &* number, as: SIMD2<UInt64>.self)
      // The subtraction sets the high bit of every zero lane. It can also set the bit of lanes
      // whose byte has it set.
      suspects |= lanes | ((lanes ^ backslash) &- one)
    }
    return (suspects[0] | suspects[1]) & ByteLanes(repeating: 0x80).word == 0
  }

  /// The byte length of the valid UTF-8 sequence or short escape at `start`; otherwise 0.
  ///
  /// - Parameter start: at least four readable bytes.
  @unsafe
  @inline(__always)
  private static func soundLength(_ start: UnsafePointer<UInt8>) -> Int {
    let (first, second, third) = unsafe (start[0], start[1], start[2])
    func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
    switch first {
    case 0x5C where second < 0x80 && second != UInt8(ascii: "u"): return 2
    case 0xC2...0xDF where continues(second): return 2
    case 0xE0...0xEF where continues(second) && continues(third):
      // Neither overlong nor a surrogate.
      return (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0) ? 3 : 0
    case 0xF0...0xF4 where unsafe continues(second) && continues(third) && continues(start[3]):
      // Neither overlong nor beyond the last code point.
      return (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90) ? 4 : 0
    default: return 0
    }
  }

  private mutating func step(
    _ byte: UInt8, _ offset: Int,
    _ flaws: inout GrowableBuffer<TextFlaw>, _ nuls: inout GrowableBuffer<Int>
  ) {
    switch state {
    case .plain:
      begin(byte, offset, &flaws)

    case .sequence:
      guard byte >= lowest && byte <= highest else {
        flaws.append(flaw(.utf8, offset))
        return begin(byte, offset, &flaws)
      }
      (lowest, highest) = (0x80, 0xBF)
      remaining -= 1
      if remaining == 0 { state = .plain }

    case .escape:
      if byte == UInt8(ascii: "u") {
        (state, remaining, value) = (.digits, 4, 0)
      } else {
        // The parser checks which escapes are valid; a second backslash ends the escape.
        state = .plain
        if byte != 0x5C { begin(byte, offset, &flaws) }
      }

    case .digits:
      guard addDigit(byte) else { return begin(byte, offset, &flaws) }
      guard remaining == 0 else { return }
      switch value {
      case 0xD800...0xDBFF: state = .high
      case 0xDC00...0xDFFF:
        flaws.append(flaw(.surrogateEscape, offset))
        state = .plain
      default:
        if value == 0 { nuls.append(start) }
        state = .plain
      }

    case .high:
      guard byte == 0x5C else {
        flaws.append(flaw(.surrogateEscape, offset))
        return begin(byte, offset, &flaws)
      }
      (state, secondStart) = (.highEscape, offset)

    case .highEscape:
      guard byte == UInt8(ascii: "u") else {
        flaws.append(flaw(.surrogateEscape, offset))
        (state, start) = (.escape, secondStart)
        return step(byte, offset, &flaws, &nuls)
      }
      (state, remaining, value) = (.lowDigits, 4, 0)

    case .lowDigits:
      guard addDigit(byte) else {
        flaws.append(flaw(.surrogateEscape, offset))
        return begin(byte, offset, &flaws)
      }
      guard remaining == 0 else { return }
      if value >= 0xDC00 && value <= 0xDFFF {
        state = .plain
        return
      }
      flaws.append(flaw(.surrogateEscape, offset))
      start = secondStart
      if value == 0 { nuls.append(start) }
      state = value >= 0xD800 && value <= 0xDBFF ? .high : .plain
    }
  }

  /// Handles a byte outside a sequence or escape.
  private mutating func begin(
    _ byte: UInt8, _ offset: Int, _ flaws: inout GrowableBuffer<TextFlaw>
  ) {
    start = offset
    (state, lowest, highest) = (.sequence, 0x80, 0xBF)
    switch byte {
    case 0xC2...0xDF: remaining = 1
    case 0xE0: (remaining, lowest) = (2, 0xA0)
    case 0xED: (remaining, highest) = (2, 0x9F)
    case 0xE1...0xEF: remaining = 2
    case 0xF0: (remaining, lowest) = (3, 0x90)
    case 0xF4: (remaining, highest) = (3, 0x8F)
    case 0xF1...0xF3: remaining = 3
    case 0x5C: state = hasEscapes ? .escape : .plain
    case 0x80...:
      flaws.append(flaw(.utf8, offset))
      state = .plain
    default: state = .plain
    }
  }

  /// Adds a hexadecimal digit to `value`; false if `byte` is not one.
  private mutating func addDigit(_ byte: UInt8) -> Bool {
    let digit: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
    default: return false
    }
    value = value << 4 | UInt16(digit)
    remaining -= 1
    return true
  }
}
