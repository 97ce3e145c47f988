internal import Glibc
internal import JSONStreaming
internal import POIInputs
internal import SQLiteKit

/// Writes databases to new files.
enum NewDatabase {
  /// Calls `body` with the path of an empty file, which gets its own path afterwards.
  ///
  /// - Parameters:
  ///   - path: the path, where no file may exist.
  ///   - mode: the permission bits; the umask is applied.
  ///   - body: makes the database.
  /// - Throws: `StoreError` with `database` when the file exists or cannot be written; the error of `body`. No file
  ///   is left.
  static func write<Result>(
    _ path: String, mode: UInt32, _ body: (String) throws -> Result
  ) throws(StoreError) -> Result {
    try StoreError.converting(path: path) {
      do {
        var file = try NewFile(Connection.literalPath(path), mode: mode, replaces: false)
        let partialPath = file.partialPath
        let result: Result
        do { result = try body(partialPath) } catch var error as StoreError {
          if error.message.hasPrefix(partialPath) {
            error.message = path + error.message.dropFirst(partialPath.count)
          }
          throw error
        }
        try file.complete()
        return result
      } catch let error as SystemError {
        throw StoreFailure(
          .database,
          error.number == EEXIST
            ? "the file is there already; name one that is not"
            : "the file cannot be written: \(error.text)")
      }
    }
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
