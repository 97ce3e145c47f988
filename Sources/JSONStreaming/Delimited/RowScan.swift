/// A scan of bytes for one row of delimited text.
///
/// A line ends with LF, CR or both; the LF after a CR is a blank line, which is skipped. A quote that does not begin a
/// field is text.
///
/// Page: RFC 4180, section 2
@safe
struct RowScan {
  let bytes: UnsafePointer<UInt8>
  var end: Int
  /// The input offset of the first of `bytes`.
  let offset: Int
  let delimiter: UInt8
  /// Whether the input ends with the bytes.
  var isLast: Bool
  let limits: ReadingLimits

  /// How a scan ended.
  enum Outcome {
    /// The row ends before this index, at the end of a line or of the input. A field may be too long.
    case row(end: Int, flaw: Malformation?)
    /// The bytes end inside the row.
    case cut
    case flaw(Malformation)
  }

  @unsafe
  init(
    bytes: UnsafePointer<UInt8>, end: Int, offset: Int, delimiter: UInt8, isLast: Bool,
    limits: ReadingLimits
  ) {
    unsafe self.bytes = bytes
    (self.end, self.offset, self.delimiter, self.isLast) = (end, offset, delimiter, isLast)
    self.limits = limits
  }

  static let quote = UInt8(ascii: "\"")

  @inline(__always)
  static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// The input offset of a field that is not copied.
  func inputOffset(of token: Token) -> Int {
    offset + Int(token.first &- UInt32(truncatingIfNeeded: offset))
  }

  func text(of token: Token, _ tape: borrowing TapeBuffers) -> [UInt8] {
    let count = token.kind == .null ? 0 : token.textByteCount
    let start = token.isCopied ? Int(token.first) : inputOffset(of: token) - offset
    return (0..<count).map { unsafe token.isCopied ? tape.copies[start + $0] : bytes[start + $0] }
  }

  /// The index of the first byte from `index` on that is not the end of a line.
  func endOfBlankLines(from index: Int) -> Int {
    var index = index
    while index < end, unsafe Self.isLineEnd(bytes[index]) { index &+= 1 }
    return index
  }

  /// The index of the next end of a line, or of the bytes.
  func endOfLine(from index: Int) -> Int {
    var index = index
    while index < end, unsafe !Self.isLineEnd(bytes[index]) { index &+= 1 }
    return index
  }

  /// Appends the fields of the row at `start`: null for an empty one, else a string. Quoted fields with quotes inside
  /// are copied.
  func row(
    at start: Int, onto fields: inout GrowableBuffer<Token>, _ copies: inout GrowableBuffer<UInt8>
  ) -> Outcome {
    var index = start
    var flaw: Malformation?
    while true {
      let fieldStart = index
      if index < end, unsafe bytes[index] == Self.quote {
        if let outcome = quoted(at: &index, onto: &fields, &copies) { return outcome }
      } else {
        let first = index
        index = endOfField(from: index)
        guard index < end || isLast else { return .cut }
        let count = index &- first
        fields.append(
          count == 0
            ? Token(kind: .null) : Token(kind: .string, first: offset &+ first, second: count))
      }
      if flaw == nil, fields[fields.count - 1].textByteCount > limits.stringByteCount {
        flaw = tooLong(at: fieldStart)
      }
      guard index < end, unsafe bytes[index] == delimiter else {
        return .row(end: index, flaw: flaw)
      }
      index &+= 1
    }
  }

  /// The index of the next delimiter or end of a line, or of the bytes.
  @inline(__always)
  private func endOfField(from start: Int) -> Int {
    let raw = unsafe UnsafeRawPointer(bytes)
    var index = start
    while end &- index >= 8 {
      let lanes = unsafe ByteLanes(raw, at: index)
      let found = lanes.anyEqual(delimiter) | lanes.anyEqual(0x0A) | lanes.anyEqual(0x0D)
      guard found == 0 else { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, unsafe bytes[index] != delimiter && !Self.isLineEnd(bytes[index]) {
      index &+= 1
    }
    return index
  }

  /// Appends a field in quotes, and moves the index behind it; returns the outcome if that is not possible.
  private func quoted(
    at index: inout Int, onto fields: inout GrowableBuffer<Token>,
    _ copies: inout GrowableBuffer<UInt8>
  ) -> Outcome? {
    let opening = index
    var start = index &+ 1
    let firstCopy = copies.count
    while true {
      index = endOfQuotedText(from: start)
      guard index < end else {
        guard isLast else { return .cut }
        return .flaw(flaw("a quote is opened here and never closed", at: opening))
      }
      guard index &+ 1 < end || isLast else { return .cut }
      guard index &+ 1 < end, unsafe bytes[index &+ 1] == Self.quote else { break }
      // Of two quotes the first one is copied.
      unsafe copies.append(from: bytes + start, count: index &+ 1 &- start)
      start = index &+ 2
    }
    let isCopied = copies.count > firstCopy
    if isCopied { unsafe copies.append(from: bytes + start, count: index &- start) }
    let count = isCopied ? copies.count &- firstCopy : index &- start
    index &+= 1
    if index < end, unsafe bytes[index] != delimiter && !Self.isLineEnd(bytes[index]) {
      return .flaw(flaw("text follows a closing quote", at: index))
    }
    fields.append(
      Token(
        kind: .string, first: isCopied ? firstCopy : offset &+ start, second: count,
        isCopied: isCopied))
    return nil
  }

  @inline(__always)
  private func endOfQuotedText(from start: Int) -> Int {
    let raw = unsafe UnsafeRawPointer(bytes)
    var index = start
    while end &- index >= 8 {
      let found = unsafe ByteLanes(raw, at: index).anyEqual(Self.quote)
      guard found == 0 else { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, unsafe bytes[index] != Self.quote { index &+= 1 }
    return index
  }

  private func flaw(_ message: String, at index: Int) -> Malformation {
    Malformation(
      rule: "syntax", message: "not valid delimited text: \(message)", byteOffset: offset + index)
  }

  private func tooLong(at index: Int) -> Malformation {
    Malformation(
      rule: "string-bytes", message: "a field is longer than \(limits.stringByteCount) bytes",
      byteOffset: offset + index)
  }
}
