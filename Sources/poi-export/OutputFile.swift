import JSONStreaming
import POIFiles
import POIPlatform
import POIToolSupport

/// A file that appears at its path when it is complete, and not before.
struct OutputFile: ~Copyable {
  private let path: String

  /// Nil for a pipe or device, which is written directly.
  private var file: NewFile?

  /// The pipe or device, or the file's descriptor.
  private let output: Descriptor
  private var compressor: Compressor?

  /// - Parameter mode: the permission bits; the umask is applied.
  /// - Throws: `ToolFailure` if the file cannot be created.
  init(_ path: String, mode: UInt32) throws(ToolFailure) {
    var status = stat()
    let isStream = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let file = isStream ? nil : try OutputFile.newFile(path, mode: mode)
    let output =
      switch file {
      case .some(let file): Descriptor(lent: file.descriptor.number)
      case .none: try OutputFile.stream(path)
      }
    compressor = try OutputFile.compressor(of: path, writingTo: output.number)
    self.file = file
    self.output = output
    self.path = path
  }

  private static func newFile(_ path: String, mode: UInt32) throws(ToolFailure) -> NewFile {
    do throws(SystemError) { return try NewFile(path, mode: mode, replaces: true) } catch {
      throw failure(path, error)
    }
  }

  private static func stream(_ path: String) throws(ToolFailure) -> Descriptor {
    do throws(SystemError) { return try Descriptor(opening: path, flags: O_WRONLY) } catch {
      throw failure(path, error)
    }
  }

  private static func compressor(
    of path: String, writingTo descriptor: Int32
  ) throws(ToolFailure) -> Compressor? {
    guard let compression = Compressor.compression(ofFileNamed: path) else { return nil }
    do throws(Compressor.Failure) {
      return try Compressor(compression, writingTo: descriptor)
    } catch {
      throw ToolFailure(.ioError, "\(path): \(error.message)")
    }
  }

  /// Refuses a file that is a SQLite database, as the store is, or a log of one, and a link to nothing.
  static func check(_ path: String) throws(ToolFailure) {
    guard !path.isEmpty else { throw ToolFailure(.usage, "--output: name a file") }
    var file = stat()
    if unsafe stat(path, &file) != 0, unsafe lstat(path, &file) == 0 {
      throw ToolFailure(.ioError, "\(path): cannot write the export: the link leads to no file")
    }
    for end in ["-wal", "-shm", "-journal"] where path.hasSuffix(end) {
      try check(String(path.dropLast(end.count)))
    }
    let text = "SQLite format 3\0".utf8
    guard let output = try? Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK),
      let bytes = try? output.bytes(at: 0, maximum: text.count), bytes.elementsEqual(text)
    else { return }
    throw ToolFailure(
      .usage,
      "\(path): belongs to a SQLite database, which an export does not replace; remove it first, or name another file"
    )
  }

  /// Refuses a path for a file that SQLite writes, if a file is there, or if it should be compressed.
  static func checkDatabase(_ path: String) throws(ToolFailure) {
    var file = stat()
    let isThere = unsafe lstat(path, &file) == 0
    guard !isThere, !path.isEmpty, path != "-" else {
      throw ToolFailure(
        .usage, "\(path): a database is written to a new file; name one that is not there")
    }
    if let compression = Compressor.compression(ofFileNamed: path) {
      throw ToolFailure(
        .usage, "\(path): a database is not written as \(compression); compress it afterwards")
    }
  }

  mutating func write(_ bytes: Span<UInt8>) throws(ToolFailure) {
    do throws(SystemError) {
      try compressor == nil ? output.write(bytes) : compressor!.write(bytes)
    } catch {
      if compressor != nil { try finishCompressor() }
      throw OutputFile.failure(path, error)
    }
  }

  /// Makes the file appear at its path.
  mutating func complete() throws(ToolFailure) {
    if compressor != nil { try finishCompressor() }
    do throws(SystemError) { try file?.complete() } catch {
      throw OutputFile.failure(path, error)
    }
  }

  /// - Throws: `ToolFailure` with what the program failed at.
  private mutating func finishCompressor() throws(ToolFailure) {
    do throws(Compressor.Failure) { try compressor!.finish() } catch {
      throw ToolFailure(.ioError, "\(path): \(error.message)")
    }
  }

  private static func failure(_ path: String, _ error: SystemError) -> ToolFailure {
    ToolFailure(.ioError, "\(path): cannot write the export: \(error.text)")
  }
}
