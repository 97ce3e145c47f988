package import JSONStreaming

/// A moment in time, in microseconds.
///
/// A store keeps an instant as one integer, which sorts by time.
public struct Instant: Sendable, Hashable {
  /// The number of microseconds since the start of 1970 in UTC, without leap seconds.
  public var microseconds: Int64

  /// The instant `microseconds` after the start of 1970 in UTC.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }
}

extension Instant: Comparable {
  /// Whether `left` is earlier.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension Instant {
  /// The years 0000 to 9999, the range of RFC 3339, in microseconds since 1970-01-01T00:00:00Z.
  package static let range: ClosedRange<Int64> =
    -62_167_219_200_000_000...253_402_300_799_999_999

  /// The most bytes of RFC 3339 text in UTC with at most six digits of a second.
  static let plainByteCount = 27

  /// The instant later by `duration`, truncated to microseconds and clamped to 64 bits.
  package func advanced(by duration: Duration) -> Instant {
    // The components of other durations do not fit 64 bits.
    guard duration <= .seconds(Int64.max) else { return Instant(microseconds: .max) }
    guard duration >= .seconds(Int64.min) else { return Instant(microseconds: .min) }
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (distance, isTooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    let (sum, overflows) = microseconds.addingReportingOverflow(distance)
    guard !overflow, !isTooFar, !overflows else {
      return Instant(microseconds: seconds < 0 ? .min : .max)
    }
    return Instant(microseconds: sum)
  }

  /// Reads a date with a time; nil if `text` is not valid.
  ///
  /// `T`, `t` or one space separates date and time. A fraction of a second can have any number of digits;
  /// digits after the sixth are dropped. Second 60 is valid only in the last minute of a month in UTC (a
  /// leap second), and means the start of the next month.
  ///
  /// - Precondition: the default offset is less than a day in either direction.
  /// - Parameters:
  ///   - text: UTF-8 that consists of the date and time only.
  ///   - defaultOffsetMinutes: the offset of texts without a zone, in minutes east of UTC; nil refuses them.
  ///
  /// Page: RFC 3339, section 5.6
  public init?(rfc3339 text: Span<UInt8>, defaultOffsetMinutes: Int? = nil) {
    precondition(-1_440 < defaultOffsetMinutes ?? 0 && defaultOffsetMinutes ?? 0 < 1_440)
    if let seconds = Instant.seconds(ofCommonForm: text) {
      self.init(seconds: seconds, rest: text, defaultOffsetMinutes: defaultOffsetMinutes)
    } else {
      self.init(anyForm: text, defaultOffsetMinutes: defaultOffsetMinutes)
    }
  }

  /// The seconds since 1970 of the first 19 bytes, such as `2024-02-29T12:30:00`, read as UTC; nil if they
  /// are invalid, have another form or second 60.
  @inline(__always)
  static func seconds(ofCommonForm text: Span<UInt8>) -> Int? {
    guard text.count >= 19 else { return nil }
    // `YYYY-MM-`, `DDTHH:MM` and `HH:MM:SS`.
    let (first, second, third) = unsafe text.withUnsafeBytes { text in
      let bytes = unsafe text.baseAddress.unsafelyUnwrapped
      return unsafe (
        EightBytes(bytes, at: 0), EightBytes(bytes, at: 8), EightBytes(bytes, at: 11)
      )
    }
    let word1 = first.word ^ 0x2D00_002D_0000_0000
    let word2 = second.word ^ 0x0000_3A00_0054_0000
    let word3 = third.word ^ 0x0000_3A00_003A_0000
    // Correct separators are 0 now. Replace them by the digit 0.
    let separators =
      word1 & 0xFF00_00FF_0000_0000 | (word2 | word3) & 0x0000_FF00_00FF_0000
    let date = EightBytes(word1 | 0x3000_0030_0000_0000)
    let dayAndTime = EightBytes(word2 | 0x0000_3000_0030_0000)
    let time = EightBytes(word3 | 0x0000_3000_0030_0000)
    guard separators == 0, date.areDigits, dayAndTime.areDigits, time.areDigits else { return nil }
    func pair(_ pairs: UInt64, inLane lane: UInt64) -> Int {
      Int(truncatingIfNeeded: pairs &>> (8 &* lane) & 0xFF)
    }
    let datePairs = date.digitPairs
    let timePairs = time.digitPairs
    let hour = pair(timePairs, inLane: 0)
    let minute = pair(timePairs, inLane: 3)
    let secondOfMinute = pair(timePairs, inLane: 6)
    guard hour < 24, minute < 60, secondOfMinute < 60,
      let day = CalendarDate(
        year: pair(datePairs, inLane: 0) * 100 + pair(datePairs, inLane: 2),
        month: pair(datePairs, inLane: 5), dayOfMonth: pair(dayAndTime.digitPairs, inLane: 0))?.day
    else { return nil }
    return ((day * 24 + hour) * 60 + minute) * 60 + secondOfMinute
  }

  private init?(seconds: Int, rest text: Span<UInt8>, defaultOffsetMinutes: Int?) {
    if text.count == 20, text[19] == UInt8(ascii: "Z") {
      microseconds = Int64(seconds) * 1_000_000
      return
    }
    var reader = DateReader(text, at: 19)
    guard let fraction = reader.readFraction(),
      let offset = reader.isAtEnd ? defaultOffsetMinutes : reader.readOffset(),
      reader.isAtEnd
    else { return nil }
    microseconds = Int64(seconds - offset * 60) * 1_000_000 + Int64(fraction)
  }

  init?(anyForm text: Span<UInt8>, defaultOffsetMinutes: Int?) {
    var reader = DateReader(text)
    guard let date = reader.readDate(), reader.skip(where: { $0 == 0x20 || $0 | 0x20 == 0x74 }),
      let hour = reader.readNumber(digits: 2, in: 0...23), reader.skip(":"),
      let minute = reader.readNumber(digits: 2, in: 0...59), reader.skip(":"),
      let second = reader.readNumber(digits: 2, in: 0...60),
      let fraction = reader.readFraction(),
      let offset = reader.isAtEnd ? defaultOffsetMinutes : reader.readOffset(),
      reader.isAtEnd
    else { return nil }
    self.init(
      minute: Int64(date.day) * 1_440 + Int64(hour * 60 + minute) - Int64(offset), second: second,
      microsecond: fraction)
  }

  /// An instant in a minute that is counted from the start of 1970; nil for second 60, unless the minute is the
  /// last of a month.
  init?(minute: Int64, second: Int, microsecond: Int) {
    guard second < 60 || Self.isLastOfMonth(minute: minute) else { return nil }
    microseconds = (minute * 60 + Int64(second)) * 1_000_000 + Int64(microsecond)
  }

  /// Reads a date `YYYY-MM-DD` as the start of the day in UTC; nil if `text` is not a valid date.
  ///
  /// Page: RFC 3339, section 5.6, `full-date`
  public init?(date text: Span<UInt8>) {
    var reader = DateReader(text)
    guard let date = reader.readDate(), reader.isAtEnd else { return nil }
    microseconds = Int64(date.day) * 86_400_000_000
  }

  /// Reads a timestamp of any form that is read: RFC 3339, ISO 8601 and RFC 2822, in UTC if it has no zone; a date
  /// alone, which is the start of the day in UTC; `2017/11/2 9:36`, `2.11.2017 17:27` and `/Date(1509643620000)/`. Nil if
  /// `text` has another form.
  package init?(timestamp text: Span<UInt8>) {
    if let instant = Instant(rfc3339: text, defaultOffsetMinutes: 0) ?? Instant(date: text) {
      self = instant
      return
    }
    for pattern in DatePattern.timestamps {
      guard let instant = pattern.instant(text, defaultOffsetMinutes: 0) else { continue }
      self = instant
      return
    }
    self.init(dotNet: text)
  }

  /// Reads milliseconds since 1970 as .NET writes them, `/Date(1509643620000+0100)/`; the offset is not a part of the
  /// instant.
  private init?(dotNet text: Span<UInt8>) {
    let (start, end) = ("/Date(".utf8Span, ")/".utf8Span)
    guard text.count > start.count + end.count,
      text.extracting(first: start.count).hasSameBytes(as: start.span),
      text.extracting(last: end.count).hasSameBytes(as: end.span)
    else { return nil }
    var number = text.extracting(start.count..<text.count - end.count)
    let sign = number.count - 5
    if sign > 0, number[sign] == UInt8(ascii: "+") || number[sign] == UInt8(ascii: "-") {
      number = number.extracting(first: sign)
    }
    guard NumberText.isNumber(number), case .integer(let count) = NumberText.value(number) else {
      return nil
    }
    let (microseconds, overflow) = count.multipliedReportingOverflow(by: 1_000)
    guard !overflow else { return nil }
    self.init(microseconds: microseconds)
  }

  /// Whether a minute, counted from the start of 1970, is the last of its month.
  private static func isLastOfMonth(minute: Int64) -> Bool {
    let (day, rest) = CalendarDate.divide(minute + 1, by: 1_440)
    return rest == 0 && CalendarDate(day: Int(day)).dayOfMonth == 1
  }
}

extension Instant: CustomStringConvertible {
  /// RFC 3339 text in UTC, with no fraction or a fraction of three or six digits. A year outside the range
  /// of RFC 3339, 0000 to 9999, has a sign.
  public var description: String {
    var text = GrowableBuffer<UInt8>(minimumCapacity: 32)
    append(to: &text)
    return String(copying: text.span)
  }
}

extension Instant {
  /// Appends the description.
  package func append(to output: inout GrowableBuffer<UInt8>) {
    output.append(DateParts(microseconds: microseconds))
    output.append(UInt8(ascii: "Z"))
  }

