internal import Glibc
internal import JSONStreaming
internal import POIFiles
internal import POIRecords

/// A server of the sync protocol, asked by the program `curl`.
///
/// It has two routes: `GET …/pull?checkpoint=…&limit=…`, without a checkpoint for the first page, and `POST …/push`.
public struct HTTPServer: SyncServer {
  /// The seconds in which a connection must be made, and in which some byte must come.
  private static let patience = 30

  private let address: String
  private let headers: [String]
  private let isInterrupted: @Sendable () -> Bool

  /// - Parameters:
  ///   - address: the address before `/pull` and `/push`. Plain `http` is for this machine alone.
  ///   - headers: lines such as `Authorization: Bearer …`. They are passed to curl's standard input, and kept nowhere.
  ///   - allowsPlainHTTP: whether `http` may go to other machines.
  ///   - isInterrupted: asked when a signal comes while an answer is awaited; returns whether to give up.
  /// - Throws: `SyncError` with `unusable` for an address or header that cannot be used.
  public init(
    address: String, headers: [String] = [], allowsPlainHTTP: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(SyncError) {
    let scheme = address.prefix { $0 != ":" }.lowercased()
    let rest = address.dropFirst(scheme.count)
    guard ["http", "https"].contains(scheme), rest.hasPrefix("://"),
      !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), !address.contains("?"),
      !address.contains("#")
    else {
      throw SyncError(
        .unusable, "'\(address)' is no address that begins with https:// and has no query")
    }
    let authority = rest.dropFirst(3).prefix { $0 != "/" }
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
    for header in headers {
      let name = header.prefix { $0 != ":" }
      // curl reads the headers of a file for a line that begins with "@".
      guard name.count < header.count, !name.isEmpty, !header.hasPrefix("@"),
        !header.contains(where: \.isNewline)
      else { throw SyncError(.unusable, "'\(name)…' is no header; one is NAME: VALUE") }
    }
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
    self.headers = headers
    self.isInterrupted = isInterrupted
  }

  /// Asks for a page.
  public func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    let place = checkpoint.map { "&checkpoint=\(Self.escaped($0))" } ?? ""
    let answer = try answer(to: "\(address)/pull?limit=\(limit)\(place)", sending: nil)
    guard answer.status != 200 else { return answer.body }
    throw error(of: answer, isPush: false)
  }

  /// Sends records.
  public func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    let answer = try answer(to: "\(address)/push", sending: request)
    guard answer.status != 200 else { return answer.body }
    throw error(of: answer, isPush: true)
  }

  private func error(of answer: HTTPAnswer, isPush: Bool) -> SyncError {
    let words = answer.words.isEmpty ? "" : ": \(answer.words)"
    let message = "\(address): the server answers \(answer.status)\(words)"
    return switch answer.status {
    case 401, 403, 407: SyncError(.credentials, message)
    case 408, 425, 429, 500, 502...504:
      SyncError(.unreachable, message, retryAfter: answer.retryAfter)
    case 400, 409, 412, 413, 422: SyncError(isPush ? .refused : .unusable, message)
    default: SyncError(.unusable, message)
    }
  }

  /// Percent-encodes all but unreserved characters (RFC 3986, section 2.3).
  private static func escaped(_ text: String) -> String {
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

  // MARK: The program

  /// The lines that tell curl what to do.
  private func configuration(_ address: String, isPost: Bool) -> String {
    var lines = [
      "url = \(Self.quoted(address))", "silent", "show-error", "include", "compressed",
      "proto = \"=http,https\"", "connect-timeout = \(Self.patience)", "speed-limit = 1",
      "speed-time = \(Self.patience)", "header = \"Accept: application/json\"",
    ]
    if isPost {
      lines += [
        "data-binary = \"@/dev/fd/\(ProgramRun.attachmentNumber)\"",
        "header = \"Content-Type: application/json\"", "header = \"Expect:\"",
      ]
    }
    lines += headers.map { "header = \(Self.quoted($0))" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = ""
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(character)
    }
    return "\"\(quoted)\""
  }

  private func answer(to address: String, sending body: [UInt8]?) throws(SyncError) -> HTTPAnswer {
    let run: ProgramRun
    do throws(SystemError) {
      run = try ProgramRun(
        "curl", ["--disable", "--config", "-"],
        input: Array(configuration(address, isPost: body != nil).utf8), attachment: body,
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
        .unreachable, "\(self.address): \(words ?? "curl ended with \(run.exitCode ?? -1)")")
    }
    guard let answer = HTTPAnswer(run.output) else {
      throw SyncError(.unusable, "\(self.address): the answer is not HTTP")
    }
    return answer
  }
}
