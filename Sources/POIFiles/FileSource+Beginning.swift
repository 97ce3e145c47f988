internal import JSONStreaming
internal import POIPlatform

extension FileSource {
  /// What is known of an input before it is read.
  package struct Beginning {
    /// The offset of a regular file's first byte; not 0 if standard input was read before. Nil for
    /// a pipe.
    let start: Int?

    /// The size of the file from `start` on, in bytes; nil for a pipe.
    let totalByteCount: Int?

    /// The first bytes, enough to identify the content; consumed if it is a pipe.
    let bytes: [UInt8]

    /// The program that makes the content readable; nil if it is read as it is.
    let program: InputProgram?

    var isSeekable: Bool { start != nil }

    /// - Parameter file: the path, and the part of the file that is to be read.
    init(
      of input: borrowing Descriptor, named name: String, at file: (path: String, part: String?)
    ) throws(InputError) {
      do throws(SystemError) {
        let status = try input.status()
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw SystemError(number: EISDIR) }
        if kind == S_IFREG, let position = input.position {
          start = position
          totalByteCount = max(Int(status.st_size) - position, 0)
          bytes = try input.bytes(at: position, maximum: ForeignFormat.longestBeginning)
        } else {
          start = nil
          totalByteCount = nil
          bytes = try Self.readFirstBytes(of: input)
        }
      } catch {
        throw InputError(reading: name, error)
      }
      guard let format = ForeignFormat(contentPrefix: bytes) else {
        guard file.part == nil else {
          throw InputError(
            code: .notFound, path: name, message: "\(file.path) is no file with several parts")
        }
        program = Compression(contentPrefix: bytes)?.inputProgram
        return
      }
      let converted = ConvertedFile(
        path: file.path, part: file.part, isInterrupted: input.isInterrupted)
      guard start != nil, file.path != "-", let found = try converted.program(for: format) else {
        throw InputError(code: .notJSON, path: name, message: format.message)
      }
      program = found
    }

    /// Reads a pipe until the bytes identify the content, or until its end.
    private static func readFirstBytes(
      of input: borrowing Descriptor
    ) throws(SystemError) -> [UInt8] {
      var taken: [UInt8] = []
      while ContentPrefix.isUndecided(taken) {
        let room = Compression.longestMagicByteCount - taken.count
        let more = try [UInt8](capacity: room) { output throws(SystemError) in
          try input.read(into: &output)
        }
        if more.isEmpty { break }
        taken += more
      }
      return taken
    }
  }
}
