import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ExternalSorterTests {
  private func sorted(_ entries: [CandidateEntry], budget: Int, first: Int) throws -> (
    entries: [CandidateEntry], spilled: Int
  ) {
    var sorter = ExternalSorter<CandidateEntry>(
      memoryBudget: budget, folder: nil, firstByteCount: first)
    for entry in entries { try sorter.append(entry) }
    try sorter.finish()
    var result: [CandidateEntry] = []
    while let entry = try sorter.next() { result.append(entry) }
    return (result, sorter.spilledByteCount)
  }

  private func words(_ entries: [CandidateEntry]) -> [[UInt64]] {
    entries.map { entry in (0..<CandidateEntry.wordCount).map { entry.word($0) } }
  }

  @Test(arguments: [0, 1_000, 10_000, 1 << 20], [0, 700, 1 << 26])
  func `entries come out in order, whatever the budget`(budget: Int, first: Int) throws {
    for seed in TestLength.some(UInt64(1)...12, 4) {
      var generator = SplitMix64(seed: seed)
      let count = Int.random(in: 0...2_000, using: &generator)
      // Few different values in each word, so that every word decides sometimes.
      let bits = UInt64.random(in: 0...3, using: &generator) << UInt64(seed % 8 * 8)
      let entries = (0..<count).map { number in
        CandidateEntry(
          sortKey: SortKey(
            high: generator.next() & bits, low: seed % 3 == 0 ? generator.next() : 7),
          rank: CandidateRank(
            timestamp: RowTimestamp(Int64.random(in: -2...2, using: &generator)),
            isTombstone: Bool.random(using: &generator), keep: .newest),
          rowID: Int64(number) - 50)
      }
      let result = try sorted(entries.shuffled(using: &generator), budget: budget, first: first)
      let expected = words(entries).sorted { $0.lexicographicallyPrecedes($1) }
      #expect(words(result.entries) == expected, "seed \(seed)")
      #expect((result.spilled > 0) == (count > max(budget / 40, 16)), "seed \(seed)")
    }
  }

  @Test func `equal entries all come out`() throws {
    let entry = LoserEntry(loser: 5, winner: 6)
    var sorter = ExternalSorter<LoserEntry>(memoryBudget: 0, folder: nil)
    for _ in 0..<100 { try sorter.append(entry) }
    try sorter.finish()
    var count = 0
    while let next = try sorter.next() {
      #expect(next.loser == 5 && next.winner == 6)
      count += 1
    }
    #expect(count == 100)
  }

  @Test func `memory is not allocated before it is needed`() throws {
    var sorter = ExternalSorter<LoserEntry>(memoryBudget: 1 << 60, folder: nil)
    try sorter.append(LoserEntry(loser: 5, winner: 6))
    try sorter.finish()
    #expect(try sorter.next()?.winner == 6)
    #expect(sorter.spilledByteCount == 0)
  }

  @Test func `a system with less memory gets a smaller first allocation`() throws {
    let entries = (0..<1_000).reversed().map { (number: Int) in
      CandidateEntry(
        sortKey: SortKey(high: UInt64(number), low: 7),
        rank: CandidateRank(timestamp: RowTimestamp(Int64(0)), isTombstone: false, keep: .newest),
        rowID: Int64(number))
    }
    let result = try sorted(entries, budget: 1 << 55, first: 1 << 55)
    #expect(words(result.entries) == words(entries.reversed()))
  }

  @Test func `a sorter without entries is at its end`() throws {
    var sorter = ExternalSorter<LoserEntry>(memoryBudget: 1 << 20, folder: nil)
    try sorter.finish()
    #expect(try sorter.next()?.loser == nil)
  }
}
