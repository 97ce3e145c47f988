import POITestSupport
import Testing

@testable import POIReport

struct PNGTests {
  /// Decodes a PNG with the modules of Python, which check its sums, and prints the size and the pixels.
  private static let decoder = """
    import struct, sys, zlib
    data, place, pixels = open(sys.argv[1], "rb").read(), 8, b""
    assert data[:8] == b"\\x89PNG\\r\\n\\x1a\\n"
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        content = data[place + 8:place + 8 + size]
        assert struct.unpack(">I", data[place + 8 + size:place + 12 + size])[0] == zlib.crc32(kind + content)
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", content[:10])
            assert (depth, color) == (4, 3)
        if kind == b"IDAT":
            pixels += content
        place += 12 + size
    rows, length = zlib.decompress(pixels), (width + 1) // 2 + 1
    assert len(rows) == height * length and kind == b"IEND"
    print(width, height, end=" ")
    for row in range(height):
        line = rows[row * length:(row + 1) * length]
        assert line[0] == 0
        print("".join(f"{byte:02x}" for byte in line[1:])[:width], end="")
    """

  @Test(arguments: [1, 2, 3, 7, 258, 259, 700])
  func `the pixels that Python decodes are those that were encoded`(width: Int) throws {
    let folder = try ScratchFolder()
    var random = SplitMix64(seed: UInt64(width))
    for runLength in [1, 3, 11, 300, 5_000] {
      var levels: [UInt8] = []
      while levels.count < width * 20 {
        let level = UInt8.random(in: 0...15, using: &random)
        levels += [UInt8](repeating: level, count: Int.random(in: 1...runLength, using: &random))
      }
      levels.removeLast(levels.count - width * 20)
      try folder.write(PNG.encode(levels, width: width, color: [1, 2, 3]), to: "image.png")
      let decoded = try Tool(path: "/usr/bin/env").run(
        ["python3", "-c", Self.decoder, "image.png"], in: folder.path)
      let digits = levels.map { String($0, radix: 16) }.joined()
      #expect(decoded.output == "\(width) 20 \(digits)", "\(decoded.messages)")
    }
  }
}
