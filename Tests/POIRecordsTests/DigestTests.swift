import POIRecords
import Testing

@Suite struct DigestTests {
  @Test func `a sum carries into the upper half and wraps at 128 bits`() {
    let most = Digest(high: .max, low: .max)
    let one = Digest(high: 0, low: 1)
    #expect(Digest(high: 5, low: .max) + one == Digest(high: 6, low: 0))
    #expect(most + one == .zero)
    #expect(most + most == Digest(high: .max, low: .max - 1))
    var sum = Digest.zero
    sum += most
    #expect(sum == most)
  }

  @Test func `the upper half decides the order`() {
    #expect(Digest(high: 0, low: .max) < Digest(high: 1, low: 0))
    #expect(Digest(high: 1, low: 0) < Digest(high: 1, low: 1))
    #expect(Digest(high: 1, low: 1) >= Digest(high: 1, low: 1))
  }

  @Test func `the description has 32 digits`() {
    #expect(Digest.zero.description == String(repeating: "0", count: 32))
    #expect(Digest(high: 0xab, low: 1).description == "00000000000000ab0000000000000001")
  }
}
