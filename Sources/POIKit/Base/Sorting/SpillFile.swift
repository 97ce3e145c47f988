internal import Glibc
internal import JSONStreaming

/// A temporary file without a name, for entries that do not fit the memory budget.
///
/// The first `append` creates the file. The system deletes it when the life of the value ends, or
/// when the process is killed.
struct SpillFile: ~Copyable {
  private let folder: String
  private var descriptor: CInt = -1

  private(set) var byteCount = 0

  /// A file in `folder`, or else in the folder of `TMPDIR`, or else in `/var/tmp`.
  init(folder: String?) {
    let environment = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    self.folder = folder ?? (environment.isEmpty ? "/var/tmp" : environment)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Appends `bytes`.
  ///
  /// - Throws: `StoreFailure` when the file cannot be created or the disk is full.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
    if descriptor < 0 { try create() }
    var written = 0
    while written < bytes.count {
      let status = unsafe pwrite(
        descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written,
        off_t(byteCount))
      if status < 0 {
        if errno == EINTR { continue }
        throw failure("write")
      }
      written += status
      byteCount += status
    }
  }

  /// Fills `bytes` from the file, starting at `offset`.
  ///
  /// - Throws: `StoreFailure` when reading fails or the file is too short.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    var done = 0
    while done < bytes.count {
      let status = unsafe pread(
        descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done,
        off_t(offset + done))
      if status < 0 && errno == EINTR { continue }
      guard status >= 0 else { throw failure("read") }
      guard status > 0 else { throw failure("read", "it ends too early") }
      done += status
    }
  }

  /// Drops the content. The next bytes are written to the start.
  mutating func removeAll() {
    byteCount = 0
  }

  private mutating func create() throws {
    // mkstemp replaces the last six letters, so that the name is new.
    let letters = String(repeating: "X", count: 6)
    var template = Array("\(folder)/poikit-\(letters)".utf8CString)
    descriptor = unsafe template.withUnsafeMutableBufferPointer { template in
      guard let path = template.baseAddress else { return -1 }
      let descriptor = unsafe mkstemp(path)
      if descriptor >= 0 {
        unsafe unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      }
      return descriptor
    }
    if descriptor < 0 { throw failure("create") }
  }

  private func failure(
    _ action: String, _ reason: String = SystemError.last.text
  ) -> StoreFailure {
    StoreFailure(
      .temporaryFile, "cannot \(action) a temporary file in '\(folder)': \(reason)")
  }
}
