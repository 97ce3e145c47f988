import JSONStreaming
import POITestSupport
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

  @Test func `bytes that a JSON string has as they are`() {
    for byte in UInt8.min ... .max {
      let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
      for place in 0..<8 {
        for other in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] as [UInt8] {
          var bytes = [UInt8](repeating: other, count: 8)
          bytes[place] = byte
          #expect(eightBytes(bytes).arePlainASCII == isPlain, "\(bytes)")
        }
      }
    }
  }

  @Test func `a plain text is quoted as every text is`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for count in 0..<40 {
      for _ in 0..<20 {
        let text = (0..<count).map { _ in UInt8.random(in: 0x18...0x80, using: &generator) % 0x80 }
        var plain = GrowableBuffer<UInt8>()
        var quoted = GrowableBuffer<UInt8>()
        JSONText.appendQuoted(text.span, to: &quoted)
        let isPlain = JSONText.appendPlain(text.span, to: &plain)
        #expect(isPlain == (quoted.count == count + 2), "seed \(seed)")
        #expect(plain.count == 0 || plain.span.hasSameBytes(as: quoted.span), "seed \(seed)")
      }
    }
  }
}
