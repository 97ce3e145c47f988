/// A 128-bit hash of a record's canonical content, or the sum of such hashes over a table.
///
/// Tables with the same records have the same sum, regardless of row order and row ids.
public struct Digest: Sendable, Hashable, BitwiseCopyable {
  /// The upper 64 bits.
  public var high: UInt64

  /// The lower 64 bits.
  public var low: UInt64

  /// A digest with the given halves.
  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The digest of an empty table.
  public static let zero = Digest(high: 0, low: 0)
}

extension Digest: Comparable {
  /// Compares the digests as unsigned numbers.
  @inlinable public static func < (left: Digest, right: Digest) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }
}

extension Digest {
  /// The sum modulo 2^128.
  @inlinable public static func + (left: Digest, right: Digest) -> Digest {
    let (low, carries) = left.low.addingReportingOverflow(right.low)
    return Digest(high: left.high &+ right.high &+ (carries ? 1 : 0), low: low)
  }

  /// Subtracts `right` modulo 2^128.
  @inlinable public static func -= (left: inout Digest, right: Digest) {
    let (low, borrows) = left.low.subtractingReportingOverflow(right.low)
    left = Digest(high: left.high &- right.high &- (borrows ? 1 : 0), low: low)
  }

  /// Adds `right` modulo 2^128.
  @inlinable public static func += (left: inout Digest, right: Digest) {
    left = left + right
  }
}

extension Digest: CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  public var description: String {
    func digits(_ half: UInt64) -> String {
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return digits(high) + digits(low)
  }
}

extension Digest {
  /// 16 bytes in little-endian order, as MurmurHash3 returns them.
  package var bytes: [UInt8] {
    [low, high].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64($0 * 8)) }
    }
  }

  /// A digest from 16 bytes in little-endian order; nil for any other count.
  package init?(bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    (low, high) = (0, 0)
    for index in 0..<8 {
      low |= UInt64(bytes[index]) << UInt64(index * 8)
      high |= UInt64(bytes[index + 8]) << UInt64(index * 8)
    }
  }
}
