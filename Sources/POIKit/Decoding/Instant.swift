/// A moment in time, in microseconds.
///
/// This is how a store holds a date: one integer that orders as time does.
public struct Instant: Sendable, Hashable {
  /// The number of microseconds since the start of 1970 in UTC, without leap seconds.
  public var microseconds: Int64

  /// The moment `microseconds` after the start of 1970 in UTC.
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
  /// The moment that a date with a time names, or nil if `text` is none.
  ///
  /// Date and time are separated by `T`, `t` or one space. A fraction of a second may have any
  /// number of digits; those after the sixth are dropped. Second 60 is accepted where a leap second
  /// can be, in the last minute in UTC of a month, and is the start of the next month.
  ///
  /// - Parameters:
  ///   - text: UTF-8, with nothing before or after the date.
  ///   - defaultOffsetMinutes: how far ahead of UTC a text without a zone is meant; without it such
  ///     a text is refused.
  ///
  /// Page: RFC 3339, section 5.6
  public init?(rfc3339 text: Span<UInt8>, defaultOffsetMinutes: Int? = nil) {
    var reader = DateReader(text)
    guard let date = reader.readDate(), reader.skip(where: { $0 == 0x20 || $0 | 0x20 == 0x74 }),
      let hour = reader.readNumber(digits: 2, in: 0...23), reader.skip(":"),
      let minute = reader.readNumber(digits: 2, in: 0...59), reader.skip(":"),
      let second = reader.readNumber(digits: 2, in: 0...60),
      let fraction = reader.readFraction(),
      let offset = reader.isAtEnd ? defaultOffsetMinutes : reader.readOffset(),
      reader.isAtEnd
    else { return nil }
    let minutes = Int64(date.day) * 1_440 + Int64(hour * 60 + minute) - Int64(offset)
    if second == 60 {
      guard Self.isLastOfMonth(minute: minutes) else { return nil }
    }
    microseconds = (minutes * 60 + Int64(second)) * 1_000_000 + Int64(fraction)
  }

  /// The start in UTC of the day that a date `YYYY-MM-DD` names, or nil if `text` is none.
  ///
  /// Page: RFC 3339, section 5.6, `full-date`
  public init?(date text: Span<UInt8>) {
    var reader = DateReader(text)
    guard let date = reader.readDate(), reader.isAtEnd else { return nil }
    microseconds = Int64(date.day) * 86_400_000_000
  }

  /// Whether the next minute, counted from the start of 1970, begins a month.
  private static func isLastOfMonth(minute: Int64) -> Bool {
    let (day, rest) = CalendarDate.divide(minute + 1, by: 1_440)
    return rest == 0 && CalendarDate(day: Int(day)).dayOfMonth == 1
  }
}

extension Instant: CustomStringConvertible {
  /// The moment as RFC 3339 writes it in UTC, with three or six digits of fraction where it has
  /// one.
  ///
  /// A year before 0000 or after 9999, which RFC 3339 cannot write, gets a sign.
  public var description: String {
    let (day, time) = CalendarDate.divide(microseconds, by: 86_400_000_000)
    let (second, fraction) = (time / 1_000_000, time % 1_000_000)
    let date = CalendarDate(day: Int(day))
    func padded(_ number: Int64, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
    let sign = date.year < 0 ? "-" : date.year > 9_999 ? "+" : ""
    var text =
      "\(sign)\(padded(Int64(date.year.magnitude), 4))-\(padded(Int64(date.month), 2))"
      + "-\(padded(Int64(date.dayOfMonth), 2))T\(padded(second / 3_600, 2))"
      + ":\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if fraction != 0 {
      text += fraction % 1_000 == 0 ? ".\(padded(fraction / 1_000, 3))" : ".\(padded(fraction, 6))"
    }
    return text + "Z"
  }
}
