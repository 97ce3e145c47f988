import Foundation

/// A page of the documentation with parts that tests write.
public struct Page {
  /// The path of the page in the catalogue.
  public let path: String

  public init(path: String) { self.path = path }

  /// An error in a page.
  public struct Flaw: Error, CustomStringConvertible {
    public let description: String
  }

  /// Checks that the page has `text` between the comments `<!-- part -->` and `<!-- end of part
  /// -->`; writes it there with `WRITE_PAGES=1` in the environment.
  ///
  /// It uses no expectation: the fuzzers build this library without the testing library, which a
  /// static build lacks.
  ///
  /// - Throws: ``Flaw`` if the page has no such part or another text in it.
  public func check(part: String, is text: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/POIKit/POIKit.docc").appendingPathComponent(path)
    let page = try String(contentsOf: file, encoding: .utf8)
    guard let first = page.range(of: "<!-- \(part) -->\n"),
      let last = page.range(of: "<!-- end of \(part) -->")
    else { throw Flaw(description: "\(path) has no part '\(part)'") }
    if ProcessInfo.processInfo.environment["WRITE_PAGES"] != nil {
      try (page[..<first.upperBound] + text + page[last.lowerBound...])
        .write(to: file, atomically: true, encoding: .utf8)
    } else if page[first.upperBound..<last.lowerBound] != text {
      throw Flaw(
        description: "\(path): '\(part)' is other than what the sources say:\n\(text)")
    }
  }
}
