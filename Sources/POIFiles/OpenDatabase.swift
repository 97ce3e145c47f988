package import JSONStreaming
internal import POIPlatform

/// The database files that this process has open.
///
/// A process that closes any descriptor of a file loses all of its locks on that file. Another
/// program could then treat a store that is being written as unused. So an input or reject file
/// named by a caller is not opened, not even to identify it, if it is one of these.
///
/// Page: https://sqlite.org/howtocorrupt.html, section 2.2; `fcntl_locking(2)`
package enum OpenDatabase {
  /// The first 4 bytes of the index of a write-ahead log, in the machine's byte order.
  ///
  /// Page: https://sqlite.org/walformat.html, section 2.1
  private static let indexVersion: UInt32 = 3_007_000

  /// Whether a path is an open database or the index of its write-ahead log.
  ///
  /// - Throws: the system's error if this is unknown. If the system lists no descriptors, the
  ///   result is false.
  package static func isOpen(at path: String) throws(SystemError) -> Bool {
    var file = stat()
    guard unsafe stat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return false }
    do throws(SystemError) {
      return try OpenDescriptors.ofFile(file).contains(where: beginsLikeDatabase)
    } catch {
      guard error.number == ENOENT || error.number == EACCES else { throw error }
      return false
    }
  }

  /// Whether a file begins like a database or like the index of a write-ahead log.
  private static func beginsLikeDatabase(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: Compression.longestMagicByteCount)
    guard unsafe pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return false }
    let version = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
    return ForeignFormat(contentPrefix: bytes) == .sqlite || version == indexVersion
  }
}
