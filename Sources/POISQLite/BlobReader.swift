internal import CPOISQLite

/// Reads parts of the blobs in one column, row by row.
///
/// While the value lives, the connection holds a read transaction, as an unfinished statement does.
@safe
package struct BlobReader: ~Copyable {
  private let handle: OpaquePointer
  private let database: OpaquePointer

  /// Opens the blob of a row.
  ///
  /// - Parameters:
  ///   - table: a table of the main database.
  ///   - column: a column of blobs or texts.
  /// - Throws: `SQLiteError` if there is no such table, column or row, or if the value is neither a
  ///   blob nor a text.
  ///
  /// C function: `sqlite3_blob_open`
  package init(
    table: String, column: String, rowID: Int64, in connection: Connection
  ) throws(SQLiteError) {
    var opened: OpaquePointer?
    let status = unsafe sqlite3_blob_open(
      connection.handle, "main", table, column, rowID, 0, &opened)
    guard status == SQLITE_OK, let opened = unsafe opened else {
      throw unsafe SQLiteError(status: status, of: connection.handle, sql: nil)
    }
    unsafe handle = unsafe opened
    unsafe database = unsafe connection.handle
  }

  deinit {
    unsafe sqlite3_blob_close(handle)
  }

  /// The size of the blob in bytes.
  ///
  /// C function: `sqlite3_blob_bytes`
  package var count: Int { unsafe Int(sqlite3_blob_bytes(handle)) }

  /// Moves to the blob of another row.
  ///
  /// - Throws: `SQLiteError` if there is no such row or it holds another kind of value. Then only
  ///   another move is possible.
  ///
  /// C function: `sqlite3_blob_reopen`
  package mutating func move(to rowID: Int64) throws(SQLiteError) {
    try check(unsafe sqlite3_blob_reopen(handle, rowID))
  }

  /// Appends bytes of the blob.
  ///
  /// - Parameters:
  ///   - range: the bytes of the blob, counted from 0.
  ///   - output: must have room for them.
  /// - Throws: `SQLiteError` if the blob has no such bytes, or if its row was changed since the
  ///   move.
  ///
  /// C function: `sqlite3_blob_read`
  package func read(_ range: Range<Int>, into output: inout OutputSpan<UInt8>) throws(SQLiteError) {
    try unsafe output.withUnsafeMutableBufferPointer { (buffer, count) throws(SQLiteError) in
      let free = unsafe UnsafeMutableBufferPointer(
        rebasing: buffer[count..<(count + range.count)])
      try check(
        unsafe sqlite3_blob_read(
          handle, free.baseAddress, Int32(clamping: range.count),
          Int32(clamping: range.lowerBound)))
      count += range.count
    }
  }

  private func check(_ status: Int32) throws(SQLiteError) {
    guard status == SQLITE_OK else {
      throw unsafe SQLiteError(status: status, of: database, sql: nil)
    }
  }
}
