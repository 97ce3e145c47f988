import POITestSupport
import Testing

@testable import JSONStreaming

@Suite struct StrictTextTests {
  /// The rule and offset of each flaw, and the offsets of U+0000.
  private func findings(
    _ bytes: [UInt8], chunkSize: Int = .max
  ) -> (flaws: [TextFlaw], nuls: [Int]) {
    var strict = StrictText()
    var flaws = GrowableBuffer<TextFlaw>()
    var nuls = GrowableBuffer<Int>()
    var offset = 0
    while offset < bytes.count {
      let end = offset + min(chunkSize, bytes.count - offset)
      unsafe bytes[offset..<end].withUnsafeBufferPointer {
        unsafe strict.inspect($0, byteOffset: offset, flaws: &flaws, nuls: &nuls)
      }
      offset = end
    }
    strict.finish(byteOffset: bytes.count, flaws: &flaws)
    return ((0..<flaws.count).map { flaws[$0] }, (0..<nuls.count).map { nuls[$0] })
  }

  @Test func `the boundaries of utf-8 follow the standard`() {
    let sound: [[UInt8]] = [
      [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xEC, 0xBF, 0xBF],
      [0xED, 0x80, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
      [0xF0, 0x90, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
    ]
    let unsound: [[UInt8]] = [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x7F], [0xC2, 0xC0],
      [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x7F],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ]
    for bytes in sound {
      #expect(findings(bytes).flaws.isEmpty, "\(bytes)")
      #expect(findings(bytes + Array(repeating: 0x41, count: 8)).flaws.isEmpty, "\(bytes)")
    }
    for bytes in unsound {
      for pad in [0, 1, 31, 32, 40] {
        let padded = Array(repeating: UInt8(ascii: "a"), count: pad) + bytes
        // With enough text after them, bytes are checked in blocks.
        for end in [0, 3, 8, 70] {
          let flaws = findings(padded + Array(repeating: UInt8(ascii: "a"), count: end)).flaws
          #expect(flaws.first?.rule == .utf8, "\(bytes) before \(end)")
          #expect(flaws.first?.byteOffset == pad, "\(bytes) before \(end)")
        }
      }
    }
  }

  @Test(arguments: 0..<UInt64(4))
  func `random bytes are utf-8 exactly if Swift says so`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let pool: [UInt8] = [
      0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    for run in 0..<20_000 {
      let count = Int.random(in: 0...(run % 10 == 0 ? 70 : 6), using: &generator)
      let bytes = (0..<count).map { _ in pool.randomElement(using: &generator) ?? 0 }
      let isSound = String(validating: bytes, as: UTF8.self) != nil
      #expect(findings(bytes).flaws.isEmpty == isSound, "seed \(seed): \(bytes)")
      let followed = bytes + Array(repeating: 0x41, count: 8)
      #expect(findings(followed).flaws.isEmpty == isSound, "seed \(seed): \(bytes), then text")
    }
  }

  @Test func `escapes of half a surrogate pair are detected`() {
    let table: [(text: String, flaws: [Int], nuls: [Int])] = [
      (#"\ud83d\ude00"#, [], []), (#"\uD83D\uDE00x"#, [], []), (#"\ud800"#, [0], []),
      (#"a\udc00"#, [1], []), (#"\ud800\u0041"#, [0], []), (#"\ud800\ud800\udc00"#, [0], []),
      (#"\ud800\n"#, [0], []), (#"\ud800\\ud800"#, [0], []), (#"\\ud800"#, [], []),
      (#"\\\ud800x"#, [2], []), (#"\u0000"#, [], [0]), (#"\\u0000"#, [], []),
      (#"\ud800\u0000"#, [0], [6]), (#"\u00e9\u0000\u0000"#, [], [6, 12]),
      (#"\udc00\ud800"#, [0, 6], []), (#"\n\\ud800, \t and \ud800"#, [18], []),
    ]
    for (text, flaws, nuls) in table {
      for chunkSize in [1, 2, 3, 5, 100] {
        let found = findings(Array(text.utf8), chunkSize: chunkSize)
        #expect(found.flaws.map(\.byteOffset) == flaws, "\(text) by \(chunkSize)")
        #expect(found.nuls == nuls, "\(text) by \(chunkSize)")
      }
    }
  }

  @Test(arguments: 0..<UInt64(4))
  func `any split gives the same findings`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let parts = [#"\u"#, "d800", "dc00", "0000", #"\"#, "é", "東", "a", "plain text here "]
    for _ in 0..<300 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        bytes += Array((parts.randomElement(using: &generator) ?? "").utf8)
        if Int.random(in: 0..<9, using: &generator) == 0 { bytes.removeLast() }
      }
      let whole = findings(bytes)
      for chunkSize in [1, 2, 3, 7, 33] {
        let split = findings(bytes, chunkSize: chunkSize)
        #expect(split.flaws == whole.flaws && split.nuls == whole.nuls, "seed \(seed): \(bytes)")
      }
    }
  }
}
