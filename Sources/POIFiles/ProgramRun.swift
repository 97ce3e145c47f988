internal import Glibc
package import JSONStreaming

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
    self.output = try Self.readAll(&output, atMost: .max)
    self.messages = try Self.readAll(&messages, atMost: 1 << 16)
    if case .exited(let code) = try child.wait() { exitCode = code }
  }

  private static func close(_ descriptor: consuming Descriptor) { descriptor.close() }

  private static func readAll(
    _ source: inout Descriptor, atMost limit: Int
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let count = bytes.count
      if bytes.capacity - count < 1 << 16 { bytes.reserveCapacity(2 * bytes.capacity + 1 << 16) }
      try bytes.append(addingCapacity: 1 << 16) { (output) throws(SystemError) in
        try source.read(into: &output)
      }
      if bytes.count == count { break }
    }
    return bytes
  }
}
