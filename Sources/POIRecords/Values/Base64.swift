/// Base64 (RFC 4648, section 4), for bytes that are not text.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes with padding and without line breaks.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
      }
      for digit in 0..<4 {
        let isPadding = digit > count
        output.append(
          isPadding ? UInt8(ascii: "=") : alphabet[Int(group >> UInt32(18 - 6 * digit)) & 63])
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  static func decode(_ text: String) -> [UInt8]? {
    let input = Array(text.utf8)
    guard input.count % 4 == 0 else { return nil }
    let padding = input.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var output: [UInt8] = []
    var group: UInt32 = 0
    for (index, byte) in input.enumerated() {
      var digit = 0
      if index < input.count - padding {
        guard let found = alphabet.firstIndex(of: byte) else { return nil }
        digit = found
      }
      group = group << 6 | UInt32(digit)
      if index % 4 == 3 {
        for shift in [16, 8, 0] as [UInt32] {
          output.append(UInt8(truncatingIfNeeded: group >> shift))
        }
        group = 0
      }
    }
    output.removeLast(padding)
    return output
  }
}
