import Testing

@testable import POIToolSupport

@Suite("editDistance")
struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1),
    ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "xabc", 1), ("kitten", "sitting", 3),
    ("é", "e", 1),
  ])
  func `slips of typing are counted`(first: String, second: String, distance: Int) {
    #expect(editDistance(first, second) == distance)
    #expect(editDistance(second, first) == distance)
  }

  @Test func `the nearest candidate is found, or nil`() {
    let names = ["--batch", "--batch-bytes", "--store"]
    #expect(nearest(to: "--bathc", in: names) == "--batch")
    #expect(nearest(to: "--stroe", in: names) == "--store")
    #expect(nearest(to: "--batch-b", in: names) == "--batch-bytes")
    #expect(nearest(to: "--model", in: names) == nil)
  }
}
