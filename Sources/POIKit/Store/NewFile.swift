internal import Glibc
internal import SQLiteKit

/// A database file in the making. It appears at its path when it is complete.
struct NewFile: ~Copyable {
  /// The path until then, in the same folder.
  private let temporaryPath: String
  private let path: String
  private let descriptor: Int32

  private init(_ path: String, temporaryPath: String, _ descriptor: Int32) {
    self.path = path
    self.temporaryPath = temporaryPath
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
    for end in ["", "-journal"] { unsafe unlink(temporaryPath + end) }
  }

  /// Calls `body` with the path of an empty file, which gets its own path afterwards.
  ///
  /// - Parameters:
  ///   - path: the path, where no file may exist.
  ///   - permissions: the permission bits; the umask is applied.
  ///   - body: makes the database.
  /// - Throws: `StoreError` with `database` when the file exists or cannot be written; the error of `body`. No file
  ///   is left.
  static func write<Result>(
    _ path: String, permissions: mode_t, _ body: (String) throws -> Result
  ) throws(StoreError) -> Result {
    try StoreError.converting(path: path) {
      let file = try create(Connection.literalPath(path), permissions)
      let result = try body(file.temporaryPath)
      try file.complete()
      return result
    }
  }

  private static func create(_ path: String, _ permissions: mode_t) throws -> NewFile {
    try checkAbsence(of: path)
    var template = Array("\(path).XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw failure(errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let mask = umask(0)
    umask(mask)
    fchmod(descriptor, permissions & ~mask)
    let temporaryPath = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return NewFile(path, temporaryPath: temporaryPath, descriptor)
  }

  /// - Throws: `StoreFailure` if something is at the path, such as a link to nothing.
  private static func checkAbsence(of path: String) throws {
    var status = stat()
    guard unsafe lstat(path, &status) != 0 else {
      throw StoreFailure(.database, "the file is there already; name one that is not")
    }
  }

  private func complete() throws {
    try NewFile.checkAbsence(of: path)
    guard fsync(descriptor) == 0, unsafe rename(temporaryPath, path) == 0 else {
      throw NewFile.failure(errno)
    }
  }

  private static func failure(_ number: Int32) -> StoreFailure {
    StoreFailure(
      .database, "the file cannot be written: \(unsafe String(cString: strerror(number)))")
  }

  /// Calls `body`, which writes the file, and says so in an error of SQLite.
  static func writing<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw failure(error) }
  }

  /// The error of the operation if SQLite fails to write the file.
  static func failure(_ error: SQLiteError) -> StoreFailure {
    StoreFailure(
      .database, "the file cannot be written: \(error.message) (\(error.codeName))", cause: error)
  }
}