  /// RFC 3339 text in UTC, always with six digits of fraction.
  package var textWithMicroseconds: String {
    let fraction = CalendarDate.divide(microseconds, by: 1_000_000).remainder
    let digits = String(fraction)
    return Instant(microseconds: microseconds - fraction).description.dropLast() + "."
      + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
  }

  /// The decimal number of units since the start of 1970.
  ///
  /// - Parameter length: the microseconds in a unit: 1, 1,000 or 1,000,000.
  package func text(inUnitsOf length: Int64) -> String {
    let sign = microseconds < 0 ? "-" : ""
    let (whole, rest) = microseconds.magnitude.quotientAndRemainder(
      dividingBy: UInt64(length))
    guard rest > 0 else { return "\(sign)\(whole)" }
    // Adding the power of ten keeps the leading zeros of the rest; the first digit of the sum is dropped.
    var digits = String(UInt64(length) + rest).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
  }
}

extension Instant: LosslessStringConvertible {
  /// The instant of an RFC 3339 text, such as `2026-03-01T08:00:00Z`; nil for another text.
  public init?(_ description: String) { self.init(rfc3339: description.utf8Span.span) }
}

/// Coded as RFC 3339 text.
extension Instant: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let instant = Instant(text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is no RFC 3339 date-time"))
    }
    self = instant
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(textWithMicroseconds)
  }
}
