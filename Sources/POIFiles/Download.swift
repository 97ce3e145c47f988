internal import Glibc
internal import JSONStreaming

/// The address of an input on a web server.
enum WebAddress {
  static func isAddress(_ path: String) -> Bool {
    ["http://", "https://"].contains { path.lowercased().hasPrefix($0) }
  }

  /// The address for messages, reports and tables: user information and the values of a query are `…`.
  static func shown(_ address: String) -> String {
    let scheme = address.prefix { $0 != ":" } + "://"
    let rest = address.dropFirst(scheme.count).prefix { $0 != "#" }
    let authority = rest.prefix { !"/?".contains($0) }
    let host = authority.lastIndex(of: "@").map { "…" + authority[$0...] } ?? String(authority)
    let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
    let query = rest.dropFirst(authority.count + path.count).dropFirst().split(
      separator: "&", omittingEmptySubsequences: false
    ).map { $0.contains("=") ? $0.prefix { $0 != "=" } + "=…" : "…" }
    return scheme + host + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// - Throws: `InputError` if the address has white space or control characters.
  static func check(_ address: String) throws(InputError) {
    guard !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      throw InputError(
        code: .notFound, path: shown(address),
        message: "an address has no spaces; write them as %20")
    }
  }
}

/// A program that fetches one input from a web server, `curl`.
struct Download: ~Copyable {
  private let name: String
  private var child: ChildProcess
  private let messages: Descriptor

  private static let program = InputProgram(
    name: "curl", arguments: ["--disable", "--config", "-"], content: "is on a web server",
    installation: "apt-get install curl",
    remedy: "check the address and the connection, and run again",
    otherWay: "fetch the file another way")

  /// The seconds in which a connection must be made, and in which some byte must come.
  private static let (connectingTime, silentTime) = (20, 60)

  /// How often a request is sent if no byte came.
  static let attemptCount = 3

  /// Starts the program.
  ///
  /// - Parameter output: gets the bytes of the answer.
  init(
    _ address: String, writingTo output: borrowing Descriptor
  ) throws(InputError) {
    let name = WebAddress.shown(address)
    try WebAddress.check(address)
    let quoted = address.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    // The address is on no command line, which other users could read.
    let lines = [
      "url = \"\(quoted)\"", "silent", "show-error", "fail", "location", "globoff",
      "proto = \"=http,https\"", "proto-redir = \"=http,https\"",
      "connect-timeout = \(Self.connectingTime)", "speed-limit = 1",
      "speed-time = \(Self.silentTime)", "",
    ]
    // The end of the lines is the end of this socket, which goes with this scope.
    let inlet = try Self.pair(name)
    let errors = try Self.pair(name)
    do throws(SystemError) {
      var rest = Array(lines.joined(separator: "\n").utf8)[...]
      while !rest.isEmpty {
        rest = rest.dropFirst(try SocketPair.send(rest, to: inlet.ours.number))
      }
      child = try ChildProcess(
        program: Self.program.name, arguments: Self.program.arguments,
        standardInput: inlet.childs, standardOutput: output, standardError: errors.childs)
    } catch {
      throw Self.program.startFailure(error, name)
    }
    messages = errors.ours
    self.name = name
  }

  private static func pair(_ name: String) throws(InputError) -> SocketPair {
    do throws(SystemError) { return try .make() } catch {
      throw InputError(reading: name, error)
    }
  }

  /// Waits for the end of the program, which has closed its output.
  ///
  /// - Returns: nil if all bytes came; else the error, and whether another attempt may succeed.
  mutating func finish() -> (error: InputError, isPassing: Bool)? {
    var said: [UInt8] = []
    let how: String
    var isPassing = false
    do throws(SystemError) {
      while said.count < 1 << 11 {
        let more = try [UInt8](capacity: 1 << 11) { bytes throws(SystemError) in
          try messages.read(into: &bytes)
        }
        if more.isEmpty { break }
        said += more
      }
      switch try child.wait() {
      case .exited(code: 0): return nil
      case .exited(let code):
        how = "failed with exit code \(code)"
        // No name, no connection, no answer in time, a broken connection; 22 for a status such as 503.
        let text = String(decoding: said, as: UTF8.self)
        isPassing =
          [6, 7, 28, 35, 52, 55, 56].contains(code)
          || code == 22 && ["error: 5", "error: 429"].contains { text.contains($0) }
      case .killed(let signal): how = "was killed by signal \(signal)"
      }
    } catch {
      how = "is lost: \(error.text)"
    }
    return (Self.program.failure(how, said: said, name), isPassing)
  }
}
