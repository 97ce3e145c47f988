import POIKit
import Testing

@Suite struct ReadmeTests {
  /// Run with `WRITE_README=1` in the environment to bring the README up to date.
  @Test func `the README's table of rules is the catalogue`() throws {
    try Readme.check(part: "rules", is: RuleDescription.markdownTable)
  }
}
