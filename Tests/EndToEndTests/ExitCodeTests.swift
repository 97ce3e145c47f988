import Foundation
import POITestSupport
import Testing

/// Compares the exit codes of the tools with the reference.
@Suite struct ExitCodeTests {
  private static func table() throws -> [[String]] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/POIKit/POIKit.docc/Reference/ExitCodes.md")
    let page = try String(contentsOf: path, encoding: .utf8)
    let start = try #require(
      page.range(of: "| code | `poi-import` | `poi-dedup` | `poi-export` | `poi-sync` |\n"))
    return page[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("|") }.dropFirst()
      .map { line in
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
          .map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
      }
  }

  @Test(arguments: [("poi-import", 1), ("poi-dedup", 2), ("poi-export", 3), ("poi-sync", 4)])
  func `help and reference agree on each exit code`(tool: String, column: Int) throws {
    let folder = try ScratchFolder()
    let help = try Tool(tool).run(["--help=all"], in: folder.path).output
    let heading = try #require(help.range(of: "Exit status:\n"))
    let words = help[heading.upperBound...].split(whereSeparator: \.isWhitespace)
    let rows = try Self.table().filter { !$0[column].isEmpty }
    #expect(
      words.joined(separator: " ") == rows.map { "\($0[0]) \($0[column])" }.joined(separator: " "))
  }
}
