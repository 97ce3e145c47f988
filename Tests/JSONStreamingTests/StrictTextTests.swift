import TestSupport
import Testing

@testable import JSONStreaming

@Suite struct StrictTextTests {
  private func flaw(_ bytes: [UInt8], isCut: Bool = false) -> Int? {
    unsafe bytes.withUnsafeBufferPointer { unsafe StrictText.flaw(in: $0, isCut: isCut) }
  }

  @Test func `the boundaries of utf-8 are where the standard has them`() {
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
      #expect(flaw(bytes) == nil, "\(bytes)")
      #expect(flaw(bytes + Array(repeating: 0x41, count: 8)) == nil, "\(bytes)")
    }
    for bytes in unsound {
      for pad in [0, 1, 31, 32, 40] {
        let padded = Array(repeating: UInt8(ascii: "a"), count: pad) + bytes
        // With enough text behind them, bytes are looked at together.
        for end in [0, 3, 8, 70] {
          let found = flaw(padded + Array(repeating: UInt8(ascii: "a"), count: end))
          #expect(found == pad, "\(bytes) before \(end)")
        }
      }
    }
  }

  @Test(arguments: 0..<UInt64(4))
  func `any bytes are utf-8 exactly if Swift says so`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let pool: [UInt8] = [
      0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    for run in 0..<20_000 {
      let count = Int.random(in: 0...(run % 10 == 0 ? 70 : 6), using: &generator)
      let bytes = (0..<count).map { _ in pool.randomElement(using: &generator) ?? 0 }
      let isSound = String(validating: bytes, as: UTF8.self) != nil
      for textCount in [0, 3, 8] {
        let followed = bytes + Array(repeating: 0x41, count: textCount)
        #expect((flaw(followed) == nil) == isSound, "seed \(seed): \(bytes), then text")
      }
    }
  }

  @Test func `a sequence that the end cuts off may be no flaw`() {
    for bytes: [UInt8] in [[0xC2], [0xE1, 0x80], [0xF1, 0x80, 0x80], [0x41, 0xF4]] {
      #expect(flaw(bytes, isCut: true) == nil, "\(bytes)")
    }
  }

  @Test func `escapes of half a surrogate pair and of U+0000 are found`() {
    let table: [(text: String, flaw: Int?, holdsNUL: Bool)] = [
      (#"\ud83d\ude00"#, nil, false), (#"\uD83D\uDE00x"#, nil, false), (#"\ud800"#, 0, false),
      (#"a\udc00"#, 1, false), (#"\ud800\u0041"#, 0, false), (#"\ud800\ud800\udc00"#, 0, false),
      (#"\ud800\n"#, 0, false), (#"\ud800\\ud800"#, 0, false), (#"\\ud800"#, nil, false),
      (#"\\\ud800x"#, 2, false), (#"\u0000"#, nil, true), (#"\\u0000"#, nil, false),
      (#"\ud800\u0000"#, 0, false), (#"\u00e9\u0000\u0000"#, nil, true),
      (#"\udc00\ud800"#, 0, false), (#"\n\\ud800, \t and \ud800"#, 18, false),
    ]
    for (text, flaw, holdsNUL) in table {
      for (input, start) in [("\"\(text)\"\n", 1), ("[\"\(text)\"]", 2), ("{\"\(text)\":1}", 2)] {
        for chunkSize in [1, 2, 3, 5, 100] {
          let event = observe(input, .sequence, chunkSizes: [chunkSize]).first
          switch event {
          case .element(let element):
            #expect(flaw == nil && element.holdsNUL == holdsNUL, "\(input) by \(chunkSize)")
          case .malformed(_, let found, _, _):
            #expect(found.rule == "surrogate-escape", "\(input) by \(chunkSize)")
            #expect(found.byteOffset == flaw.map { start + $0 }, "\(input) by \(chunkSize)")
          default: Issue.record("\(input) by \(chunkSize): \(String(describing: event))")
          }
        }
      }
    }
  }
}
