import TestSupport
import Testing

@testable import POIRecords

@Suite struct EightBytesTests {
  private func eightBytes(_ text: some Sequence<UInt8>) -> EightBytes {
    EightBytes(text.reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  @Test func `only digits are digits, in every lane`() {
    for lane in 0..<8 {
      for byte in UInt8.min ... .max {
        var bytes = Array("19283746".utf8)
        bytes[lane] = byte
        #expect(eightBytes(bytes).areDigits == (0x30...0x39).contains(byte))
      }
    }
    #expect(!eightBytes(repeatElement(0xFF, count: 8)).areDigits)
  }

  @Test func `eight digits are a number`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<10_000 {
      let number = UInt64.random(in: 0...99_999_999, using: &generator)
      let text = String(String(number + 100_000_000).dropFirst())
      #expect(eightBytes(text.utf8).number == number, "seed \(seed)")
    }
    #expect(eightBytes("00000000".utf8).number == 0)
    #expect(eightBytes("99999999".utf8).number == 99_999_999)
  }

  @Test func `the last bytes are kept after zeros`() {
    for count in 1...8 {
      let kept = eightBytes("12345678".utf8).keepingLast(count)
      let expected = String(repeating: "0", count: 8 - count) + "12345678".suffix(count)
      #expect(kept.word == eightBytes(expected.utf8).word)
    }
  }
}
