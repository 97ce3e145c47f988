import Testing

@testable import POIKit

@Suite struct StoredValueTests {
  @Test func `all values have one order, by type and then by content`() {
    let values: [StoredValue] = [
      .integer(-1), .integer(2), .real(0.5), .real(2), .text([]), .text([97]), .blob([]),
      .blob([0, 1]),
    ]
    for (index, left) in values.enumerated() {
      for (otherIndex, right) in values.enumerated() {
        #expect(left.precedes(right) == (index < otherIndex), "\(left) \(right)")
      }
    }
  }

  @Test func `only numbers of one kind are less, and only numbers are numbers`() {
    #expect(StoredValue.integer(1).isLess(than: .integer(2)))
    #expect(StoredValue.real(1).isLess(than: .real(2)))
    #expect(!StoredValue.text([48]).isLess(than: .text([49])))
    #expect(StoredValue.integer(2).real == 2 && StoredValue.real(0.5).real == 0.5)
    #expect(StoredValue.text([49]).real == nil && StoredValue.blob([]).real == nil)
  }
}
