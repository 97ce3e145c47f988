import FuzzTargets
import TestSupport
import Testing

@Suite struct FuzzTargetTests {
  /// The folder of seeds and past findings.
  private static let corpus =
    "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    + "/Fuzz/Corpus"

  @Test(arguments: FuzzTarget.allCases)
  func `past findings stay fixed`(target: FuzzTarget) throws {
    let folder = "\(Self.corpus)/\(target.rawValue)"
    let names = Files.names(in: folder)
    try #require(!names.isEmpty)
    for name in names {
      do {
        try target.run(Files.bytes(of: "\(folder)/\(name)"))
      } catch {
        Issue.record("\(name): \(error)")
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
}
