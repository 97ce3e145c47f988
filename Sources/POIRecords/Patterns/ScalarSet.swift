/// A set of Unicode scalar values: a class of a regular expression.
struct ScalarSet: Equatable {
  var ranges: [ClosedRange<UInt32>] = []

  /// Properties whose scalars are members too, in Swift's notation: `\p{Lu}`, `\P{Lu}`.
  var properties: [String] = []

  var isNegated = false

  /// `\d`
  static let digits = ScalarSet(ranges: [0x30...0x39])

  /// `\w`: a letter or digit of ASCII, or `_`.
  static let wordCharacters = ScalarSet(ranges: [
    0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A,
  ])

  /// `\s`: `WhiteSpace` and `LineTerminator` of ECMA-262.
  static let whiteSpace = ScalarSet(ranges: [
    0x9...0xD, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
    0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])

  /// `.`: all but line terminators.
  static let withinLine = ScalarSet(
    ranges: [0xA...0xA, 0xD...0xD, 0x2028...0x2029], isNegated: true)

  var negated: ScalarSet {
    ScalarSet(ranges: ranges, properties: properties, isNegated: !isNegated)
  }

  /// Adds the members of a set that is not itself a union.
  mutating func formUnion(_ other: ScalarSet) {
    properties += other.properties
    ranges += other.isNegated ? Self.gaps(between: other.ranges) : other.ranges
  }

  private static func gaps(between ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var gaps: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    for range in ranges {
      if start < range.lowerBound { gaps.append(start...range.lowerBound - 1) }
      start = range.upperBound + 1
    }
    return gaps + [start...0x10FFFF]
  }
}

extension ScalarSet {
  init(_ scalar: Unicode.Scalar) { self.init(ranges: [scalar.value...scalar.value]) }
}
