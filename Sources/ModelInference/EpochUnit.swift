internal import POIRecords

/// A value of the keyword `x-unit`: a unit of time since 1970.
enum EpochUnit: String, CaseIterable {
  case seconds, milliseconds, microseconds

  private var countPerSecond: Int64 {
    switch self {
    case .seconds: 1
    case .milliseconds: 1_000
    case .microseconds: 1_000_000
    }
  }

  private var microsecondsPerUnit: Int64 { 1_000_000 / countPerSecond }

  /// The unit in which a number is an instant from 1973 to 2100, or nil.
  init?(of number: Double) {
    let unit = EpochUnit.allCases.first {
      let count = Double($0.countPerSecond)
      return (100_000_000 * count...4_102_444_800 * count).contains(number)
    }
    guard let unit else { return nil }
    self = unit
  }

  /// The instants of numbers in this unit, in microseconds since 1970; nil if one is outside the years 0 to 9999.
  func instants(of numbers: ClosedBounds<Double>) -> ClosedBounds<Int64>? {
    var instants = ClosedBounds<Int64>()
    for bound in [numbers.least, numbers.greatest] {
      guard let bound,
        let instant = Int64(exactly: (bound * Double(microsecondsPerUnit)).rounded()),
        Instant.range.contains(instant)
      else { return nil }
      instants.include(instant)
    }
    return instants
  }
}
