import POITestSupport
import Testing

@testable import JSONStreaming

@Suite struct ByteLanesTests {
  private func lanes(_ bytes: [UInt8]) -> ByteLanes {
    unsafe bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return ByteLanes(repeating: 0) }
      return unsafe ByteLanes(base, at: 0)
    }
  }

  @Test(arguments: 0..<UInt64(4))
  func `the first equal lane is found`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let pool: [UInt8] = [0x00, 0x01, 0x09, 0x0A, 0x0B, 0x0C, 0x5C, 0x7F, 0x80, 0x8A, 0xFF]
    for _ in 0..<5_000 {
      let bytes = (0..<8).map { _ in pool.randomElement(using: &generator) ?? 0 }
      for byte in pool {
        let found = lanes(bytes).anyEqual(byte)
        let first = bytes.firstIndex(of: byte)
        #expect((found != 0) == (first != nil), "seed \(seed): \(bytes)")
        if let first {
          #expect(found.trailingZeroBitCount / 8 == first, "seed \(seed): \(bytes)")
        }
      }
    }
  }
  @Test(arguments: 0..<UInt64(4))
  func `the first control character is found`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let pool: [UInt8] = [0x00, 0x01, 0x0A, 0x1F, 0x20, 0x21, 0x7F, 0x80, 0x9F, 0xA0, 0xFF]
    for _ in 0..<5_000 {
      let bytes = (0..<8).map { _ in pool.randomElement(using: &generator) ?? 0 }
      let found = lanes(bytes).anyControl
      let first = bytes.firstIndex { $0 < 0x20 }
      #expect((found != 0) == (first != nil), "seed \(seed): \(bytes)")
      if let first {
        #expect(found.trailingZeroBitCount / 8 == first, "seed \(seed): \(bytes)")
      }
    }
  }
}
