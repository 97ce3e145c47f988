internal import JSONStreaming

/// A number that keeps 64-bit integers exact.
package enum Number: BitwiseCopyable, Sendable, Equatable, CustomStringConvertible {
  case integer(Int64)
  case real(Double)

  /// The number in a lexeme; infinity beyond the range of a double.
  package init(_ lexeme: Span<UInt8>) {
    switch NumberText.value(lexeme) {
    case .integer(let value): self = .integer(value)
    case .real(let value, _): self = .real(value)
    case .tooLarge:
      self = .real(lexeme[0] == UInt8(ascii: "-") ? -Double.infinity : Double.infinity)
    }
  }

  /// The nearest double.
  package var real: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  package var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    }
  }

  package static func == (left: Number, right: Number) -> Bool {
    left.compare(right) == 0
  }

  /// Compares exactly: negative, zero or positive if `self` is less than, equal to or greater than `other`.
  package func compare(_ other: Number) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)):
      return (left > right ? 1 : 0) - (left < right ? 1 : 0)
    case (.integer(let left), .real(let right)): return Number.compare(left, right)
    case (.real(let left), .integer(let right)): return -Number.compare(right, left)
    case (.real(let left), .real(let right)): return (left > right ? 1 : 0) - (left < right ? 1 : 0)
    }
  }

  private static func compare(_ left: Int64, _ right: Double) -> Int {
    // 2^63 is the smallest double above every 64-bit integer.
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right.rounded(.down))
    if left != whole { return left > whole ? 1 : -1 }
    return right > right.rounded(.down) ? -1 : 0
  }
}
