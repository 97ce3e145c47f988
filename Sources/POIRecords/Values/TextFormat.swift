internal import JSONStreaming

/// A value of the keyword `format`. All formats are enforced.
package enum TextFormat: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  case uuid, dateTime, date, time, email, uri, jsonPointer, timestamp

  package var name: String {
    switch self {
    case .uuid: "uuid"
    case .dateTime: "date-time"
    case .date: "date"
    case .time: "time"
    case .email: "email"
    case .uri: "uri"
    case .jsonPointer: "json-pointer"
    case .timestamp: "timestamp"
    }
  }

  var phrase: String {
    switch self {
    case .uuid: "a uuid such as 1975DB51-5A45-4FD6-AC54-46CA6042C710"
    case .dateTime: "a date-time such as 2024-02-29T12:30:00Z"
    case .date: "a date such as 2024-02-29"
    case .time: "a time with a zone such as 12:30:00Z"
    case .email: "an e-mail address such as name@example.org"
    case .uri: "a uri with a scheme such as https://example.org/"
    case .jsonPointer: "a JSON pointer such as /a/0"
    case .timestamp: "a timestamp such as 2024/02/29 12:30"
    }
  }

  /// Whether UTF-8 text has the format.
  package func admits(_ text: Span<UInt8>) -> Bool {
    switch self {
    case .uuid: UUIDText.isUUID(text)
    case .dateTime:
      // RFC 3339 does not allow the space that `Instant` accepts.
      Instant(rfc3339: text) != nil && text[10] != 0x20
    case .date: Instant(date: text) != nil
    case .time: Self.isTime(text)
    case .email: EmailText.isAddress(text)
    case .uri: URIText.isURI(text)
    case .jsonPointer: JSONPointer.isPointer(text)
    case .timestamp: Instant(timestamp: text) != nil
    }
  }

  /// Whether `text` is a time with a zone; second 60 is valid only at the end of the day in UTC.
  ///
  /// Page: RFC 3339, section 5.6, `full-time`
  private static func isTime(_ text: Span<UInt8>) -> Bool {
    var reader = DateReader(text)
    guard let hour = reader.readNumber(digits: 2, in: 0...23), reader.skip(":"),
      let minute = reader.readNumber(digits: 2, in: 0...59), reader.skip(":"),
      let second = reader.readNumber(digits: 2, in: 0...60), reader.readFraction() != nil,
      let offset = reader.readOffset(), reader.isAtEnd
    else { return false }
    let minuteInUTC = hour * 60 + minute - offset
    return second < 60 || (minuteInUTC + 2 * 1_440) % 1_440 == 1_439
  }
}
