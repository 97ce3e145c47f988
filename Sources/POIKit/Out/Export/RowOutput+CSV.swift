internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Fields of comma-separated values.
///
/// Page: RFC 4180, section 2
extension RowOutput {
  /// Appends the line of the columns' names.
  mutating func append(header names: [String]) {
    for (number, name) in names.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      append(field: name.utf8Span.span)
    }
    bytes.append(copying: "\r\n".utf8Span.span)
  }

  /// Ends the line that begins at `start`. A line is not empty, because programs leave such lines out.
  mutating func endLine(from start: Int) {
    if bytes.count == start { JSONText.append(#""""#, to: &bytes) }
    bytes.append(copying: "\r\n".utf8Span.span)
  }

  /// Appends a column of a statement's current row as a field: nothing for NULL, `""` for an empty text, and
  /// values that are not texts as in JSON.
  mutating func append(
    csv column: Int, of statement: borrowing Statement, in form: borrowing ValueForm
  ) {
    guard case .text(let text) = statement.value(column) else {
      guard !statement.isNull(column) else { return }
      let start = bytes.count
      append(column, of: statement, in: form)
      switch form {
      case .decimalComma:
        let number = String(copying: bytes.span.extracting(start...)).map { $0 == "." ? "," : $0 }
        bytes.truncate(to: start)
        bytes.append(copying: String(number).utf8Span.span)
        return quoteIfNeeded(from: start)
      default: return unquote(from: start)
      }
    }
    let start = bytes.count
    switch form {
    case .json where append(json: text): quoteIfNeeded(from: start)
    case .date(let pattern) where pattern.append(date: text, to: &bytes):
      quoteIfNeeded(from: start)
    default: append(field: text)
    }
  }

  /// What a text begins with that a spreadsheet would run.
  private static let formulaBeginnings = "=+-@\t\r"

  /// Appends a text as a field.
  mutating func append(field text: Span<UInt8>) {
    let start = bytes.count
    if isSpreadsheetSafe, !text.isEmpty, Self.formulaBeginnings.utf8.contains(text[0]) {
      bytes.append(UInt8(ascii: "'"))
    }
    if (try? UTF8Span(validating: text)) == nil {
      noteRepair()
      bytes.append(copying: String(copying: text).utf8Span.span)
    } else {
      bytes.append(bytes: text)
    }
    quoteIfNeeded(from: start)
  }

  /// Puts the bytes from `start` in quotes if there are no bytes, or a comma, a quote or the end of a line.
  mutating func quoteIfNeeded(from start: Int) {
    guard Self.needsQuotes(bytes.span.extracting(start...)) else { return }
    let text = String(copying: bytes.span.extracting(start...))
    bytes.truncate(to: start)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsQuotes(_ field: Span<UInt8>) -> Bool {
    for index in field.indices {
      let byte = field[index]
      if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D {
        return true
      }
    }
    return field.isEmpty
  }

  /// Makes a JSON string without escapes from `start` on a field.
  private mutating func unquote(from start: Int) {
    guard bytes[start] == UInt8(ascii: "\"") else { return }
    let text = String(copying: bytes.span.extracting(start + 1..<bytes.count - 1))
    bytes.truncate(to: start)
    append(field: text.utf8Span.span)
  }
}
