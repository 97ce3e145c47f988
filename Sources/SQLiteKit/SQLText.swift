/// A text of SQL statements and how far it has been read.
struct SQLText {
  /// The whole text, for messages.
  let whole: String

  private var bytes: [CChar]
  private var offset = 0

  /// A reader at the start of `sql`.
  ///
  /// - Throws: `SQLiteError` when the text holds a NUL, at which SQLite would silently stop
  ///   reading, or has 2 GB or more.
  init(_ sql: SQL) throws(SQLiteError) {
    whole = sql.text
    bytes = sql.text.utf8.map { CChar(bitPattern: $0) }
    guard !bytes.contains(0) else {
      throw SQLiteError.misuse("the text of a statement holds a NUL", sql: whole)
    }
    guard bytes.count < Int32.max else {
      throw SQLiteError.misuse("the text of a statement has 2 GB or more", sql: nil)
    }
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// Gives `body` the text that is left with its length in bytes and moves on by as many bytes as
  /// `body` says it read.
  ///
  /// - Returns: the status that `body` returned.
  mutating func withRest(
    _ body: (UnsafePointer<CChar>, Int32) -> (status: Int32, read: Int)
  ) -> Int32 {
    let result = unsafe bytes.withUnsafeBufferPointer { buffer -> (status: Int32, read: Int) in
      guard let start = buffer.baseAddress else { return (0, 0) }
      return unsafe body(start + offset, Int32(buffer.count - offset))
    }
    offset += result.read
    return result.status
  }
}
