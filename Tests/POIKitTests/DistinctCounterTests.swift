import TestSupport
import Testing

@testable import ModelInference
@testable import POIKit

@Suite struct DistinctCounterTests {
  @Test func `few values are counted exactly`() {
    var counter = DistinctCounter()
    var free = 0
    for round in 0..<3 {
      for value in 0..<UInt64(300) where round == 0 || value % 2 == 0 {
        counter.insert(value &* 0x9E37_79B9_7F4A_7C15, freeSlotCount: &free)
      }
    }
    #expect(counter.isExact)
    #expect(counter.count == 300)
    #expect(counter.repeatedCount == 300)
  }

  @Test func `slots are taken while there are free ones`() {
    var counter = DistinctCounter()
    var free = 4_096
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2_000 { counter.insert(generator.next(), freeSlotCount: &free) }
    #expect(counter.isExact)
    #expect(counter.count == 2_000)
    #expect(free == 4_096 - 3_584)
  }

  @Test(arguments: [1, 2, 3])
  func `without free slots the counts are near the truth`(seed: UInt64) {
    var counter = DistinctCounter()
    var free = 0
    var generator = SplitMix64(seed: seed)
    let values = (0..<100_000).map { _ in generator.next() }
    for value in values { counter.insert(value, freeSlotCount: &free) }
    #expect(!counter.isExact)
    #expect(free == 0)
    #expect((75_000...125_000).contains(counter.count), "\(counter.count)")
    #expect(counter.repeatedCount == 0)
    for value in values.prefix(50_000) { counter.insert(value, freeSlotCount: &free) }
    #expect((30_000...70_000).contains(counter.repeatedCount), "\(counter.repeatedCount)")
  }
}
