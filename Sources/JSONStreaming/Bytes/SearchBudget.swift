/// How far searches for the ends of malformed elements may look in vain: beyond the place that
/// reading then goes on at, so that the bytes are looked at again.
///
/// What is used comes back with the bytes that are delivered. So all searches together look at a
/// number of bytes that is linear in the input, and small inputs are searched without regard to it.
/// It depends on the delivered elements alone and is stored in a position: a reader that resumes
/// goes on with it.
struct SearchBudget: BitwiseCopyable, Equatable {
  /// How many units are used, at most `unitLimit`.
  private(set) var usedUnitCount = 0

  /// Bytes that may be looked at for one unit.
  static let unitSize = 1 << 12

  /// How many units there are in all.
  static let unitLimit = 1 << 9

  /// For so many bytes of the input one unit comes back.
  static let bytesPerUnit = 1 << 8
}

extension SearchBudget {
  /// The budget that a stored number of used units stands for, or nil if none does.
  init?(usedUnitCount: UInt64) {
    guard usedUnitCount <= Self.unitLimit else { return nil }
    self.usedUnitCount = Int(usedUnitCount)
  }

  /// How many bytes may still be looked at.
  var byteCount: Int { (Self.unitLimit - usedUnitCount) * Self.unitSize }

  /// Takes note that so many bytes were looked at in vain.
  mutating func use(_ byteCount: Int) {
    let unitCount = (byteCount + Self.unitSize - 1) / Self.unitSize
    usedUnitCount = min(Self.unitLimit, usedUnitCount + unitCount)
  }

  /// Takes note that the bytes of the input between two offsets have been delivered.
  mutating func refill(_ offsets: Range<Int>) {
    guard usedUnitCount > 0 else { return }
    let unitCount =
      offsets.upperBound / Self.bytesPerUnit - offsets.lowerBound / Self.bytesPerUnit
    usedUnitCount = max(0, usedUnitCount - unitCount)
  }
}
