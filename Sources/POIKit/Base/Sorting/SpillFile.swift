internal import JSONStreaming
internal import POIFiles
internal import POIPlatform

/// A temporary file without a name, for entries that do not fit the memory budget.
///
/// The first `append` creates the file. The system deletes it when the life of the value ends, or
/// when the process is killed.
struct SpillFile: ~Copyable {
  private let folder: String
  private var file = Descriptor.none

  private(set) var byteCount = 0

  /// A file in `folder`, or else in the folder of `TMPDIR`, or else in `/var/tmp`.
  init(folder: String?) {
    let environment = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    self.folder = folder ?? (environment.isEmpty ? "/var/tmp" : environment)
  }

  /// Appends `bytes`.
  ///
  /// - Throws: `StoreFailure` when the file cannot be created or the disk is full.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
    if file.isClosed {
      do throws(SystemError) { file = try NewFile.unnamed(in: folder) } catch {
        throw failure("create", error.text)
      }
    }
    do throws(SystemError) {
      try file.seek(to: byteCount)
      try unsafe file.write(Span(_unsafeBytes: bytes))
    } catch {
      throw failure("write", error.text)
    }
    byteCount += bytes.count
  }

  /// Fills `bytes` from the file, starting at `offset`.
  ///
  /// - Throws: `StoreFailure` when reading fails or the file is too short.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    let count: Int
    do throws(SystemError) { count = try unsafe file.read(into: bytes, at: offset) } catch {
      throw failure("read", error.text)
    }
    guard count == bytes.count else { throw failure("read", "it ends too early") }
  }

  /// Drops the content. The next bytes are written to the start.
  mutating func removeAll() {
    byteCount = 0
  }

  private func failure(_ action: String, _ reason: String) -> StoreFailure {
    StoreFailure(
      .temporaryFile, "cannot \(action) a temporary file in '\(folder)': \(reason)")
  }
}
