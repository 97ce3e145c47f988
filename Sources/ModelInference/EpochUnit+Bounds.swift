internal import POIRecords

extension EpochUnit {
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
