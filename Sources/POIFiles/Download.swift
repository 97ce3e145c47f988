internal import JSONStreaming
internal import POIPlatform

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
    let queryMark = rest.dropFirst(authority.count + path.count)
    guard !queryMark.isEmpty else { return scheme + host + path }
    let query = queryMark.dropFirst().split(
      separator: "&", omittingEmptySubsequences: false
    ).map { $0.contains("=") ? $0.prefix { $0 != "=" } + "=…" : "…" }
    return scheme + host + path + "?" + query.joined(separator: "&")
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
  private let address: String
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

  /// What is in front of the tag and of the date of an answer.
  private static let mark = "poi-version: "

  private static func quoted(_ text: String) -> String {
    "\"\(text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined())\""
  }

  /// The lines that tell the program what to fetch.
  private static func configuration(of address: String) -> [String] {
    [
      "url = \(quoted(address))", "silent", "show-error", "location", "globoff",
      "proto = \"=http,https\"", "proto-redir = \"=http,https\"",
      "connect-timeout = \(connectingTime)", "speed-limit = 1", "speed-time = \(silentTime)",
    ]
  }

  /// Whether a server says that it has no other version of an input. Any other answer, and none, is false.
  static func isUnchanged(
    _ version: InputVersion, isInterrupted: @escaping @Sendable () -> Bool
  ) -> Bool {
    let lines =
      configuration(of: version.address) + [
        "head", "header = \(quoted(version.condition))", "output = \"/dev/null\"",
        "write-out = \"%{http_code}\"", "",
      ]
    let run = try? ProgramRun(
      program.name, program.arguments, input: Array(lines.joined(separator: "\n").utf8),
      attachment: .none, isInterrupted: isInterrupted)
    return run?.exitCode == 0 && run?.output == Array("304".utf8)
  }

  /// Starts the program.
  ///
  /// - Parameter output: gets the bytes of the answer.
  init(
    _ address: String, writingTo output: borrowing Descriptor
  ) throws(InputError) {
    let name = WebAddress.shown(address)
    try WebAddress.check(address)
    // The address is on no command line, which other users could read.
    let lines =
      Self.configuration(of: address) + [
        "fail",
        "write-out = \"%{stderr}\\n\(Self.mark)%header{etag}\\n\(Self.mark)%header{last-modified}\\n\"",
        "",
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
    self.address = address
  }

  private static func pair(_ name: String) throws(InputError) -> SocketPair {
    do throws(SystemError) { return try .make() } catch {
      throw InputError(reading: name, error)
    }
  }

  /// Waits for the end of the program, which has closed its output.
  ///
  /// Whether the program ends within some milliseconds: it closes its standard error then.
  func hasEnded(within time: Int32) -> Bool {
    // Words of the program are no event.
    var stream = pollfd(fd: messages.number, events: 0, revents: 0)
    return unsafe poll(&stream, 1, time) > 0
  }

  /// How a download ended.
  enum Ending {
    /// All bytes came, of a version that the server named or not.
    case whole(InputVersion?)
    /// The error, and whether another attempt may succeed.
    case failed(InputError, isPassing: Bool)
  }

  mutating func finish() -> Ending {
    guard hasEnded(within: 10_000) else {
      return .failed(Self.program.failure("did not end", said: [], name), isPassing: false)
    }
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
      case .exited(code: 0): return .whole(version(in: said))
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
    let words = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { !$0.hasPrefix(Self.mark) }.joined(separator: "\n")
    return .failed(
      Self.program.failure(how, said: Array(words.utf8), name), isPassing: isPassing)
  }

  /// The version that the program wrote.
  private func version(in said: [UInt8]) -> InputVersion? {
    let values = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { $0.hasPrefix(Self.mark) }.map { $0.dropFirst(Self.mark.count) }
    // An older program writes the name of the header instead.
    for (value, header) in zip(values, ["If-None-Match", "If-Modified-Since"])
    where !value.isEmpty && !value.hasPrefix("%header") {
      return InputVersion(address: address, condition: "\(header): \(value)")
    }
    return nil
  }
}
