internal import JSONStreaming
internal import POIPlatform

/// A child process that decompresses or converts one input.
///
/// The child reads the file itself, as its standard input or by its path. If bytes were already read from a pipe to identify it, the
/// child reads a socket that is fed with them and then with the pipe.
struct ProgramPipe: ~Copyable {
  private let program: InputProgram

  private let inputName: String

  private var child: ChildProcess

  private let output: Descriptor

  /// The parent's end of the child's standard error; closed when the child closes its own.
  private var messages: Descriptor

  private var messageBytes: [UInt8] = []

  /// The parent's end of the child's standard input; closed if all was fed or the child reads the
  /// file itself.
  private var inlet: Descriptor

  private var feed: ArraySlice<UInt8>

  /// The number of input bytes read in order to be fed.
  private(set) var fedByteCount: Int

  private enum State {
    case running, finished
    case failed(InputError)
  }

  private var state = State.running

  private static let feedSize = 65_536
  private static let longestMessageByteCount = 2_048

  /// Starts a child that reads `file` from its current offset.
  init(
    _ program: InputProgram, reading file: borrowing Descriptor, named inputName: String
  ) throws(InputError) {
    try self.init(
      program, inputName: inputName, standardInput: file, inlet: .none, feed: [])
  }

  /// Starts a child that is fed with `first` and then with the rest of the input.
  init(
    _ program: InputProgram, feeding first: [UInt8], named inputName: String
  ) throws(InputError) {
    let sockets = try Self.pair(inputName) { () throws(SystemError) in try .make() }
    try self.init(
      program, inputName: inputName, standardInput: sockets.childs, inlet: sockets.ours,
      feed: first[...])
  }

  private init(
    _ program: InputProgram, inputName: String, standardInput: borrowing Descriptor,
    inlet: consuming Descriptor, feed: ArraySlice<UInt8>
  ) throws(InputError) {
    let output = try Self.pair(inputName) { () throws(SystemError) in try .makePipe() }
    let messages = try Self.pair(inputName) { () throws(SystemError) in try .make() }
    do throws(SystemError) {
      child = try ChildProcess(
        program: program.name, arguments: program.arguments,
        standardInput: standardInput, standardOutput: output.childs,
        standardError: messages.childs)
    } catch {
      throw program.startFailure(error, inputName)
    }
    self.program = program
    self.inputName = inputName
    self.output = output.ours
    self.messages = messages.ours
    self.inlet = inlet
    self.feed = feed
    fedByteCount = feed.count
  }

  private static func pair(
    _ inputName: String, _ make: () throws(SystemError) -> SocketPair
  ) throws(InputError) -> SocketPair {
    do throws(SystemError) {
      return try make()
    } catch {
      throw InputError(reading: inputName, error)
    }
  }
}

extension ProgramPipe {
  /// Appends the next decompressed bytes; appends nothing at the end of an intact input.
  ///
  /// - Parameter input: the bytes to feed; not read if the child reads the file itself.
  mutating func read(
    into bytes: inout OutputSpan<UInt8>, feedingFrom input: borrowing Descriptor
  ) throws(InputError) {
    switch state {
    case .finished: return
    case .failed(let failure): throw failure
    case .running: break
    }
    do throws(SystemError) {
      while true {
        let ready = try waitUntilReady(input)
        if ready.messages { try keepMessages() }
        if ready.output {
          let countBefore = bytes.count
          try output.read(into: &bytes)
          if bytes.count > countBefore { return }
          while !messages.isClosed { try keepMessages() }
          break
        }
        if ready.inlet { try feedChild() }
        if ready.input { try readFeed(from: input) }
      }
    } catch {
      throw InputError(reading: inputName, error)
    }
    do throws(InputError) {
      try checkEnding()
      state = .finished
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Waits for the child, which has closed its output; throws unless it exited with 0.
  private mutating func checkEnding() throws(InputError) {
    let how: String
    do throws(SystemError) {
      switch try child.wait() {
      case .exited(code: 0): return
      case .exited(let code): how = "failed with exit code \(code)"
      case .killed(let signal): how = "was killed by signal \(signal)"
      }
    } catch {
      throw InputError(
        code: .programFailed, path: inputName,
        message:
          "it is unknown whether \(program.name) reached the end (\(error.text)): this process "
          + "ignores SIGCHLD, or waits for every child; leave the child to the toolkit, or \(program.otherWay)"
      )
    }
    throw program.failure(how, said: messageBytes, inputName)
  }

  private struct Readiness {
    var output, messages, inlet, input: Bool
  }

  private func waitUntilReady(_ input: borrowing Descriptor) throws(SystemError) -> Readiness {
    // The system skips a negative number.
    var streams = [
      pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: messages.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: feed.isEmpty ? -1 : inlet.number, events: Int16(POLLOUT), revents: 0),
      pollfd(
        fd: feed.isEmpty && !inlet.isClosed ? input.number : -1, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&streams, nfds_t(streams.count), -1) < 0 {
      let failure = SystemError.last
      guard failure.number == EINTR, !input.isInterrupted() else { throw failure }
    }
    return Readiness(
      output: streams[0].revents != 0, messages: streams[1].revents != 0,
      inlet: streams[2].revents != 0, input: streams[3].revents != 0)
  }

  private mutating func feedChild() throws(SystemError) {
    do throws(SystemError) {
      feed = feed.dropFirst(try SocketPair.send(feed, to: inlet.number))
    } catch {
      switch error.number {
      case EINTR, EAGAIN: return
      case EPIPE, ECONNRESET:
        // The child has stopped reading; its exit status says whether that is right.
        feed = []
        inlet.close()
      default: throw error
      }
    }
  }

  /// Reads the next bytes to feed; closes the child's input at the end of the input.
  private mutating func readFeed(from input: borrowing Descriptor) throws(SystemError) {
    let taken = try [UInt8](capacity: Self.feedSize) { bytes throws(SystemError) in
      try input.read(into: &bytes)
    }
    fedByteCount += taken.count
    feed = taken[...]
    if taken.isEmpty { inlet.close() }
  }

  /// Reads the child's messages, keeps the beginning and drops the rest.
  private mutating func keepMessages() throws(SystemError) {
    let said = try [UInt8](capacity: Self.longestMessageByteCount) { bytes throws(SystemError) in
      try messages.read(into: &bytes)
    }
    messageBytes += said.prefix(Self.longestMessageByteCount - messageBytes.count)
    if said.isEmpty { messages.close() }
  }
}
