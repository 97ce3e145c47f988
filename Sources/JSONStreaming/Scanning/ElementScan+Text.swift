extension ElementScan {
  /// Scans a string or a key, quotes included.
  @inline(__always)
  mutating func text(
    _ kind: Token.Kind, at index: inout Int, onto tape: inout TapeBuffers
  ) -> Bool {
    guard skip(UInt8(ascii: "\""), at: &index) else { return false }
    let start = index
    let textEnd = endOfPlainText(from: start)
    guard textEnd < end else {
      isCut = true
      return false
    }
    guard unsafe bytes[textEnd] == UInt8(ascii: "\"") else {
      return escapedText(kind, from: start, plainEnd: textEnd, end: &index, onto: &tape)
    }
    guard textEnd &- start <= limits.stringByteCount else { return false }
    index = textEnd &+ 1
    tape.tokens.append(Token(kind: kind, first: offset &+ start, second: textEnd &- start))
    return true
  }

  /// The index of the next quote, backslash or control character, or `end`.
  @inline(__always)
  private func endOfPlainText(from start: Int) -> Int {
    let raw = unsafe UnsafeRawPointer(bytes)
    var index = start
    while end &- index >= 8 {
      let lanes = unsafe ByteLanes(raw, at: index)
      let found =
        lanes.anyEqual(UInt8(ascii: "\"")) | lanes.anyEqual(UInt8(ascii: "\\")) | lanes.anyControl
      guard found == 0 else { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      index &+= 1
    }
    return index
  }

  /// Scans a text with escapes, from after its quote; `plainEnd` is the first byte to unescape.
  @inline(never)
  private mutating func escapedText(
    _ kind: Token.Kind, from start: Int, plainEnd: Int, end textEnd: inout Int,
    onto tape: inout TapeBuffers
  ) -> Bool {
    let firstCopy = tape.copies.count
    var (start, index) = (start, plainEnd)
    while true {
      guard index < end else {
        isCut = true
        return false
      }
      unsafe tape.copies.append(from: bytes + start, count: index - start)
      let byte = unsafe bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { break }
      guard byte == UInt8(ascii: "\\"), escape(at: &index, onto: &tape.copies) else { return false }
      start = index
      index = endOfPlainText(from: index)
    }
    let count = tape.copies.count - firstCopy
    guard count <= limits.stringByteCount else { return false }
    textEnd = index
    tape.tokens.append(Token(kind: kind, first: firstCopy, second: count, isCopied: true))
    return true
  }

  /// Scans the escape after a backslash; half of a surrogate pair is not valid.
  private mutating func escape(
    at index: inout Int, onto copies: inout GrowableBuffer<UInt8>
  ) -> Bool {
    guard index < end else {
      isCut = true
      return false
    }
    let byte = unsafe bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): copies.append(byte)
    case UInt8(ascii: "b"): copies.append(0x08)
    case UInt8(ascii: "f"): copies.append(0x0C)
    case UInt8(ascii: "n"): copies.append(0x0A)
    case UInt8(ascii: "r"): copies.append(0x0D)
    case UInt8(ascii: "t"): copies.append(0x09)
    case UInt8(ascii: "u"):
      guard let scalar = escapedScalar(at: &index) else { return false }
      guard let units = UTF8.encode(scalar) else { return false }
      for unit in units { copies.append(unit) }
    default: return false
    }
    return true
  }

  /// The character of a `\u` escape, or of two that form a surrogate pair.
  private mutating func escapedScalar(at index: inout Int) -> Unicode.Scalar? {
    guard let unit = codeUnit(at: &index) else { return nil }
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
    guard
      skip(UInt8(ascii: "\\"), at: &index), skip(UInt8(ascii: "u"), at: &index),
      let trail = codeUnit(at: &index), UTF16.isTrailSurrogate(trail)
    else { return nil }
    return Unicode.Scalar(0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00))
  }

  /// The value of four hexadecimal digits.
  private mutating func codeUnit(at index: inout Int) -> UInt16? {
    guard end - index >= 4 else {
      isCut = true
      return nil
    }
    var unit: UInt16 = 0
    for place in index..<(index + 4) {
      guard let digit = unsafe Character(Unicode.Scalar(bytes[place])).hexDigitValue else {
        return nil
      }
      unit = unit << 4 | UInt16(digit)
    }
    index += 4
    return unit
  }
}
