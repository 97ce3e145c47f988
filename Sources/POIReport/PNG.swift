/// Images of one colour as files in the format PNG.
///
/// Pages: PNG (Third Edition), W3C; RFC 1950 and 1951
enum PNG {
  /// Encodes an image with 4 bits for a pixel.
  ///
  /// - Parameters:
  ///   - levels: the pixels row by row; 0 is transparent, 15 opaque.
  ///   - width: the number of pixels in a row.
  ///   - color: red, green and blue.
  static func encode(_ levels: [UInt8], width: Int, color: [UInt8]) -> [UInt8] {
    let height = levels.count / width
    var rows: [UInt8] = []
    for row in 0..<height {
      rows.append(0)
      for place in stride(from: row * width, to: (row + 1) * width, by: 2) {
        rows.append(levels[place] << 4 | (place + 1 < (row + 1) * width ? levels[place + 1] : 0))
      }
    }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    append("IHDR", bytes(of: width) + bytes(of: height) + [4, 3, 0, 0, 0], to: &file)
    append("PLTE", (0..<16).flatMap { _ in color }, to: &file)
    append("tRNS", [0] + (1...15).map { UInt8(135 + $0 * 8) }, to: &file)
    append("IDAT", [0x78, 0x01] + deflate(rows) + bytes(of: adler32(rows)), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  private static func bytes(of number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
    let chunk = Array(type.utf8) + content
    let crc = chunk.reduce(~UInt32(0)) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    file += bytes(of: content.count) + chunk + bytes(of: Int(~crc))
  }

  private static func adler32(_ bytes: [UInt8]) -> Int {
    let (low, high) = bytes.reduce((1, 0)) { sums, byte in
      let low = (sums.0 + Int(byte)) % 65_521
      return (low, (sums.1 + low) % 65_521)
    }
    return high << 16 | low
  }

  /// Compresses runs of equal bytes, in one block with the fixed code.
  private static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var (buffer, bitCount) = (0, 0)
    /// Appends the bits of a code, the highest first.
    func append(_ code: Int, _ count: Int) {
      for bit in (0..<count).reversed() {
        buffer |= (code >> bit & 1) << bitCount
        bitCount += 1
      }
      while bitCount >= 8 {
        output.append(UInt8(truncatingIfNeeded: buffer))
        (buffer, bitCount) = (buffer >> 8, bitCount - 8)
      }
    }
    // The last block, and its kind.
    append(0b110, 3)
    var place = 0
    while place < bytes.count {
      let byte = Int(bytes[place])
      append(byte < 144 ? byte + 0x30 : byte + 0x100, byte < 144 ? 8 : 9)
      place += 1
      var count = bytes[place...].prefix(1 << 16).prefix { Int($0) == byte }.count
      // The lengths without further bits, 258 and 3 to 10, at distance 1.
      while count >= 3 {
        let length = count >= 258 ? 258 : min(count, 10)
        append(length == 258 ? 0xC5 : length - 2, length == 258 ? 8 : 7)
        append(0, 5)
        (place, count) = (place + length, count - length)
      }
    }
    append(0, 7)
    append(0, 7)
    return output
  }
}
