import JSONStreaming
import POITestSupport
import Testing

@Suite struct TableHashTests {
  /// A known factor, with which collisions could be constructed, and its inverse modulo 2^64.
  private static let (factor, inverse) = (
    UInt64(0x9E37_79B9_7F4A_7C15), UInt64(0x9E37_79B9_7F4A_7C15).inverse
  )

  @Test(arguments: [0, 29, 40, 54])
  func `words that collide under a known factor spread over the buckets`(shift: UInt64) {
    let hashes = (0..<1000).map { number in
      var hash = TableHash()
      hash.add((UInt64(number) << shift) &* Self.inverse)
      return hash.value
    }
    #expect(hashes.bucketCount > 800)
  }

  @Test func `texts that collide under a known factor spread over the buckets`() {
    let hashes = (0..<1000).map { number in
      let first = UInt64(number) &* Self.inverse
      var second = (16 &* Self.factor ^ first) &* Self.factor
      second ^= second >> 32
      let bytes = [first, second].flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xFF) } }
      return bytes.span.tableHash
    }
    #expect(hashes.bucketCount > 800)
  }

  @Test func `equal bytes have equal hashes and others do not`() {
    var texts = (0..<40).map { [UInt8](repeating: 0, count: $0) }
    texts += (1..<40).map { [UInt8](repeating: 0, count: $0) + [1] }
    texts += (1..<40).map { [1] + [UInt8](repeating: 0, count: $0) }
    let hashes = texts.map { $0.span.tableHash }
    #expect(Set(hashes).count == texts.count)
    #expect(texts.map { $0.span.tableHash } == hashes)
  }
}
