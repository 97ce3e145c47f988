internal import JSONStreaming
internal import POIFiles
internal import POIPlatform

/// Makes HTTP requests with the program `curl`.
public struct HTTPClient: Sendable {
  /// The seconds in which a connection must be made, and in which some byte must come.
  private static let patience = 30

  private let headers: [String]
  private let allowsPlainHTTP: Bool
  private let isInterrupted: @Sendable () -> Bool

  /// - Parameters:
  ///   - headers: lines such as `Authorization: Bearer …`, sent with each request. They are passed to curl's standard
  ///     input, and kept nowhere.
  ///   - allowsPlainHTTP: whether `http` may go to other machines than this one.
  ///   - isInterrupted: asked when a signal comes while an answer is awaited; returns whether to give up.
  /// - Throws: `SyncError` with `unusable` for a line that is no header.
  public init(
    headers: [String] = [], allowsPlainHTTP: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(SyncError) {
    try Self.check(headers)
    self.headers = headers
    self.allowsPlainHTTP = allowsPlainHTTP
    self.isInterrupted = isInterrupted
  }

  private static func check(_ headers: [String]) throws(SyncError) {
    for header in headers {
      let name = header.prefix { $0 != ":" }
      // curl reads the headers of a file for a line that begins with "@".
      guard name.count < header.count, !name.isEmpty, !header.hasPrefix("@"),
        !header.contains(where: \.isNewline)
      else { throw SyncError(.unusable, "'\(name)…' is no header; one is NAME: VALUE") }
    }
  }

  /// Checks an address to which requests may go, and which may be kept.
  ///
  /// - Throws: `SyncError` with `unusable` if it is not `http` or `https`, not encrypted, or holds a password.
  public func check(address: String) throws(SyncError) {
    let scheme = address.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), address.dropFirst(scheme.count).hasPrefix("://"),
      !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), !address.contains("#")
    else { throw SyncError(.unusable, "'\(address)' is no address that begins with https://") }
    let authority = Self.origin(of: address).dropFirst(scheme.count + 3)
    guard !authority.contains("@") else {
      throw SyncError(
        .unusable, "an address is kept, so it must not hold a password; pass a header")
    }
    let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains { host in
      authority == host || authority.hasPrefix(host + ":")
    }
    guard scheme == "https" || isLocal || allowsPlainHTTP else {
      throw SyncError(
        .unusable,
        "'\(address)' is not encrypted, and anyone on the way could read it; use https://")
    }
  }

  /// The beginning of an address with its scheme, host and port.
  static func origin(of address: String) -> Substring {
    let scheme = address.prefix { $0 != ":" }
    let authority = address.dropFirst(scheme.count + 3).prefix { !"/?".contains($0) }
    return address.prefix(scheme.count + 3 + authority.count)
  }

  /// Sends a request and awaits its answer, whatever its status.
  ///
  /// - Parameters:
  ///   - method: such as `DELETE`.
  ///   - headers: lines that are sent with this request only.
  /// - Throws: `SyncError` if no answer comes, or for an address or header that cannot be used.
  public func answer(
    to address: String, method: String = "GET", headers: [String] = [], sending body: [UInt8]? = nil
  ) throws(SyncError) -> HTTPAnswer {
    try check(address: address)
    try Self.check(headers)
    var lines = [
      "url = \(Self.quoted(address))", "silent", "show-error", "include", "compressed", "globoff",
      "proto = \"=http,https\"", "connect-timeout = \(Self.patience)", "speed-limit = 1",
      "speed-time = \(Self.patience)", "header = \"Accept: application/json\"",
    ]
    if body != nil {
      lines += [
        "data-binary = \"@/dev/fd/\(ProgramRun.attachmentNumber)\"",
        "header = \"Content-Type: application/json\"", "header = \"Expect:\"",
      ]
    }
    if method != "GET" { lines.append("request = \(Self.quoted(method))") }
    lines += (self.headers + headers).map { "header = \(Self.quoted($0))" }
    let attachment = try Self.file(holding: body)
    let run: ProgramRun
    do throws(SystemError) {
      run = try ProgramRun(
        "curl", ["--disable", "--config", "-"],
        input: Array((lines.joined(separator: "\n") + "\n").utf8), attachment: attachment,
        isInterrupted: isInterrupted)
    } catch {
      throw switch error.number {
      case EINTR: SyncError(.unreachable, "interrupted")
      case ENOENT:
        SyncError(.unusable, "curl is not installed; install it ('apt-get install curl')")
      default: SyncError(.unusable, "curl cannot be run: \(error.text)")
      }
    }
    guard run.exitCode == 0 else {
      let words = String(decoding: run.messages, as: UTF8.self)
        .split(whereSeparator: \.isNewline).first.map(String.init)
      throw SyncError(
        .unreachable, "\(address): \(words ?? "curl ended with \(run.exitCode ?? -1)")")
    }
    guard let answer = HTTPAnswer(run.output) else {
      throw SyncError(.unusable, "\(address): the answer is not HTTP")
    }
    return answer
  }

  private static func file(holding body: [UInt8]?) throws(SyncError) -> Descriptor {
    guard let body else { return .none }
    do throws(SystemError) {
      return try .temporary(holding: body.span)
    } catch {
      throw SyncError(
        .unusable,
        "no file can be written in the folder of temporary files (TMPDIR): \(error.text)")
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = ""
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(character)
    }
    return "\"\(quoted)\""
  }

  /// Percent-encodes all but unreserved characters (RFC 3986, section 2.3).
  static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
      }
    }.joined()
  }
}
