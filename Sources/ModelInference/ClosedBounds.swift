/// The range of the values so far.
struct ClosedBounds<Value: Comparable>: Equatable {
  private(set) var range: ClosedRange<Value>?

  var least: Value? { range?.lowerBound }
  var greatest: Value? { range?.upperBound }

  mutating func include(_ value: Value) {
    let range = range ?? value...value
    self.range = min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// Whether there are values and all of them are in `limits`.
  func areIn(_ limits: ClosedRange<Value>) -> Bool {
    range.map { $0.clamped(to: limits) == $0 } ?? false
  }
}
