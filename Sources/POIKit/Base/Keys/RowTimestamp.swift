/// A timestamp in a form that can be compared: a whole number and a fraction.
struct RowTimestamp: Equatable {
  /// The greatest integer that is not greater than the timestamp.
  let whole: Int64

  /// The difference to `whole`, in units of 2^-62.
  let fraction: UInt64

  static let greatestFraction: UInt64 = 1 << 62 - 1

  init(_ integer: Int64) {
    whole = integer
    // Reals below the least integer have a smaller fraction.
    fraction = integer == .min ? Self.greatestFraction : 0
  }

  /// It is exact for reals of a magnitude of at least 2^-9. Reals beyond 64-bit integers keep their
  /// order: they are numbered by the fractions of the greatest and the least integer, which no
  /// other real uses.
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
