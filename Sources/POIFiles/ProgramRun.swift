package import JSONStreaming
internal import POIPlatform

/// A run of another program from its input to its exit code.
package struct ProgramRun {
  /// What it wrote to standard output.
  package var output: [UInt8] = []
  /// What it wrote to standard error, at most 64 KiB.
  package var messages: [UInt8] = []
  /// Its exit code; nil if a signal ended it.
  package var exitCode: Int32?

  /// The number of the descriptor from which a program reads its attachment.
  package static let attachmentNumber = ChildProcess.attachmentNumber

  /// Runs a program, looked up in `PATH`, until it ends.
  ///
  /// - Parameters:
  ///   - input: its standard input, at most some KiB.
  ///   - attachment: what it can read from descriptor 3.
  ///   - isInterrupted: asked when a signal comes; if it returns true, the program is ended.
  /// - Throws: the system's error: ENOENT if there is no such program, EINTR if it was interrupted.
  package init(
    _ program: String, _ arguments: [String], input: [UInt8], attachment: consuming Descriptor,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(SystemError) {
    let inlet = try SocketPair.make()
    let outlet = try SocketPair.make()
    let errors = try SocketPair.make()
    var child = try ChildProcess(
      program: program, arguments: arguments, standardInput: inlet.childs,
      standardOutput: outlet.childs, standardError: errors.childs, attachment: attachment)
    // Its output ends when no process has these ends.
    Self.close(inlet.childs)
    Self.close(outlet.childs)
    Self.close(errors.childs)
    var source = inlet.ours
    var output = outlet.ours
    var messages = errors.ours
    var rest = input[...]
    while !rest.isEmpty { rest = rest.dropFirst(try SocketPair.send(rest, to: source.number)) }
    source.close()
    output.isInterrupted = isInterrupted
    // The program may write much to each before it writes to the other.
    while !output.isClosed || !messages.isClosed {
      var streams = [
        pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: messages.number, events: Int16(POLLIN), revents: 0),
      ]
      while unsafe poll(&streams, 2, -1) < 0 {
        let failure = SystemError.last
        guard failure.number == EINTR, !isInterrupted() else { throw failure }
      }
      if streams[0].revents != 0 { try Self.read(&output, to: &self.output, atMost: .max) }
      if streams[1].revents != 0 { try Self.read(&messages, to: &self.messages, atMost: 1 << 16) }
    }
    if case .exited(let code) = try child.wait() { exitCode = code }
  }

  private static func close(_ descriptor: consuming Descriptor) { descriptor.close() }

  /// Appends what is there, up to a limit; closes a stream that has ended.
  private static func read(
    _ source: inout Descriptor, to bytes: inout [UInt8], atMost limit: Int
  ) throws(SystemError) {
    let count = bytes.count
    if bytes.capacity - count < 1 << 16 { bytes.reserveCapacity(2 * bytes.capacity + 1 << 16) }
    try bytes.append(addingCapacity: 1 << 16) { (output) throws(SystemError) in
      try source.read(into: &output)
    }
    if bytes.count == count { source.close() }
    if bytes.count > limit { bytes.removeLast(bytes.count - limit) }
  }
}
