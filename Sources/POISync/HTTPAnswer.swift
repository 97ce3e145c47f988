/// An answer to a request.
public struct HTTPAnswer: Sendable {
  /// The code, such as 200.
  public let status: Int
  /// The content.
  public let body: [UInt8]

  /// Names in lower case, and values.
  private let headers: [(name: String, value: String)]

  /// The first value of a header; nil without it.
  ///
  /// - Parameter name: its name in lower case.
  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// How long the server asks to wait, at most a day.
  private var retryAfter: Duration? {
    header("retry-after").flatMap { Int($0) }.map { .seconds(min(max($0, 0), 86_400)) }
  }

  /// - Parameter bytes: the answer as curl includes its headers; nil if it has no headers.
  init?(_ bytes: consuming [UInt8]) {
    var position = 0
    var status: Int?
    var headers: [(name: String, value: String)] = []
    // An interim answer (1xx) comes before the answer.
    repeat {
      (status, headers) = (nil, [])
      while let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: bytes[position..<end], as: UTF8.self).trimmingEnd
        position = end + 1
        if line.isEmpty { break }
        if status == nil {
          let parts = line.split(separator: " ")
          guard line.hasPrefix("HTTP/"), parts.count > 1 else { return nil }
          status = Int(parts[1])
        } else {
          let name = line.prefix { $0 != ":" }
          let value = line.dropFirst(name.count + 1).drop { $0 == " " }
          headers.append((name.lowercased(), String(value)))
        }
      }
      guard status != nil else { return nil }
    } while (100..<200).contains(status ?? 0)
    self.status = status ?? 0
    self.headers = headers
    bytes.removeFirst(position)
    body = bytes
  }

  /// The content of an answer with the status 200.
  ///
  /// - Parameters:
  ///   - address: what was asked, for the error.
  ///   - isPush: whether records were sent.
  /// - Throws: `SyncError` for another status, with the server's words.
  public func bodyOfSuccess(
    from address: String, isPush: Bool = false
  ) throws(SyncError) -> [UInt8] {
    if status == 200 { return body }
    let text = String(decoding: body.prefix(300), as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").visible
    let place = header("location").map { " and leads to \($0.visible)" } ?? ""
    let message =
      "\(address): the server answers \(status)\(place)\(words.isEmpty ? "" : ": \(words)")"
    throw switch status {
    case 401, 403, 407: SyncError(.credentials, message)
    case 408, 425, 429, 500, 502...504: SyncError(.unreachable, message, retryAfter: retryAfter)
    case 400, 409, 412, 413, 422: SyncError(isPush ? .refused : .unusable, message)
    default: SyncError(.unusable, message)
    }
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
