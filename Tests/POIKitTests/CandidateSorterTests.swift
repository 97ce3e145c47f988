import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct CandidateSorterTests {
  /// A timestamp of any kind: missing, whole, with a fraction, or an extreme value.
  private static func timestamp(using generator: inout SplitMix64) -> RowTimestamp? {
    switch Int.random(in: 0...6, using: &generator) {
    case 0: nil
    case 1: RowTimestamp([Int64.min, -1, 0, 1, .max].randomElement(using: &generator)!)
    case 2: RowTimestamp([-0.5, 0.25, 1.5, 0x1p63, -0x1p64].randomElement(using: &generator)!)
    case 3: RowTimestamp(Double(Int64.random(in: -3...3, using: &generator)))
    default: RowTimestamp(Int64.random(in: -3...3, using: &generator))
    }
  }

  private static func entry(using generator: inout SplitMix64) -> CandidateEntry {
    let limit: Int64 = 1 << 60
    let rowIDs = [Int64.min, -limit - 1, -limit, -1, 0, 1, limit - 1, limit, .max]
    return CandidateEntry(
      sortKey: SortKey(high: generator.next() & 1, low: generator.next() & 1 << 63),
      rank: CandidateRank(
        timestamp: timestamp(using: &generator), isTombstone: Bool.random(using: &generator),
        keep: Bool.random(using: &generator) ? .newest : .oldest),
      rowID: Bool.random(using: &generator)
        ? rowIDs.randomElement(using: &generator)! : Int64(generator.next() & 7))
  }

  private static func words(_ entry: CandidateEntry) -> [UInt64] {
    (0..<CandidateEntry.wordCount).map { entry.word($0) }
  }

  @Test func `a compact entry represents the entry and has its order`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var fittingCount = 0
    for _ in 0..<20_000 {
      let (left, right) = (Self.entry(using: &generator), Self.entry(using: &generator))
      guard let one = CompactCandidate(left), let other = CompactCandidate(right) else { continue }
      fittingCount += 1
      #expect(Self.words(one.entry) == Self.words(left), "seed \(seed)")
      #expect(one.precedes(other) == left.precedes(right), "seed \(seed)")
    }
    #expect(fittingCount > 5_000, "seed \(seed)")
  }

  @Test func `only fractions and ids beyond 61 bits do not fit`() {
    func fits(_ timestamp: RowTimestamp?, _ rowID: Int64) -> Bool {
      let rank = CandidateRank(timestamp: timestamp, isTombstone: true, keep: .oldest)
      let key = SortKey(high: 0, low: 0)
      return CompactCandidate(CandidateEntry(sortKey: key, rank: rank, rowID: rowID)) != nil
    }
    let limit: Int64 = 1 << 60
    let whole = [nil, RowTimestamp(Int64.min), RowTimestamp(Int64(7)), RowTimestamp(7.0)]
    for timestamp in whole {
      for rowID in [-limit, 0, limit - 1] { #expect(fits(timestamp, rowID)) }
      for rowID in [Int64.min, -limit - 1, limit, .max] { #expect(!fits(timestamp, rowID)) }
    }
    #expect(!fits(RowTimestamp(0.5), 1))
  }

  @Test(arguments: [0, 1_000, 40_000, 1 << 20])
  func `entries of both kinds come out in order, whatever the budget`(budget: Int) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for round in 0..<12 {
      let count = Int.random(in: 0...2_000, using: &generator)
      // In some rounds the first entry that does not fit comes late, or never.
      let plainCount = [0, count / 2, count][round % 3]
      var entries: [CandidateEntry] = []
      while entries.count < count {
        let entry = Self.entry(using: &generator)
        guard entries.count >= plainCount || CompactCandidate(entry) != nil else { continue }
        entries.append(entry)
      }
      var sorter = CandidateSorter(memoryBudget: budget, folder: nil)
      for entry in entries { try sorter.append(entry) }
      try sorter.finish()
      var sorted: [[UInt64]] = []
      while let entry = try sorter.next() { sorted.append(Self.words(entry)) }
      let expected = entries.map(Self.words).sorted { $0.lexicographicallyPrecedes($1) }
      #expect(sorted == expected, "seed \(seed)")
      #expect(try sorter.next()?.rowID == nil, "seed \(seed)")
    }
  }
}
