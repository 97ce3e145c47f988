import Foundation
import Testing

/// The parts of the README that tests write.
enum Readme {
  /// Expects that the README holds `text` between the comments `<!-- part -->` and
  /// `<!-- end of part -->`, or writes it there with `WRITE_README=1` in the environment.
  static func check(part: String, is text: String) throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../README.md")
    let readme = try String(contentsOf: path, encoding: .utf8)
    let first = try #require(readme.range(of: "<!-- \(part) -->\n"))
    let last = try #require(readme.range(of: "<!-- end of \(part) -->"))
    if ProcessInfo.processInfo.environment["WRITE_README"] != nil {
      try (readme[..<first.upperBound] + text + readme[last.lowerBound...])
        .write(to: path, atomically: true, encoding: .utf8)
    } else {
      #expect(readme[first.upperBound..<last.lowerBound] == text)
    }
  }
}
