/// A day of the proleptic Gregorian calendar.
struct CalendarDate {
  /// The astronomical year: 0 precedes 1.
  let year: Int
  let month: Int
  let dayOfMonth: Int
  /// Days since 1970-01-01.
  let day: Int

  init?(year: Int, month: Int, dayOfMonth: Int) {
    guard (1...12).contains(month), dayOfMonth >= 1,
      dayOfMonth <= Self.dayCount(ofMonth: month, year: year)
    else { return nil }
    self.year = year
    self.month = month
    self.dayOfMonth = dayOfMonth
    // A year counted from March ends with the leap day, so a formula gives the first day of each month.
    let marchYear = month > 2 ? year : year - 1
    let (era, yearOfEra) = Self.divide(Int64(marchYear), by: 400)
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + dayOfMonth - 1
    let dayOfEra = Int(yearOfEra) * 365 + Int(yearOfEra) / 4 - Int(yearOfEra) / 100 + dayOfYear
    day = Int(era) * Self.daysPerEra + dayOfEra - Self.daysBefore1970
  }

  init(day: Int) {
    self.day = day
    let (era, dayOfEra64) = Self.divide(
      Int64(day + Self.daysBefore1970), by: Int64(Self.daysPerEra))
    let dayOfEra = Int(dayOfEra64)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / (Self.daysPerEra - 1)) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = Int(era) * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Floor division: the remainder is never negative.
  @inline(__always)
  static func divide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = number % divisor
    return remainder < 0
      ? (number / divisor - 1, remainder + divisor) : (number / divisor, remainder)
  }

  /// The days of 400 years, the period of the calendar.
  private static let daysPerEra = 146_097

  private static let daysBefore1970 = 719_468
}
