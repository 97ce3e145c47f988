import Testing

@testable import POIKit

@Suite struct LandedRangeTests {
  @Test func `a place is one number`() {
    for (rowID, offset, count) in [
      (1, 0, 1), (1, 65_535, 65_535), (2, 7, 65_536), (4_294_967_295, 65_535, 1 << 40),
    ] {
      let place = LandedRange(rowID: Int64(rowID), offset: offset, count: count)
      #expect(LandedRange(number: place.number) == place)
      #expect(place.count == (count <= 65_535 ? count : nil))
    }
  }

  @Test func `places order as the records arrived`() {
    let places = [(1, 0, 65_535), (1, 400, 300), (1, 700, 1), (2, 0, 70_000), (3, 0, 2)]
    let numbers = places.map { LandedRange(rowID: Int64($0), offset: $1, count: $2).number }
    #expect(numbers == numbers.sorted())
  }
}
