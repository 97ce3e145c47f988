import Glibc
import POIInputs
import ToolSupport

/// A file that appears at its path when it is complete, and not before.
struct OutputFile: ~Copyable {
  private let path: String

  /// The path until then, in the same folder; nil for a pipe or device, which is written directly.
  private var temporaryPath: String?

  private let descriptor: Int32
  private var compressor: Compressor?

  /// - Throws: `ToolFailure` if the file cannot be created.
  init(_ path: String) throws(ToolFailure) {
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    } else {
      // A link stays one: the file that it leads to is replaced.
      let target = isThere ? OutputFile.resolved(path) : path
      var template = Array("\(target).XXXXXX".utf8CString)
      descriptor = unsafe mkstemp(&template)
      if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      temporaryPath = String(
        decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    self.path = path
    guard descriptor >= 0 else {
      temporaryPath = nil
      throw OutputFile.failure(path, errno)
    }
    if temporaryPath != nil {
      let mask = umask(0)
      umask(mask)
      fchmod(descriptor, isThere ? status.st_mode & 0o777 : 0o666 & ~mask)
    }
    if let compression = Compressor.compression(ofFileNamed: path) {
      do throws(Compressor.Failure) {
        compressor = try Compressor(compression, writingTo: descriptor)
      } catch {
        throw ToolFailure(.ioError, "\(path): \(error.message)")
      }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if let temporaryPath { unsafe unlink(temporaryPath) }
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
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    guard count == bytes.count, bytes.elementsEqual("SQLite format 3\0".utf8) else { return }
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
    if compressor != nil {
      let code = compressor!.write(bytes)
      guard code == 0 else {
        try finishCompressor()
        throw OutputFile.failure(path, code)
      }
      return
    }
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.extracting(start...).withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if written >= 0 {
        start += written
      } else if errno != EINTR {
        throw OutputFile.failure(path, errno)
      }
    }
  }

  /// Makes the file appear at its path.
  mutating func complete() throws(ToolFailure) {
    if compressor != nil { try finishCompressor() }
    guard let temporaryPath else { return }
    let target = OutputFile.resolved(path)
    guard fsync(descriptor) == 0, unsafe rename(temporaryPath, target) == 0 else {
      throw OutputFile.failure(path, errno)
    }
    self.temporaryPath = nil
  }

  /// - Throws: `ToolFailure` with what the program failed at.
  private mutating func finishCompressor() throws(ToolFailure) {
    do throws(Compressor.Failure) { try compressor!.finish() } catch {
      throw ToolFailure(.ioError, "\(path): \(error.message)")
    }
  }

  /// The path without links, if the file exists.
  private static func resolved(_ path: String) -> String {
    guard let whole = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(whole) }
    return unsafe String(cString: whole)
  }

  private static func failure(_ path: String, _ number: Int32) -> ToolFailure {
    ToolFailure(
      .ioError, "\(path): cannot write the export: \(unsafe String(cString: strerror(number)))")
  }
}
