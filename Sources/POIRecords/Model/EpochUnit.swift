/// A value of the keyword `x-unit`: a unit of time since 1970.
package enum EpochUnit: String, Sendable, CaseIterable {
  case seconds, milliseconds, microseconds

  package var microsecondsPerUnit: Int64 {
    switch self {
    case .seconds: 1_000_000
    case .milliseconds: 1_000
    case .microseconds: 1
    }
  }

  /// The unit in which a number is an instant from 1973 to 2100, or nil.
  package init?(of number: Double) {
    let unit = EpochUnit.allCases.first {
      let count = Double(1_000_000 / $0.microsecondsPerUnit)
      return (100_000_000 * count...4_102_444_800 * count).contains(number)
    }
    guard let unit else { return nil }
    self = unit
  }
}
