import JSONStreaming
import POITestSupport
import Testing

@testable import POIRecords

@Suite struct UUIDTextTests {
  private let valid = Array("1975db51-5A45-4fd6-aC54-46ca6042C710".utf8)

  /// The text appended to one byte; nil if the text is refused.
  private func canonical(_ text: [UInt8]) -> [UInt8]? {
    var output = GrowableBuffer<UInt8>(minimumCapacity: 1)
    output.append(7)
    let isUUID = UUIDText.appendCanonical(text.span, to: &output)
    let bytes = output.span.indices.map { output[$0] }
    guard bytes.first == 7, isUUID || bytes.count == 1 else { return [] }
    return isUUID ? Array(bytes.dropFirst()) : nil
  }

  /// The bytewise reference.
  private func expected(_ text: [UInt8]) -> [UInt8]? {
    guard text.count == 36 else { return nil }
    for (index, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "-"): guard [8, 13, 18, 23].contains(index) else { return nil }
      case 0x30...0x39, 0x41...0x46, 0x61...0x66:
        guard ![8, 13, 18, 23].contains(index) else { return nil }
      default: return nil
      }
    }
    return Array(String(decoding: text, as: UTF8.self).uppercased().utf8)
  }

  @Test func `a uuid is appended in upper case`() {
    #expect(canonical(valid) == Array("1975DB51-5A45-4FD6-AC54-46CA6042C710".utf8))
  }

  @Test func `every byte at every index is converted as by the bytewise reference`() {
    for index in valid.indices {
      for byte in UInt8.min ... .max {
        var text = valid
        text[index] = byte
        #expect(canonical(text) == expected(text), "\(byte) at \(index)")
      }
    }
  }

  @Test func `a text of another length is not a uuid`() {
    for count in 0..<36 { #expect(canonical(Array(valid.prefix(count))) == nil) }
    #expect(canonical(valid + [0x30]) == nil)
  }

  @Test func `random texts of hexadecimal digits, hyphens and a little else`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let alphabet = Array("0123456789abcdefABCDEF".utf8)
    for _ in 0..<20_000 {
      var text = (0..<36).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      for index in [8, 13, 18, 23] { text[index] = UInt8(ascii: "-") }
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        text[Int.random(in: 0..<36, using: &generator)] = UInt8(
          truncatingIfNeeded: generator.next())
      }
      #expect(canonical(text) == expected(text), "seed \(seed): \(text)")
    }
  }
}
