package import JSONStreaming

extension DatePattern {
  /// Appends an instant as a text that the pattern reads as the same instant. What the pattern has no field
  /// for is lost.
  ///
  /// - Parameter offsetMinutes: the zone of a text that does not name it, in minutes east of UTC; nil if it names UTC,
  ///   and for patterns that name no zone.
  package func append(
    _ instant: Instant, offsetMinutes: Int?, to output: inout GrowableBuffer<UInt8>
  ) {
    let offset = mayLackZone ? Int64(offsetMinutes ?? 0) * 60_000_000 : 0
    let (local, overflow) = instant.microseconds.addingReportingOverflow(offset)
    // No pattern reads another year, so it does not matter how it is written.
    guard !overflow, Instant.range.contains(local) else { return instant.append(to: &output) }
    append(DateParts(microseconds: local), hasZone: offsetMinutes == nil, to: &output)
  }

  /// Appends a day in the form of the pattern; returns false, and appends nothing, if `text` is not a date
  /// `YYYY-MM-DD`.
  package func append(date text: Span<UInt8>, to output: inout GrowableBuffer<UInt8>) -> Bool {
    guard let day = Instant(date: text) else { return false }
    append(DateParts(microseconds: day.microseconds), hasZone: false, to: &output)
    return true
  }

  private func append(_ parts: DateParts, hasZone: Bool, to output: inout GrowableBuffer<UInt8>) {
    switch form {
    case .iso8601, .other:
      output.append(parts)
      if hasZone { output.append(UInt8(ascii: "Z")) }
    case .rfc2822:
      for field in Self.mailFields.dropLast(hasZone ? 0 : " GMT".utf8.count) {
        output.append(field, of: parts)
      }
    case .fields(let fields):
      for field in fields { output.append(field, of: parts) }
    }
  }

  private static let mailFields: [Field] = {
    guard let pattern = try? DatePattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'"),
      case .fields(let fields) = pattern.form
    else { preconditionFailure("the pattern is valid") }
    return fields
  }()
}

extension DateParts {
  /// - Parameter microseconds: since the start of 1970.
  init(microseconds: Int64) {
    let (day, time) = CalendarDate.divide(microseconds, by: 86_400_000_000)
    let date = CalendarDate(day: Int(day))
    (year, month, dayOfMonth) = (date.year, date.month, date.dayOfMonth)
    weekday = Int(CalendarDate.divide(day + 4, by: 7).remainder)
    let second = Int(time / 1_000_000)
    (hour, minute, self.second) = (second / 3_600, second / 60 % 60, second % 60)
    microsecond = Int(time % 1_000_000)
  }
}

extension GrowableBuffer<UInt8> {
  /// Appends a date with its time in the form of RFC 3339, without a zone; with no fraction of a second, or
  /// one of three or six digits.
  mutating func append(_ parts: DateParts) {
    if parts.year < 0 || parts.year > 9_999 { append(UInt8(ascii: parts.year < 0 ? "-" : "+")) }
    append(number: Int(parts.year.magnitude), digitCount: 4)
    append(UInt8(ascii: "-"))
    append(number: parts.month, digitCount: 2)
    append(UInt8(ascii: "-"))
    append(number: parts.dayOfMonth, digitCount: 2)
    append(UInt8(ascii: "T"))
    append(number: parts.hour, digitCount: 2)
    append(UInt8(ascii: ":"))
    append(number: parts.minute, digitCount: 2)
    append(UInt8(ascii: ":"))
    append(number: parts.second, digitCount: 2)
    guard parts.microsecond > 0 else { return }
    append(UInt8(ascii: "."))
    let isWhole = parts.microsecond % 1_000 == 0
    append(
      number: isWhole ? parts.microsecond / 1_000 : parts.microsecond, digitCount: isWhole ? 3 : 6)
  }

  fileprivate mutating func append(_ field: DatePattern.Field, of parts: DateParts) {
    switch field {
    case .year(isShort: false): append(number: parts.year, digitCount: 4)
    case .year(isShort: true): append(number: parts.year % 100, digitCount: 2)
    case .number(let unit, let isPadded):
      let number =
        switch unit {
        case .month: parts.month
        case .day: parts.dayOfMonth
        case .hour: parts.hour
        case .hourOf12: (parts.hour + 11) % 12 + 1
        case .minute: parts.minute
        case .second: parts.second
        }
      append(number: number, digitCount: isPadded ? 2 : 1)
    case .month(let isFull): append(name: DateReader.months[parts.month - 1], isFull: isFull)
    case .weekday(let isFull):
      append(name: DateReader.weekdays[parts.weekday ?? 0], isFull: isFull)
    case .fraction(let digitCount):
      append(number: parts.microsecond, digitCount: 6)
      for _ in 6..<max(digitCount, 6) { append(UInt8(ascii: "0")) }
      truncate(to: count - max(6 - digitCount, 0))
    case .dayPeriod: append(copying: (parts.hour < 12 ? "AM" : "PM").utf8Span.span)
    case .zone(.name): append(copying: "GMT".utf8Span.span)
    case .zone(.hours(isUTCLetter: true)), .zone(.basic(isUTCLetter: true)),
      .zone(.extended(isUTCLetter: true)):
      append(UInt8(ascii: "Z"))
    case .zone(.hours): append(copying: "+00".utf8Span.span)
    case .zone(.basic): append(copying: "+0000".utf8Span.span)
    case .zone(.extended): append(copying: "+00:00".utf8Span.span)
    case .literal(let byte): append(byte)
    }
  }

  /// Appends an English name with a capital.
  private mutating func append(name: String, isFull: Bool) {
    let start = count
    append(copying: name.utf8Span.span.extracting(first: isFull ? name.utf8.count : 3))
    self[start] -= 0x20
  }
}
