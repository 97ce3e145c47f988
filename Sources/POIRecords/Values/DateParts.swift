/// The parts of a date with a time, as a text names them.
struct DateParts {
  var year = 0
  /// From 1.
  var month = 0
  var dayOfMonth = 0
  /// From 0 for Sunday; nil if the text names no weekday.
  var weekday: Int?
  var hour = 0
  /// Whether the hour of 12 is after noon; nil if the hour is one of 24.
  var isAfternoon: Bool?
  var minute = 0
  /// Up to 60, a leap second.
  var second = 0
  var microsecond = 0
  /// In minutes east of UTC; nil if the text names no zone.
  var offsetMinutes: Int?

  /// The day; nil if the calendar lacks it, or if the weekday is another one.
  var date: CalendarDate? {
    guard let date = CalendarDate(year: year, month: month, dayOfMonth: dayOfMonth),
      // 1970-01-01 was a Thursday.
      weekday.map({ $0 == CalendarDate.divide(Int64(date.day) + 4, by: 7).remainder }) ?? true
    else { return nil }
    return date
  }

  /// The instant; nil if the calendar lacks the day, if the text names no zone and there is no default, or if
  /// second 60 is not the last of a month in UTC.
  func instant(defaultOffsetMinutes: Int?) -> Instant? {
    guard let date, let offset = offsetMinutes ?? defaultOffsetMinutes else { return nil }
    let hourOfDay = isAfternoon.map { hour % 12 + ($0 ? 12 : 0) } ?? hour
    return Instant(
      minute: Int64(date.day) * 1_440 + Int64(hourOfDay * 60 + minute - offset), second: second,
      microsecond: microsecond)
  }
}
