package import JSONStreaming
internal import POIPlatform

/// A child process that compresses what is written to it into a file.
package struct Compressor: ~Copyable {
  private let compression: Compression
  private var child: ChildProcess
  private var inlet: Descriptor

  /// Why a file was not compressed.
  package struct Failure: Error {
    /// The reason and what to do about it, in lower case.
    package let message: String
  }

  /// The compression that the end of a file's name asks for; nil for none.
  package static func compression(ofFileNamed name: String) -> Compression? {
    Compression.allCases.first { name.lowercased().hasSuffix($0.fileNameEnd) }
  }

  /// Starts a child that writes to a file.
  ///
  /// - Parameter number: the descriptor of the file.
  /// - Throws: `Failure` if the program is not installed or cannot be started.
  package init(_ compression: Compression, writingTo number: Int32) throws(Failure) {
    do throws(SystemError) {
      let sockets = try SocketPair.make()
      let file = Descriptor(lent: number)
      let errors = Descriptor(lent: STDERR_FILENO)
      child = try ChildProcess(
        program: compression.program, arguments: ["-c"], standardInput: sockets.childs,
        standardOutput: file, standardError: errors)
      inlet = sockets.ours
    } catch {
      let program = compression.program
      throw Failure(
        message: error.number == ENOENT
          ? "\(program) is not installed; install it ('apt-get install \(compression.package)') or "
            + "name a file without compression"
          : "cannot start \(program): \(error.text)")
    }
    self.compression = compression
  }

  /// Writes bytes to be compressed.
  package func write(_ bytes: Span<UInt8>) throws(SystemError) { try inlet.write(bytes) }

  /// Waits until the file is complete.
  ///
  /// - Throws: `Failure` if the program failed, for example because the disk is full.
  package mutating func finish() throws(Failure) {
    inlet.close()
    let program = compression.program
    do throws(SystemError) {
      if try child.wait() == .exited(code: 0) { return }
    } catch {
      throw Failure(message: "it is unknown whether \(program) wrote everything (\(error.text))")
    }
    throw Failure(message: "\(program) failed; is the disk full?")
  }
}
