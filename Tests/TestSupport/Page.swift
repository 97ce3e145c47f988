import Foundation
import Testing

/// A page of the documentation, parts of which tests write.
public struct Page {
  /// The path of the page in the catalogue.
  public let path: String

  public init(path: String) { self.path = path }

  /// Expects that the page holds `text` between the comments `<!-- part -->` and
  /// `<!-- end of part -->`, or writes it there with `WRITE_PAGES=1` in the environment.
  public func check(part: String, is text: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/POIKit/POIKit.docc").appendingPathComponent(path)
    let page = try String(contentsOf: file, encoding: .utf8)
    let first = try #require(page.range(of: "<!-- \(part) -->\n"))
    let last = try #require(page.range(of: "<!-- end of \(part) -->"))
    if ProcessInfo.processInfo.environment["WRITE_PAGES"] != nil {
      try (page[..<first.upperBound] + text + page[last.lowerBound...])
        .write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(page[first.upperBound..<last.lowerBound] == text)
    }
  }
}
