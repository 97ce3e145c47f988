internal import JSONStreaming
internal import POIFiles
internal import POIPlatform
internal import POISQLite

/// Writes databases to new files.
enum NewDatabase {
  /// Calls `body` with the path of an empty file, which gets its own path afterwards.
  ///
  /// - Parameters:
  ///   - path: the path, where no file may exist.
  ///   - mode: the permission bits; the umask is applied.
  ///   - body: makes the database.
  /// - Throws: `StoreError` with `database` when the file exists or cannot be written; the error of `body`, where
  ///   one of SQLite is not of this file. No file is left.
  static func write<Result>(
    _ path: String, mode: UInt32, _ body: (String) throws -> Result
  ) throws -> Result {
    var partialPath = path
    do {
      var file = try NewFile(Connection.literalPath(path), mode: mode, replaces: false)
      partialPath = file.partialPath
      let result = try body(partialPath)
      try file.complete()
      return result
    } catch let error as SystemError {
      let message =
        error.number == EEXIST
        ? "the file is there already; name one that is not"
        : "the file cannot be written: \(error.text)"
      throw StoreError(.database, "\(path): \(message)")
    } catch let error as StoreFailure {
      throw StoreError(converting: error, path: path)
    } catch var error as StoreError {
      if error.message.hasPrefix(partialPath) {
        error.message = path + error.message.dropFirst(partialPath.count)
      }
      throw error
    }
  }

  /// Calls `body`, which writes the file, and says so in an error of SQLite.
  static func writing<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw failure(error) }
  }

  /// The error of the operation if SQLite fails to write the file.
  static func failure(_ error: SQLiteError) -> StoreFailure {
    let reason = error.isFull ? "database or disk is full" : error.message
    return StoreFailure(
      .database, "the file cannot be written: \(reason) (\(error.codeName))", cause: error)
  }
}
