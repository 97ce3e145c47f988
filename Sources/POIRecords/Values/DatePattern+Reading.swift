internal import JSONStreaming

extension DatePattern {
  /// Reads a text as an instant; nil if it has another form or is not valid.
  ///
  /// - Parameter defaultOffsetMinutes: the offset of texts without a zone, in minutes east of UTC; nil refuses
  ///   them.
  package func instant(_ text: Span<UInt8>, defaultOffsetMinutes: Int? = nil) -> Instant? {
    parts(of: text)?.instant(defaultOffsetMinutes: defaultOffsetMinutes)
  }

  /// Reads a text as a day; nil if it has another form or is not valid.
  func date(_ text: Span<UInt8>) -> CalendarDate? { parts(of: text)?.date }

  /// Appends the text of a day, `YYYY-MM-DD`; returns false, and appends nothing, if the text is not valid.
  func appendDate(_ text: Span<UInt8>, to bytes: inout GrowableBuffer<UInt8>) -> Bool {
    guard let date = date(text) else { return false }
    bytes.append(number: date.year, digitCount: 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(number: date.month, digitCount: 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(number: date.dayOfMonth, digitCount: 2)
    return true
  }

  private func parts(of text: Span<UInt8>) -> DateParts? {
    var reader = DateReader(text)
    var parts = DateParts()
    switch form {
    case .iso8601: guard reader.readISO8601(&parts) else { return nil }
    case .rfc2822: guard reader.readRFC2822(&parts) else { return nil }
    case .other: guard reader.readOtherForm(&parts) else { return nil }
    case .fields(let fields):
      for field in fields {
        guard reader.read(field, &parts) else { return nil }
      }
    }
    return reader.isAtEnd ? parts : nil
  }
}

extension DateReader {
  @_lifetime(self: copy self)
  fileprivate mutating func read(_ field: DatePattern.Field, _ parts: inout DateParts) -> Bool {
    switch field {
    case .year(isShort: false): return assign(&parts.year, readNumber(digits: 4, in: 0...9_999))
    case .year(isShort: true):
      return assign(&parts.year, readNumber(digits: 2, in: 0...99).map(Self.year(ofTwoDigits:)))
    case .number(let unit, let isPadded):
      let number =
        isPadded ? readNumber(digits: 2, in: unit.range) : readShortNumber(in: unit.range)
      switch unit {
      case .month: return assign(&parts.month, number)
      case .day: return assign(&parts.dayOfMonth, number)
      case .hour, .hourOf12: return assign(&parts.hour, number)
      case .minute: return assign(&parts.minute, number)
      case .second: return assign(&parts.second, number)
      }
    case .month(let isFull):
      return assign(&parts.month, readName(of: Self.months, isFull: isFull).map { $0 + 1 })
    case .weekday(let isFull):
      parts.weekday = readName(of: Self.weekdays, isFull: isFull)
      return parts.weekday != nil
    case .fraction(let digitCount):
      return assign(&parts.microsecond, readFraction(digitCount: digitCount))
    case .dayPeriod:
      parts.isAfternoon = readName(of: ["am", "pm"], isFull: true).map { $0 == 1 }
      return parts.isAfternoon != nil
    case .zone(let zone):
      parts.offsetMinutes = readZone(zone)
      return parts.offsetMinutes != nil
    case .literal(let byte): return skip { $0 == byte }
    }
  }

  /// Reads a date with a time in the extended or the basic form. A comma may begin the fraction, seconds may be
  /// missing, hour 24 is the end of the day, and the zone may be a name, or have one in brackets behind it.
  ///
  /// Page: RFC 3339, appendix A (ISO 8601)
  @_lifetime(self: copy self)
  fileprivate mutating func readISO8601(_ parts: inout DateParts) -> Bool {
    guard assign(&parts.year, readNumber(digits: 4, in: 0...9_999)) else { return false }
    let isBasic = !skip("-")
    guard assign(&parts.month, readNumber(digits: 2, in: 1...12)), isBasic || skip("-"),
      assign(&parts.dayOfMonth, readNumber(digits: 2, in: 1...31)),
      skip(where: { $0 | 0x20 == 0x74 || $0 == 0x20 && !isBasic }),
      assign(&parts.hour, readNumber(digits: 2, in: 0...24)), isBasic || skip(":"),
      assign(&parts.minute, readNumber(digits: 2, in: 0...59)),
      readSecond(&parts, isNext: isBasic ? isAtDigit : skip(":"))
    else { return false }
    return parts.hour < 24 || parts.minute + parts.second + parts.microsecond == 0
  }

  /// Reads forms that no standard has: a day such as `2017/11/2`, `2.11.2017` or `2017-11-2`, and a time such as
  /// `9:36`, which may be missing, with seconds and a zone as in ISO 8601.
  @_lifetime(self: copy self)
  fileprivate mutating func readOtherForm(_ parts: inout DateParts) -> Bool {
    var ahead = self
    if let year = ahead.readNumber(digits: 4, in: 0...9_999) {
      self = ahead
      parts.year = year
      let hasSlashes = skip("/")
      guard hasSlashes || skip("-"), assign(&parts.month, readShortNumber(in: 1...12)),
        skip(hasSlashes ? "/" : "-"), assign(&parts.dayOfMonth, readShortNumber(in: 1...31))
      else { return false }
    } else {
      guard assign(&parts.dayOfMonth, readShortNumber(in: 1...31)), skip("."),
        assign(&parts.month, readShortNumber(in: 1...12)), skip("."),
        assign(&parts.year, readNumber(digits: 4, in: 0...9_999))
      else { return false }
    }
    if isAtEnd { return true }
    guard skip(where: { $0 == 0x20 || $0 | 0x20 == 0x74 }),
      assign(&parts.hour, readShortNumber(in: 0...23)), skip(":"),
      assign(&parts.minute, readNumber(digits: 2, in: 0...59))
    else { return false }
    return readSecond(&parts, isNext: skip(":"))
  }

  /// Reads the second, if it is next, with its fraction, and the zone, if the text has one.
  @_lifetime(self: copy self)
  private mutating func readSecond(_ parts: inout DateParts, isNext: Bool) -> Bool {
    if isNext {
      guard assign(&parts.second, readNumber(digits: 2, in: 0...60)),
        assign(&parts.microsecond, readFraction(orComma: true))
      else { return false }
    }
    if isAtEnd { return true }
    _ = skip(" ")
    parts.offsetMinutes = readAnyZone()
    guard parts.offsetMinutes != nil else { return false }
    if skip("[") {
      while skip(where: { $0 > 0x20 && $0 != UInt8(ascii: "]") }) {}
      return skip("]")
    }
    return true
  }

  /// Reads a date with a time, its weekday, seconds and a last comment being optional.
  ///
  /// Page: RFC 2822, sections 3.3 and 4.3
  @_lifetime(self: copy self)
  fileprivate mutating func readRFC2822(_ parts: inout DateParts) -> Bool {
    skipSpaces()
    if isAtLetter {
      parts.weekday = readName(of: Self.weekdays, isFull: false)
      guard parts.weekday != nil, skip(",") else { return false }
      skipSpaces()
    }
    guard assign(&parts.dayOfMonth, readShortNumber(in: 1...31)), skipSpaces(),
      assign(&parts.month, readName(of: Self.months, isFull: false).map { $0 + 1 }), skipSpaces(),
      assign(&parts.year, readYearOfMail()), skipSpaces(),
      assign(&parts.hour, readNumber(digits: 2, in: 0...23)), skip(":"),
      assign(&parts.minute, readNumber(digits: 2, in: 0...59))
    else { return false }
    if skip(":") {
      guard assign(&parts.second, readNumber(digits: 2, in: 0...60)) else { return false }
    }
    if isAtEnd { return true }
    guard skipSpaces() else { return false }
    parts.offsetMinutes = readAnyZone()
    guard parts.offsetMinutes != nil else { return false }
    skipSpaces()
    if skip("(") {
      while skip(where: { $0 != UInt8(ascii: ")") && $0 != UInt8(ascii: "(") }) {}
      return skip(")")
    }
    return true
  }

  /// A year of four digits; or of two or three, which old mail has.
  @_lifetime(self: copy self)
  private mutating func readYearOfMail() -> Int? {
    var (year, digitCount) = (0, 0)
    while digitCount < 4, let digit = readNumber(digits: 1, in: 0...9) {
      year = year * 10 + digit
      digitCount += 1
    }
    return switch digitCount {
    case 4: year
    case 3: year + 1_900
    case 2: Self.year(ofTwoDigits: year)
    default: nil
    }
  }

  // MARK: Zones

  /// Reads a zone in one form, as minutes east of UTC.
  @_lifetime(self: copy self)
  private mutating func readZone(_ zone: DatePattern.Zone) -> Int? {
    let isUTCLetter =
      switch zone {
      case .name: false
      case .hours(let isUTCLetter), .basic(let isUTCLetter), .extended(let isUTCLetter): isUTCLetter
      }
    if isUTCLetter, skip("Z") { return 0 }
    return zone == .name ? readZoneName() : readOffset(zone)
  }

  /// Reads `Z`, a name, or an offset of any form.
  @_lifetime(self: copy self)
  private mutating func readAnyZone() -> Int? { isAtLetter ? readZoneName() : readOffset(nil) }

  /// - Parameter form: nil accepts all forms.
  @_lifetime(self: copy self)
  private mutating func readOffset(_ form: DatePattern.Zone?) -> Int? {
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = readNumber(digits: 2, in: 0...23) else { return nil }
    let hasMinutes: Bool
    switch form {
    case .extended:
      guard skip(":") else { return nil }
      hasMinutes = true
    case .basic: hasMinutes = true
    case .hours, .name: hasMinutes = isAtDigit
    case nil: hasMinutes = skip(":") || isAtDigit
    }
    var minutes = 0
    if hasMinutes {
      guard let number = readNumber(digits: 2, in: 0...59) else { return nil }
      minutes = number
    }
    return (isAhead ? 1 : -1) * (hours * 60 + minutes)
  }

  /// Reads the name of a zone. Names that several zones share have the meaning that RFC 2822 gives them;
  /// other names are refused.
  ///
  /// Page: RFC 2822, section 4.3
  @_lifetime(self: copy self)
  private mutating func readZoneName() -> Int? {
    for (name, offset) in Self.zones where skip(name: name) { return isAtLetter ? nil : offset }
    return nil
  }

  private static let zones = [
    ("utc", 0), ("ut", 0), ("gmt", 0), ("z", 0), ("est", -300), ("edt", -240), ("cst", -360),
    ("cdt", -300), ("mst", -420), ("mdt", -360), ("pst", -480), ("pdt", -420),
  ]

  // MARK: Names and numbers

  static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  /// Reads one of some names, or its first three letters, in any case; returns its index.
  @_lifetime(self: copy self)
  private mutating func readName(of names: [String], isFull: Bool) -> Int? {
    for (index, name) in names.enumerated() where skip(name: isFull ? name[...] : name.prefix(3)) {
      return index
    }
    return nil
  }

  /// Reads a number of one or two digits.
  @_lifetime(self: copy self)
  private mutating func readShortNumber(in range: ClosedRange<Int>) -> Int? {
    guard var number = readNumber(digits: 1, in: 0...9) else { return nil }
    if isAtDigit, let digit = readNumber(digits: 1, in: 0...9) { number = number * 10 + digit }
    return range.contains(number) ? number : nil
  }

  /// Reads the digits of a fraction of a second, as microseconds.
  @_lifetime(self: copy self)
  private mutating func readFraction(digitCount: Int) -> Int? {
    guard var fraction = readNumber(digits: digitCount, in: 0...999_999_999) else { return nil }
    for _ in digitCount..<max(digitCount, 6) { fraction *= 10 }
    for _ in 6..<max(digitCount, 6) { fraction /= 10 }
    return fraction
  }

  /// The year that two digits mean, from 1950 to 2049.
  ///
  /// Page: RFC 2822, section 4.3
  private static func year(ofTwoDigits year: Int) -> Int { year + (year < 50 ? 2_000 : 1_900) }
}

/// Assigns a value; returns whether there is one.
private func assign(_ part: inout Int, _ value: Int?) -> Bool {
  guard let value else { return false }
  part = value
  return true
}
