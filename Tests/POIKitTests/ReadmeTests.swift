import Foundation
import POIKit
import Testing

@Suite struct ReadmeTests {
  /// Run with `WRITE_README=1` in the environment to bring the README up to date.
  @Test func `the README's table of rules is the catalogue`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../README.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    let (begin, end) = ("<!-- rules -->\n", "<!-- end of rules -->")
    let first = try #require(text.range(of: begin))
    let last = try #require(text.range(of: end))
    let table = RuleDescription.markdownTable
    if ProcessInfo.processInfo.environment["WRITE_README"] != nil {
      try (text[..<first.upperBound] + table + text[last.lowerBound...])
        .write(to: path, atomically: true, encoding: .utf8)
    } else {
      #expect(text[first.upperBound..<last.lowerBound] == table)
    }
  }
}
