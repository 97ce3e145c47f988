package import JSONStreaming
internal import POIPlatform

/// An open file descriptor, closed when its owner goes.
package struct Descriptor: ~Copyable {
  /// The system's number, or -1 once it is closed.
  package private(set) var number: Int32

  private let isOwned: Bool

  /// Called when a signal ends a waiting read; if it returns true, the read fails with `EINTR`.
  var isInterrupted: @Sendable () -> Bool = { false }

  /// Takes ownership of `number`.
  ///
  /// A number of 0 to 2 is replaced, because child processes have their standard streams there.
  init(owning number: Int32) throws(SystemError) {
    guard number <= STDERR_FILENO else {
      self.number = number
      isOwned = true
      return
    }
    let moved = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    let failure = SystemError.last
    POIPlatform.close(number)
    guard moved >= 0 else { throw failure }
    self.number = moved
    isOwned = true
  }

  package init(lent number: Int32) {
    self.number = number
    isOwned = false
  }

  /// The process's standard input, which stays open.
  static var standardInput: Descriptor { Descriptor(lent: STDIN_FILENO) }

  /// Opens the file at `path`; a named pipe waits for its other end.
  ///
  /// - Parameters:
  ///   - flags: the flags of `open(2)`; child processes never get the descriptor.
  ///   - mode: the permission bits of a new file; the umask is applied.
  ///   - isInterrupted: called when a signal ends that wait; if it returns true, opening fails with `EINTR`.
  package init(
    opening path: String, flags: Int32 = O_RDONLY | O_NOCTTY, mode: UInt32 = 0,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(SystemError) {
    var opened: Int32
    repeat {
      opened = unsafe open(path, flags | O_CLOEXEC, mode)
      let failure = SystemError.last
      guard opened >= 0 || failure.number == EINTR && !isInterrupted() else { throw failure }
    } while opened < 0
    try self.init(owning: opened)
  }

  /// Checks that `path` is readable and is not a folder.
  static func check(_ path: String) throws(SystemError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, unsafe access(path, R_OK) == 0 else { throw .last }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(number: EISDIR) }
  }

  /// The size of the regular file at `path` in bytes; -1 for another kind of file, nil if nothing is there.
  package static func size(ofFile path: String) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : -1
  }

  package static var none: Descriptor { Descriptor(lent: -1) }

  deinit {
    if isOwned && number >= 0 { POIPlatform.close(number) }
  }

  package var isClosed: Bool { number < 0 }

  mutating func close() {
    if isOwned && number >= 0 { POIPlatform.close(number) }
    number = -1
  }

  func status() throws(SystemError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .last }
    return status
  }

  /// Whether it is a regular file.
  package var isRegularFile: Bool { (try? status()).map { $0.st_mode & S_IFMT } == S_IFREG }

  /// Locks the file for this descriptor: `flock(2)`.
  ///
  /// - Returns: false if another one has locked it; true, too, if the file system has no locks.
  package func lock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

  /// Ends the lock at once, also if a program that is just being started still has the descriptor.
  package func unlock() { _ = flock(number, LOCK_UN) }

  /// Waits until the file is on the disk: `fsync(2)`.
  package func sync() throws(SystemError) { guard fsync(number) == 0 else { throw .last } }

  /// Writes all bytes, again after an interruption: `write(2)`.
  package func write(_ bytes: Span<UInt8>) throws(SystemError) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.extracting(start...).withUnsafeBytes { bytes in
        unsafe POIPlatform.write(number, bytes.baseAddress, bytes.count)
      }
      guard count >= 0 || errno == EINTR else { throw .last }
      start += max(count, 0)
    }
  }

  /// Appends the bytes of one read: at least one, unless the file has ended.
  func read(into output: inout OutputSpan<UInt8>) throws(SystemError) {
    try unsafe output.withUnsafeMutableBufferPointer { buffer, count throws(SystemError) in
      guard let base = buffer.baseAddress else { return }
      count += try unsafe read(into: base + count, capacity: buffer.count - count)
    }
  }

  /// Returns at most `maximum` bytes from `offset` on; does not move the offset of `read`.
  package func bytes(at offset: Int, maximum: Int) throws(SystemError) -> [UInt8] {
    try [UInt8](capacity: maximum) { output throws(SystemError) in
      try unsafe output.withUnsafeMutableBufferPointer { buffer, count throws(SystemError) in
        count = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      }
    }
  }

  /// Fills `bytes` from `offset` on, unless the file ends before; does not move the offset of `read`.
  ///
  /// - Returns: the number of bytes that were read.
  package func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    var count = 0
    while count < bytes.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      let got = unsafe pread(number, rest.baseAddress, rest.count, offset + count)
      guard got >= 0 || errno == EINTR else { throw .last }
      if got == 0 { break }
      count += max(got, 0)
    }
    return count
  }

  /// The offset of the next read of a regular file, in bytes; nil if the file has no offset.
  var position: Int? {
    let position = lseek(number, 0, SEEK_CUR)
    return position < 0 ? nil : position
  }

  /// Sets the offset of the next read of a regular file, in bytes.
  package func seek(to position: Int) throws(SystemError) {
    guard lseek(number, position, SEEK_SET) == position else { throw .last }
  }

  /// Reads once, again after an interruption; waits if the descriptor is non-blocking.
  private func read(
    into base: UnsafeMutablePointer<UInt8>, capacity: Int
  ) throws(SystemError) -> Int {
    while true {
      let got = unsafe POIPlatform.read(number, base, capacity)
      if got >= 0 { return got }
      var failure = SystemError.last
      if failure.number == EAGAIN {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&wait, 1, -1) >= 0 { continue }
        failure = .last
      }
      guard failure.number == EINTR, !isInterrupted() else { throw failure }
    }
  }
}
