import POITestSupport
import Testing

@testable import ModelInference

@Suite struct DistinctCounterTests {
  @Test func `few values are counted exactly`() {
    var counter = DistinctCounter()
    var scope = DistinctCounter.Scope(hashCount: 0)
    for round in 0..<3 {
      for value in 0..<UInt64(200) where round == 0 || value % 2 == 0 {
        counter.insert(value &* 0x9E37_79B9_7F4A_7C15, scope: &scope)
      }
    }
    #expect(counter.isExact)
    #expect(counter.count == 200)
    #expect(counter.repeatedCount == 200)
  }

  @Test func `hashes are kept while there is room for them`() {
    var counter = DistinctCounter()
    var scope = DistinctCounter.Scope(hashCount: 4_096)
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2_000 { counter.insert(generator.next(), scope: &scope) }
    #expect(counter.isExact)
    #expect(counter.count == 2_000)
    #expect(scope.hashCount == 4_096 - (2_000 - DistinctCounter.ownLimit))
  }

  @Test func `without room only the first values are counted`() {
    var counter = DistinctCounter()
    var scope = DistinctCounter.Scope(hashCount: 1_000 - DistinctCounter.ownLimit)
    var generator = SplitMix64(seed: 2)
    let values = (0..<10_000).map { _ in generator.next() }
    for value in values { counter.insert(value, scope: &scope) }
    #expect(!counter.isExact)
    #expect(scope.hashCount == 0)
    #expect(counter.count == 1_000)
    #expect(counter.repeatedCount == 0)
    for value in values.prefix(5_000) { counter.insert(value, scope: &scope) }
    #expect(counter.repeatedCount == 1_000)
  }
}
