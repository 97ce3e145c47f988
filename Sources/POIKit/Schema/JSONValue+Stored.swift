internal import POIRecords
internal import SQLiteKit

extension JSONValue {
  /// Reads a text that a store keeps; nothing where it is not one JSON value.
  ///
  /// - Throws: `SQLiteError` where the parser finds no memory, as SQLite itself throws it: what is
  ///   stored must not pass for something else then.
  static func stored(_ text: Span<UInt8>) throws -> JSONValue? {
    do {
      return try JSONValue(parsing: text)
    } catch {
      if case .outOfMemory = error { throw SQLiteError.outOfMemory }
      return nil
    }
  }

  /// The same of a string.
  static func stored(_ text: String) throws -> JSONValue? {
    try stored(Array(text.utf8).span)
  }
}
