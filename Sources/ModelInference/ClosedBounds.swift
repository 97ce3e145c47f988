struct ClosedBounds<Value: Comparable> {
  private(set) var least: Value?
  private(set) var greatest: Value?

  mutating func include(_ value: Value) {
    least = least.map { min($0, value) } ?? value
    greatest = greatest.map { max($0, value) } ?? value
  }

  /// Whether there are values and all of them are in `range`.
  func areIn(_ range: ClosedRange<Value>) -> Bool {
    guard let least, let greatest else { return false }
    return range.contains(least) && range.contains(greatest)
  }
}
