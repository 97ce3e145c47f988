internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// How a column's values are written, so that the attribute that they belong to reads them.
indirect enum ValueForm {
  /// By the type of each value.
  case plain
  /// 0 and 1 as booleans.
  case boolean
  /// Numbers, in CSV with a comma before the decimals.
  case decimalComma
  /// Texts that are JSON as JSON.
  case json
  /// As `json`, unless reading the JSON would give another text.
  case anyJSON
  case date(DatePattern)
  case instant(InstantNotation, writesZone: Bool)

  init(_ attribute: Attribute) {
    let numbers: JSONTypes = [.integer, .number]
    switch attribute.storage {
    case .instant(let notation): self = .instant(notation, writesZone: attribute.writesZone)
    case .date(let pattern?): self = .date(pattern)
    case .json: self = .json
    case .real where attribute.hasDecimalComma: self = .decimalComma
    case .any where !attribute.types.isDisjoint(with: [.object, .array]): self = .anyJSON
    default:
      let isBoolean =
        attribute.types.isDisjoint(with: numbers) && attribute.types.contains(.boolean)
      self = isBoolean ? .boolean : .plain
    }
  }
}

extension RowOutput {
  /// Appends a column of a statement's current row.
  mutating func append(
    _ column: Int, of statement: borrowing Statement, in form: borrowing ValueForm
  ) {
    switch statement.value(column) {
    case .null: JSONText.append("null", to: &bytes)
    case .integer(let integer):
      switch form {
      case .instant(let notation, let writesZone):
        append(Instant(microseconds: integer), in: notation, writesZone)
      case .boolean: JSONText.append(integer == 0 ? "false" : "true", to: &bytes)
      default: JSONText.append(integer, to: &bytes)
      }
    case .real(let real): JSONText.append(real, to: &bytes)
    case .text(let text): append(text, in: form)
    case .blob(let blob): append(base64: blob)
    }
  }

  private mutating func append(_ text: Span<UInt8>, in form: borrowing ValueForm) {
    switch form {
    case .date(let pattern):
      let start = bytes.count
      bytes.append(UInt8(ascii: "\""))
      guard pattern.append(date: text, to: &bytes) else {
        bytes.truncate(to: start)
        return append(quoted: text)
      }
      bytes.append(UInt8(ascii: "\""))
    case .json: if !append(json: text) { append(quoted: text) }
    case .anyJSON:
      let start = bytes.count
      guard append(json: text), bytes.span.extracting(start...).hasSameBytes(as: text),
        bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[")
      else {
        bytes.truncate(to: start)
        return append(quoted: text)
      }
    case .plain, .boolean, .decimalComma, .instant: append(quoted: text)
    }
  }

  private mutating func append(
    _ instant: Instant, in notation: InstantNotation, _ writesZone: Bool
  ) {
    if case .sinceEpoch(let length) = notation {
      bytes.append(copying: instant.text(inUnitsOf: length).utf8Span.span)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    switch notation {
    case .pattern(let pattern, let offset):
      pattern.append(instant, offsetMinutes: writesZone ? nil : offset, to: &bytes)
    case .rfc3339(let offset?) where !writesZone:
      DatePattern.iso8601.append(instant, offsetMinutes: offset, to: &bytes)
    default: instant.append(to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
