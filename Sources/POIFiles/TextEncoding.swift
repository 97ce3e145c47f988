internal import JSONStreaming

/// An encoding other than UTF-8 that an input can be read in. UTF-16 is found by its byte-order mark.
public enum TextEncoding: String, Sendable, Hashable, CaseIterable {
  /// ISO 8859-1: each byte is the character of its number.
  case latin1
  /// Latin 1 with other characters at 0x80 to 0x9F, among them the euro sign.
  case windows1252 = "windows-1252"

  /// The characters from 0x80 to 0x9F.
  ///
  /// Page: https://encoding.spec.whatwg.org/index-windows-1252.txt
  static let windowsCharacters: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]
}

/// Converts text to UTF-8 piece by piece.
struct TextDecoder: ~Copyable {
  /// The forms of the input.
  private enum Form {
    case bytes(TextEncoding)
    case utf16(isBigEndian: Bool)
  }

  private let form: Form
  /// What is converted and not yet taken.
  private var text = GrowableBuffer<UInt8>()
  private var takenCount = 0
  /// The first byte of a UTF-16 unit, and the first unit of a pair.
  private var firstByte: UInt8?
  private var firstUnit: UInt32?

  /// The byte-order marks of UTF-16.
  static let marks: [[UInt8]] = [[0xFE, 0xFF], [0xFF, 0xFE]]

  /// A decoder for an input that begins with some bytes; nil if it is read as it is.
  init?(_ encoding: TextEncoding?, contentPrefix first: [UInt8]) {
    // The mark of UTF-32 begins with one of UTF-16.
    if first.starts(with: Self.marks[0])
      || first.starts(with: Self.marks[1]) && !first.dropFirst(2).starts(with: [0, 0])
    {
      form = .utf16(isBigEndian: first.starts(with: Self.marks[0]))
    } else if let encoding {
      form = .bytes(encoding)
    } else {
      return nil
    }
  }

  var isEmpty: Bool { takenCount == text.count }

  /// Converts the next bytes. A unit that is cut off by the end of the input, and half of a surrogate pair, become bytes
  /// that are not UTF-8.
  mutating func append(_ bytes: [UInt8]) {
    text.removeAll()
    takenCount = 0
    switch form {
    case .bytes(let encoding):
      for byte in bytes {
        if byte < 0x80 {
          text.append(byte)
        } else if encoding == .windows1252, byte < 0xA0 {
          append(UInt32(TextEncoding.windowsCharacters[Int(byte) - 0x80]))
        } else {
          append(UInt32(byte))
        }
      }
    case .utf16(let isBigEndian):
      for byte in bytes {
        guard let first = firstByte.take() else {
          firstByte = byte
          continue
        }
        let (high, low) = isBigEndian ? (first, byte) : (byte, first)
        append(unit: UInt32(high) << 8 | UInt32(low))
      }
      guard bytes.isEmpty else { return }
      if let unit = firstUnit.take() { append(unit) }
      if firstByte.take() != nil { text.append(0xFF) }
    }
  }

  private mutating func append(unit: UInt32) {
    if let first = firstUnit.take() {
      if unit & 0xFC00 == 0xDC00 {
        return append(0x1_0000 + (first & 0x3FF) << 10 + unit & 0x3FF)
      }
      append(first)
    }
    if unit & 0xFC00 == 0xD800 { firstUnit = unit } else { append(unit) }
  }

  /// Appends the UTF-8 of a number, also of half a surrogate pair.
  private mutating func append(_ scalar: UInt32) {
    func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
    switch scalar {
    case 0..<0x80: text.append(UInt8(scalar))
    case 0..<0x800:
      text.append(UInt8(0xC0 | scalar >> 6))
      text.append(continuation(0))
    case 0..<0x1_0000:
      text.append(UInt8(0xE0 | scalar >> 12))
      text.append(continuation(6))
      text.append(continuation(0))
    default:
      text.append(UInt8(0xF0 | scalar >> 18))
      text.append(continuation(12))
      text.append(continuation(6))
      text.append(continuation(0))
    }
  }

  /// Appends what was converted, as far as there is room.
  mutating func take(into output: inout OutputSpan<UInt8>) {
    let count = min(text.count - takenCount, output.freeCapacity)
    for index in takenCount..<takenCount + count { output.append(text[index]) }
    takenCount += count
  }
}
