/// A random time of the years 1970 to 2069, and texts of it in all forms that are read.
public struct RandomTime {
  /// In microseconds since 1970, in UTC.
  public let microseconds: Int64

  /// Whole seconds as one of these forms: ISO 8601, RFC 2822, forms of programs, a date alone.
  public let texts: [String]

  public init(using generator: inout some RandomNumberGenerator) {
    let days = Int64.random(in: 0..<36_500, using: &generator)
    let second = Int64.random(in: 0..<86_400, using: &generator)
    // From the days since 0000-03-01, by H. Hinnant's algorithm.
    let era = days + 719_468
    let century = era / 146_097
    let dayOfEra = era % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + century * 400 + (month <= 2 ? 1 : 0)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let (hour, minute, rest) = (second / 3_600, second / 60 % 60, second % 60)
    let date = "\(year)-\(two(month))-\(two(day))"
    let time = "\(two(hour)):\(two(minute)):\(two(rest))"
    let basic = "\(year)\(two(month))\(two(day))T\(two(hour))\(two(minute))\(two(rest))"
    let mail = "\(day) \(months[Int(month) - 1]) \(year) \(time)"
    microseconds = (days * 86_400 + second) * 1_000_000
    texts =
      ["", "Z", "+00", "+00:00", "-0000", "Z[UTC]", " UTC"].flatMap { zone in
        ["\(date)T\(time)", "\(date) \(time)", basic, "\(date)T\(time),000"].map { $0 + zone }
      } + [
        mail, mail + " GMT", mail + " +0000", "\(year)/\(two(month))/\(two(day)) \(time)",
        "\(year)/\(month)/\(day) \(hour):\(two(minute)):\(two(rest))",
        "\(day).\(month).\(year) \(time)",
        "\(two(day)).\(two(month)).\(year) \(time)", "\(year)-\(month)-\(day) \(time) +00:00",
        "/Date(\(microseconds / 1_000))/", "/Date(\(microseconds / 1_000)+0100)/",
      ]
  }
}
