internal import JSONStreaming
internal import POIRecords

/// The bytes of an export, and what writing them needs.
struct RowOutput: ~Copyable {
  var bytes = GrowableBuffer<UInt8>(minimumCapacity: 1 << 18)

  /// The number of texts that were not UTF-8; their invalid bytes became U+FFFD.
  private(set) var repairedTextCount = 0

  /// See `ExportOptions.isSpreadsheetSafe`.
  var isSpreadsheetSafe = false

  private var json = StoredJSON()
}

extension RowOutput {
  /// Appends a JSON text in compact form; returns false, and appends nothing, if it is not one JSON value.
  mutating func append(json text: Span<UInt8>) -> Bool {
    guard json.read(text) else { return false }
    let element = json.element
    JSONText.append(valueAt: element.start, of: element.tape, to: &bytes)
    return true
  }

  /// Appends a text as a JSON string.
  mutating func append(quoted text: Span<UInt8>) {
    if JSONText.appendPlain(text, to: &bytes) { return }
    if (try? UTF8Span(validating: text)) == nil {
      noteRepair()
      JSONText.appendQuoted(String(copying: text).utf8Span.span, to: &bytes)
    } else {
      JSONText.appendQuoted(text, to: &bytes)
    }
  }

  /// Counts a text that was not UTF-8.
  mutating func noteRepair() { repairedTextCount += 1 }

  mutating func append(base64 blob: Span<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(copying: Base64.encode(blob).utf8Span.span)
    bytes.append(UInt8(ascii: "\""))
  }
}
