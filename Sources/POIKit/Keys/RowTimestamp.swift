/// A timestamp as it orders: a whole number and a fraction.
struct RowTimestamp: Equatable {
  /// The greatest integer that is not greater than the timestamp.
  let whole: Int64

  /// What it is more than `whole`, in units of 2^-62.
  let fraction: UInt64

  static let greatestFraction: UInt64 = 1 << 62 - 1

  /// An integer.
  init(_ integer: Int64) {
    whole = integer
    // Reals below the least integer come before it.
    fraction = integer == .min ? Self.greatestFraction : 0
  }

  /// A real.
  ///
  /// It is exact for reals of a size of 2^-9 and more. Those beyond 64-bit integers keep their
  /// order: the fractions of the greatest and of the least integer, which no other real needs,
  /// number them.
  init(_ real: Double) {
    let stepCount = real.magnitude.bitPattern &- 0x1p63.bitPattern
    if real >= 0x1p63 {
      (whole, fraction) = (.max, stepCount + 1)
    } else if real <= -0x1p63 {
      (whole, fraction) = (.min, Self.greatestFraction - stepCount)
    } else {
      let truncated = Int64(real)
      let floor = Double(truncated) > real ? truncated - 1 : truncated
      whole = floor
      fraction = min(UInt64((real - Double(floor)) * 0x1p62), Self.greatestFraction)
    }
  }
}
