internal import Glibc

/// A file descriptor that is written to and that someone else owns.
struct OutputDescriptor: Sendable {
  static let standardOutput = OutputDescriptor(number: 1, name: "standard output")

  static let standardError = OutputDescriptor(number: 2, name: "standard error")

  let number: Int32

  /// What error messages call it.
  let name: String

  /// Writes all bytes, however many calls that takes.
  ///
  /// - Throws: `OutputError` when the system refuses a write.
  /// - SeeAlso: `write(2)`
  func write(_ bytes: Span<UInt8>) throws(OutputError) {
    var writtenCount = 0
    while writtenCount < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          number, buffer.baseAddress.map { unsafe $0 + writtenCount }, buffer.count - writtenCount)
      }
      if result >= 0 {
        writtenCount += result
      } else if errno == EAGAIN {
        try waitUntilWritable()
      } else if errno != EINTR {
        throw OutputError(code: errno, location: name)
      }
    }
  }

  /// Waits for room in a pipe or terminal whose other users made it non-blocking.
  private func waitUntilWritable() throws(OutputError) {
    var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    let result = unsafe poll(&request, 1, -1)
    if result < 0, errno != EINTR { throw OutputError(code: errno, location: name) }
  }
}

extension OutputDescriptor {
  /// Whether it leads to a terminal.
  ///
  /// - SeeAlso: `isatty(3)`
  var isTerminal: Bool { isatty(number) == 1 }

  /// The columns of the terminal it leads to; nil if that is not known.
  ///
  /// - SeeAlso: `ioctl_tty(2)`
  var terminalWidth: Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
