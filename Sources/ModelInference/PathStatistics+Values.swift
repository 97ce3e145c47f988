internal import JSONStreaming
internal import POIRecords

extension PathStatistics {
  /// Returns a hash of the value.
  mutating func observe(number lexeme: Span<UInt8>, scope: inout DistinctCounter.Scope) -> UInt64 {
    switch NumberText.value(lexeme) {
    case .integer(let integer):
      counts.integer += 1
      numbers.integers.include(integer)
      numbers.include(Double(integer))
      if Int64(exactly: Double(integer)) != integer, DecimalText(lexeme).isPlainInteger {
        numbers.wideCount += 1
      }
      let text = String(integer)
      let hash = MurmurHash3.digest(of: text.utf8Span.span).low
      distinct.insert(hash, scope: &scope)
      remember(text, byteCount: text.utf8.count)
      return hash
    case .real where DecimalText(lexeme).isPlainInteger,
      .tooLarge where DecimalText(lexeme).isPlainInteger:
      numbers.bigCount += 1
      numbers.lossyCount += 1
      values = nil
      let hash = MurmurHash3.digest(of: lexeme).low
      distinct.insert(hash, scope: &scope)
      return hash
    case .real(let real, isExact: true) where NumberText.isPrinted(lexeme, of: real):
      counts.real += 1
      numbers.include(real)
      values = nil
      return real.bitPattern
    case .real, .tooLarge:
      numbers.lossyCount += 1
      values = nil
      return MurmurHash3.digest(of: lexeme).low
    }
  }

  /// Returns a hash of the value.
  mutating func observe(
    text: Span<UInt8>, holdsNUL mayHoldNUL: Bool, isOfRow: Bool = false,
    scope: inout DistinctCounter.Scope
  ) -> UInt64 {
    counts.string += 1
    var length = 0
    for index in text.indices {
      let byte = text[index]
      if byte & 0xC0 != 0x80 { length += 1 }
      if byte <= 0x20 { texts.holdsSpace = true }
      if byte == 0, mayHoldNUL { texts.holdsNUL = true }
    }
    texts.lengths.include(length)
    if text.isEmpty { texts.emptyCount += 1 }
    let hash = MurmurHash3.digest(of: text).low
    distinct.insert(hash, scope: &scope)
    for format in PathStatistics.formats where PathStatistics.isLike(format, text) {
      texts.formatCounts[Int(format.rawValue)] += 1
    }
    moments.observe(text)
    if isOfRow { numerals.observe(text) }
    if NumberText.isNumber(text) {
      observe(numeric: text)
    } else if isOfRow, let number = NumberText.withPoint(text),
      case .real(let real, isExact: true) = NumberText.value(number.span)
    {
      numbers.bounds.include(real)
    }
    remember(JSONText.quoted(String(copying: text)), byteCount: text.count)
    return hash
  }

  private static func isLike(_ format: TextFormat, _ text: Span<UInt8>) -> Bool {
    // Almost any text with a colon is a valid URI.
    let prefix = "http"
    if format == .uri {
      guard text.count > prefix.utf8.count,
        text.extracting(0..<prefix.utf8.count).hasSameBytes(as: prefix.utf8Span.span)
      else { return false }
    }
    return format.admits(text)
  }

  private mutating func observe(numeric text: Span<UInt8>) {
    switch NumberText.value(text) {
    case .integer(let integer):
      numbers.bounds.include(Double(integer))
      if Int64(exactly: Double(integer)) == integer {
        texts.numericCount += 1
        texts.integerCount += 1
      }
    case .real(let real, isExact: true):
      numbers.bounds.include(real)
      texts.numericCount += 1
    case .real, .tooLarge: break
    }
  }
}

extension PathStatistics.Moments {
  mutating func observe(_ text: Span<UInt8>) {
    if let instant = Instant(rfc3339: text, defaultOffsetMinutes: 0),
      Instant.range.contains(instant.microseconds)
    {
      instantCount += 1
      include(instant)
      if Instant(rfc3339: text) == nil { zonelessCount += 1 } else { zonedCount += 1 }
    } else if let day = Instant(date: text) {
      include(day)
    } else if !(Self.patternLengths.contains(text.count) && observe(datePatternsOf: text)) {
      // The other forms begin with a digit or as .NET writes times.
      if !text.isEmpty,
        text[0] &- 0x30 > 9 && text[0] != UInt8(ascii: "/") || Instant(timestamp: text) == nil
      {
        unreadableCount += 1
      }
    }
  }

  private mutating func include(_ instant: Instant) {
    bounds.include(instant.microseconds)
    if instant.microseconds > latestTimestamp { lateCount += 1 }
  }

  /// The lengths in bytes of texts that can have a pattern of `DatePattern.proposals`.
  private static let patternLengths = 13...64

  /// Returns whether the text has one of the patterns.
  private mutating func observe(datePatternsOf text: Span<UInt8>) -> Bool {
    // They begin with a digit or the name of a day.
    guard text[0] &- 0x30 <= 9 || [UInt8(ascii: ","), UInt8(ascii: " ")].contains(text[3]) else {
      return false
    }
    var isRead = false
    for (index, pattern) in DatePattern.proposals.enumerated() {
      guard let instant = pattern.instant(text, defaultOffsetMinutes: 0),
        Instant.range.contains(instant.microseconds)
      else { continue }
      patternCounts[index] += 1
      include(instant)
      if pattern.instant(text) == nil { zonelessCount += 1 } else { zonedCount += 1 }
      isRead = true
    }
    return isRead
  }
}
