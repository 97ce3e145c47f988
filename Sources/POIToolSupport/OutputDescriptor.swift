internal import POIPlatform

/// A file descriptor for writing, not owned.
struct OutputDescriptor: Sendable {
  static let standardOutput = OutputDescriptor(number: 1, name: "standard output")

  static let standardError = OutputDescriptor(number: 2, name: "standard error")

  let number: Int32

  let name: String

  /// Writes all bytes, in as many calls as necessary.
  ///
  /// - Returns: 0, or the `errno` of the call that failed.
  /// - SeeAlso: `write(2)`
  func write(_ bytes: Span<UInt8>) -> Int32 {
    var writtenCount = 0
    while writtenCount < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe POIPlatform.write(
          number, buffer.baseAddress.map { unsafe $0 + writtenCount }, buffer.count - writtenCount)
      }
      if result >= 0 {
        writtenCount += result
      } else if errno == EAGAIN {
        // Another program may have made the pipe or terminal non-blocking: wait for room.
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&request, 1, -1) < 0, errno != EINTR { return errno }
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  var isTerminal: Bool { isatty(number) == 1 }
}
