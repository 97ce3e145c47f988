import POIFuzzTargets
import POITestSupport
import Testing

@Suite struct FuzzTargetTests {
  /// The folder of seeds and past findings.
  private static let corpus =
    "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    + "/Fuzz/Corpus"

  @Test(arguments: FuzzTarget.allCases)
  func `past findings stay fixed`(target: FuzzTarget) throws {
    for folder in target.corpora {
      let names = Files.names(in: "\(Self.corpus)/\(folder)")
      try #require(!names.isEmpty)
      for name in names {
        do {
          try target.run(Files.bytes(of: "\(Self.corpus)/\(folder)/\(name)"))
        } catch {
          Issue.record("\(name): \(error)")
        }
      }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `empty and random input give no findings`(target: FuzzTarget) throws {
    try target.run([])
    for seed in 0..<UInt64(30) {
      var generator = SplitMix64(seed: seed)
      let count = Int.random(in: 1..<200, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      do {
        try target.run(bytes)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  @Test func `random words of a condition give no findings`() throws {
    let words = [
      "id", "name", "at", "open", "area", "\"name\"", "=", "!=", "<", ">=", "~", "like", "in", "is",
      "not",
      "null", "(", ")", "(", ")", ",", "and", "or", "1", "-2.5", "'a'", "'%a_'", "''", "true",
      "2026-01-01", "ß",
    ]
    for seed in 0..<UInt64(TestLength.count(2_000, long: 100_000)) {
      var generator = SplitMix64(seed: seed)
      let count = Int.random(in: 1..<12, using: &generator)
      let text = (0..<count).map { _ in words.randomElement(using: &generator)! }
        .joined(separator: " ")
      do {
        try FuzzTarget.condition.run(Array(text.utf8))
      } catch {
        Issue.record("seed \(seed), \(text): \(error)")
      }
    }
  }

  /// Stores with a changed byte or bit, swapped pages, or a lost end. The seeds are the same each time, so that a
  /// seed that is reported can be run again.
  @Test(.timeLimit(.minutes(60)), arguments: FuzzTarget.ofStores)
  func `a damaged store is refused, or its use ends`(target: FuzzTarget) throws {
    for seed in 0..<UInt64(TestLength.count(100, long: 4_000)) {
      do {
        try target.run(onStoreDamagedBySeed: seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
