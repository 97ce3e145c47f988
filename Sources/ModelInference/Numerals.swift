internal import JSONStreaming
internal import POIRecords

/// What texts in rows are if they are read as numbers and booleans.
struct Numerals {
  /// Integers of 64 bits without leading zeros.
  private(set) var integerCount = 0
  /// Numbers of JSON of at most 17 digits, with a point before the decimals or without any, and with a comma.
  private(set) var pointCount = 0
  private(set) var commaCount = 0
  private(set) var booleanCount = 0
  /// Whether a text begins with a zero before another digit, as codes do.
  private(set) var hasLeadingZero = false
  private var decimalCounts = ClosedBounds<Int>()
  /// Whether a number ends in 0 behind two or more decimals, as versions do.
  private var hasTrailingZero = false
  /// The number of texts such as 01/02/2024, the first one, and the greatest first and second number in them.
  private(set) var dayCount = 0
  private(set) var firstDay = ""
  private(set) var greatestParts = (0, 0)

  private static let digitLimit = 17

  mutating func observe(_ text: Span<UInt8>) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let sign = text.count > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
    guard text.count > sign, digits.contains(text[sign]) else {
      if text.hasSameBytes(as: "true".utf8Span.span) || text.hasSameBytes(as: "false".utf8Span.span)
      {
        booleanCount += 1
      }
      return
    }
    if text[sign] == digits.lowerBound, text.count > sign + 1, digits.contains(text[sign + 1]) {
      let isCode = text.indices.allSatisfy {
        digits.contains(text[$0]) || ".,-".utf8.contains(text[$0])
      }
      if isCode { hasLeadingZero = true }
    }
    if NumberText.isNumber(text) {
      if DecimalText(text).isPlainInteger, case .integer(let value) = NumberText.value(text),
        value != 0 || sign == 0
      {
        integerCount += 1
      }
      if observe(number: text) { pointCount += 1 }
    } else if let number = NumberText.withPoint(text), observe(number: number.span) {
      commaCount += 1
    } else if (8...10).contains(text.count) {
      observeDay(text)
    }
  }

  /// Notes the decimals of a number; false if it has too many digits.
  private mutating func observe(number: Span<UInt8>) -> Bool {
    var (digitCount, decimalCount) = (0, 0)
    var isBehindPoint = false
    var last: UInt8 = 0
    for index in number.indices {
      switch number[index] {
      case 0x30...0x39:
        digitCount += 1
        decimalCount += isBehindPoint ? 1 : 0
        last = number[index]
      case UInt8(ascii: "."): isBehindPoint = true
      case UInt8(ascii: "-"): break
      default:
        decimalCounts.include(decimalCount)
        return digitCount <= Self.digitLimit
      }
    }
    guard digitCount <= Self.digitLimit else { return false }
    decimalCounts.include(decimalCount)
    if decimalCount > 1, last == 0x30 { hasTrailingZero = true }
    return true
  }

  private mutating func observeDay(_ text: Span<UInt8>) {
    let parts = String(copying: text).split(
      omittingEmptySubsequences: false, whereSeparator: { "/.-".contains($0) })
    guard parts.count == 3, parts[2].utf8.count == 4,
      parts.allSatisfy({ $0.allSatisfy(\.isNumber) }),
      let first = Int(parts[0]), let second = Int(parts[1]), 1...31 ~= first, 1...31 ~= second
    else { return }
    if dayCount == 0 { firstDay = String(copying: text) }
    dayCount += 1
    greatestParts = (max(greatestParts.0, first), max(greatestParts.1, second))
  }

  /// Whether the decimals belong to numbers and not to versions, such as 1.10 beside 1.9.
  var haveDecimalsOfNumbers: Bool {
    !hasTrailingZero || decimalCounts.least == decimalCounts.greatest
  }

  /// Whether all numbers with a comma have three decimals, which may be thousands.
  var mayBeThousands: Bool { decimalCounts.least == 3 && decimalCounts.greatest == 3 }
}
