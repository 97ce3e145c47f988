internal import JSONStreaming

/// The directory of the records in a row of a landing table. An entry has three numbers of 8 bytes:
/// the two halves of the key's `IndexPrefix`, and the number of bytes of the record.
enum LandingDirectory {
  static let entrySize = 24

  /// Appends an entry.
  ///
  /// - Parameter prefix: the prefix of the record's key, or nil if a part of the key is null.
  static func append(
    _ prefix: IndexPrefix?, byteCount: Int, to bytes: inout GrowableBuffer<UInt8>
  ) {
    // A record without a key matches no row, so its place in the order does not matter.
    let prefix = prefix ?? IndexPrefix(high: .max, low: .max)
    LandedRecord.append(prefix.high, to: &bytes)
    LandedRecord.append(prefix.low, to: &bytes)
    LandedRecord.append(UInt64(byteCount), to: &bytes)
  }

  /// Calls `body` with each record of a row.
  ///
  /// - Throws: `SQLiteError` when the bytes are not a directory, and the errors of `body`.
  static func forEach(
    _ bytes: Span<UInt8>, ofRow rowID: Int64, _ body: (LandingEntry) throws -> Void
  ) throws {
    guard rowID > 0, rowID <= LandedPlace.rowLimit else { throw LandingTable.damage }
    var position = 0
    var offset = 0
    while position < bytes.count {
      let high = try LandedRecord.number(bytes, at: &position)
      let low = try LandedRecord.number(bytes, at: &position)
      let byteCount = try LandedRecord.number(bytes, at: &position)
      guard let count = Int32(exactly: byteCount), count > 0, offset <= LandedPlace.contentLimit
      else { throw LandingTable.damage }
      let place = LandedPlace(rowID: rowID, offset: offset, count: Int(count))
      try body(LandingEntry(IndexPrefix(high: high, low: low), landingID: place.number))
      offset += Int(count)
    }
  }
}
