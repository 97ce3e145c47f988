/// An answer with its status line and headers.
struct HTTPAnswer {
  let status: Int
  let body: [UInt8]
  /// How long the server asks to wait.
  let retryAfter: Duration?

  /// The beginning of the body, if it is text.
  var words: String {
    let text = String(decoding: body.prefix(300), as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ").visible
  }

  /// - Parameter bytes: the answer as curl includes its headers; nil if it has no headers.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    var (status, seconds): (Int?, Int?)
    // An interim answer (1xx) comes before the answer.
    repeat {
      (status, seconds) = (nil, nil)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self).trimmingEnd
        rest = rest[(end + 1)...]
        if line.isEmpty { break }
        if status == nil {
          let parts = line.split(separator: " ")
          guard line.hasPrefix("HTTP/"), parts.count > 1 else { return nil }
          status = Int(parts[1])
        } else if line.lowercased().hasPrefix("retry-after:") {
          seconds = Int(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " })
        }
      }
      guard status != nil else { return nil }
    } while (100..<200).contains(status ?? 0)
    self.status = status ?? 0
    body = Array(rest)
    retryAfter = seconds.map { .seconds(min(max($0, 0), 86_400)) }
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// Without control characters.
  fileprivate var visible: String {
    String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
  }
}
