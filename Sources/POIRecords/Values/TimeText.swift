internal import JSONStreaming

/// Reads times of day (RFC 3339, section 5.6, `full-time`).
enum TimeText {
  /// Whether `text` is a time with a zone; second 60 is one where it is the last of the day in UTC.
  static func isTime(_ text: Span<UInt8>) -> Bool {
    var reader = DateReader(text)
    guard let hour = reader.readNumber(digits: 2, in: 0...23), reader.skip(":"),
      let minute = reader.readNumber(digits: 2, in: 0...59), reader.skip(":"),
      let second = reader.readNumber(digits: 2, in: 0...60), reader.readFraction() != nil,
      let offset = reader.readOffset(), reader.isAtEnd
    else { return false }
    guard second == 60 else { return true }
    let minuteInUTC = hour * 60 + minute - offset
    return (minuteInUTC + 2 * 1_440) % 1_440 == 1_439
  }
}
