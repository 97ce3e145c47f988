/// The form of the texts that are read as dates or instants: a value of the keyword `x-date-pattern`.
package struct DatePattern: Sendable, Hashable {
  package enum Form: Sendable, Hashable {
    /// ISO 8601 in its extended and basic form, names of zones, a space before the zone, and no seconds.
    case iso8601
    /// The date of e-mail and HTTP: `Wed, 02 Oct 2002 13:00:00 GMT`.
    case rfc2822
    /// Forms that no standard has, such as `2.11.2017 17:27`; no keyword names them, and they are not written.
    case other
    /// A pattern of Unicode.
    case fields([Field])
  }

  /// A part of a pattern.
  ///
  /// Page: UTS #35, part 4, "Date Format Patterns"
  package enum Field: Sendable, Hashable {
    /// `yyyy`, or `yy` for the years 1950 to 2049.
    case year(isShort: Bool)
    /// `MM`, `dd`, `HH`, `hh`, `mm` and `ss` have two digits; `M`, `d`, `H`, `h`, `m` and `s` one or two.
    case number(Unit, isPadded: Bool)
    /// `MMM`, or `MMMM` for the full name, in English.
    case month(isFull: Bool)
    /// `E` to `EEE`, or `EEEE` for the full name, in English. It must be the weekday of the date.
    case weekday(isFull: Bool)
    /// `S` to `SSSSSSSSS`: exactly that many digits of a second.
    case fraction(digitCount: Int)
    /// `a`: `AM` or `PM`.
    case dayPeriod
    /// `z`, `Z`, `X` to `XXX` and `x` to `xxx`.
    case zone(Zone)
    /// Any other character, and text between apostrophes, as UTF-8.
    case literal(UInt8)
  }

  package enum Unit: Sendable, Hashable {
    case month, day, hour, hourOf12, minute, second

    var range: ClosedRange<Int> {
      switch self {
      case .month: 1...12
      case .day: 1...31
      case .hour: 0...23
      case .hourOf12: 1...12
      case .minute: 0...59
      case .second: 0...60
      }
    }
  }

  package enum Zone: Sendable, Hashable {
    /// A name such as `GMT` or `EST`.
    case name
    /// `+02`, `+0200` or `+02:00`; `isUTCLetter` says whether `Z` is accepted for UTC.
    case hours(isUTCLetter: Bool)
    case basic(isUTCLetter: Bool)
    case extended(isUTCLetter: Bool)
  }

  package let form: Form

  /// Whether the texts have a time.
  let hasTime: Bool

  /// Whether the texts can name their zone.
  let hasZone: Bool

  /// The value of the keyword.
  package let text: String

  /// The least difference of two times that are written differently, in microseconds.
  var unit: Int64 {
    guard case .fields(let fields) = form else { return form == .rfc2822 ? 1_000_000 : 1 }
    let units: [Int64] = fields.map { field in
      switch field {
      case .number(.hour, _), .number(.hourOf12, _): 3_600_000_000
      case .number(.minute, _): 60_000_000
      case .number(.second, _): 1_000_000
      case .fraction(let digitCount):
        (digitCount..<max(digitCount, 6)).reduce(1) { unit, _ in unit * 10 }
      default: 86_400_000_000
      }
    }
    return units.min() ?? 1
  }

  private init(_ form: Form, _ text: String, hasTime: Bool = true, hasZone: Bool = true) {
    self.form = form
    self.text = text
    self.hasTime = hasTime
    self.hasZone = hasZone
  }

  package static let iso8601 = DatePattern(.iso8601, "iso8601")
  package static let rfc2822 = DatePattern(.rfc2822, "rfc2822")

  /// Whether texts without a zone have the form, too.
  var mayLackZone: Bool { !hasZone || form == .iso8601 || form == .rfc2822 }

  /// The part of a message that follows the value of another form.
  var phrase: String {
    switch form {
    case .iso8601: "a date-time such as 2024-02-29T12:30:00+0100"
    case .rfc2822: "a date-time such as Thu, 29 Feb 2024 12:30:00 GMT"
    case .other, .fields: "a \(hasTime ? "date-time" : "date") of the pattern \(text)"
    }
  }

  /// The patterns that are proposed for texts of their form.
  package static let proposals = [
    iso8601, rfc2822,
    // Twitter's form.
    try? DatePattern("EEE MMM dd HH:mm:ss Z yyyy"),
  ].compactMap { $0 }

  /// The patterns of timestamps, besides RFC 3339.
  static let timestamps = proposals + [DatePattern(.other, "")]

  /// The end of a message about a text that one of the patterns reads.
  static func advice(for text: Span<UInt8>) -> String {
    for pattern in proposals where pattern.instant(text, defaultOffsetMinutes: 0) != nil {
      return "; the model reads it with \"x-date-pattern\": \"\(pattern.text)\""
    }
    return ""
  }

  /// A pattern that cannot be read, with the reason.
  package struct Refusal: Error {
    let message: String
  }

  /// - Parameter text: `iso8601`, `rfc2822`, or a pattern such as `dd.MM.yyyy HH:mm`.
  package init(_ text: String) throws(Refusal) {
    switch text {
    case "iso8601": self = .iso8601
    case "rfc2822": self = .rfc2822
    default:
      var reader = DatePatternReader()
      let fields = try reader.fields(of: text)
      self.init(.fields(fields), text, hasTime: reader.hasTime, hasZone: reader.hasZone)
    }
  }
}
