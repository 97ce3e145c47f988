/// Decoder of JSON string escapes.
enum EscapedText {
  /// The text of a string whose raw content is `raw`; invalid escapes are kept as written.
  static func unescaped(_ raw: [UInt8]) -> String {
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    var units: [UInt16] = []
    var text = ""
    var index = 0
    var plain: [UInt8] = []
    func flush() {
      text += String(decoding: plain, as: UTF8.self) + String(decoding: units, as: UTF16.self)
      plain = []
      units = []
    }
    while index < raw.count {
      let rest = raw[index...]
      if let unit = codeUnit(of: rest) {
        if !plain.isEmpty { flush() }
        units.append(unit)
        index += 6
        continue
      }
      if !units.isEmpty { flush() }
      if let byte = escapedByte(of: rest) {
        plain.append(byte)
        index += 2
      } else {
        plain.append(raw[index])
        index += 1
      }
    }
    flush()
    return text
  }

  /// The UTF-16 code unit of a leading `\u` escape, or nil.
  private static func codeUnit(of bytes: ArraySlice<UInt8>) -> UInt16? {
    guard bytes.starts(with: Array("\\u".utf8)), bytes.count >= 6 else { return nil }
    let digits = bytes.dropFirst(2).prefix(4)
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// The character of a leading two-byte escape, or nil.
  private static func escapedByte(of bytes: ArraySlice<UInt8>) -> UInt8? {
    guard bytes.first == UInt8(ascii: "\\") else { return nil }
    return switch bytes.dropFirst().first {
    case UInt8(ascii: "\""): UInt8(ascii: "\"")
    case UInt8(ascii: "\\"): UInt8(ascii: "\\")
    case UInt8(ascii: "/"): UInt8(ascii: "/")
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }
}
