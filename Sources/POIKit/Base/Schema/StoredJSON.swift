internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Reads stored JSON texts, one after the other.
struct StoredJSON: ~Copyable {
  private var reader = makeReader()

  /// Whether the reader takes no more text.
  private var isFinished = false

  /// Limits that no imported record exceeds.
  static let limits = ReadingLimits(
    depth: 10_000, elementByteCount: 1 << 30, stringByteCount: 1 << 30, keysPerObject: 1 << 30)

  private static func makeReader() -> ElementReader {
    ElementReader(shape: .sequence, limits: limits, isResumable: false)
  }

  /// Reads a text; returns false if it is not one JSON value.
  mutating func read(_ text: Span<UInt8>) -> Bool {
    var (start, end) = (0, text.count)
    while start < end, Self.isWhiteSpace(text[start]) { start += 1 }
    while start < end, Self.isWhiteSpace(text[end - 1]) { end -= 1 }
    let text = text.extracting(start..<end)
    if isFinished {
      reader = Self.makeReader()
      isFinished = false
    }
    reader.append(text)
    reader.append([UInt8(ascii: "\n")].span)
    var event = try? reader.next()
    if event == .needsInput {
      // The reader waits for more before it parses a very short text, or the rest of a long one.
      reader.finish()
      isFinished = true
      event = try? reader.next()
    }
    if event == .element, reader.elementBytes.count == text.count { return true }
    isFinished = true
    return false
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Reads a column of a statement's current row; returns false also if it is not text.
  mutating func read(_ column: Int, of statement: borrowing Statement) -> Bool {
    if case .text(let text) = statement.value(column) { read(text) } else { false }
  }

  /// The kind of the value of the last text.
  var kind: Token.Kind { element.tape[element.start].kind }

  /// The value of the last text that could be read.
  var element: JSONElement {
    @_lifetime(borrow self)
    get { JSONElement(reader) }
  }
}

extension JSONValue {
  /// Parses a stored text; nil if it is not one JSON value.
  static func stored(_ text: Span<UInt8>) -> JSONValue? { try? JSONValue(parsing: text) }

  static func stored(_ text: String) -> JSONValue? {
    stored(Array(text.utf8).span)
  }
}
