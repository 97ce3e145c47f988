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

  var microsecondsPerUnit: Int64 { 1_000_000 / countPerSecond }

  /// The unit in which all integers within the bounds are instants from 1973 to 2100, or nil.
  init?(of integers: ClosedBounds<Int64>) {
    let unit = EpochUnit.allCases.first {
      integers.areIn(100_000_000 * $0.countPerSecond...4_102_444_800 * $0.countPerSecond)
    }
    guard let unit else { return nil }
    self = unit
  }
}
