internal import JSONStreaming

/// What a row of a landing table says of the records in it: for each the prefix of its key and how
/// many bytes of the row's content it takes, in 8 bytes a number.
enum LandingDirectory {
  /// How many bytes an entry has.
  static let entrySize = 24

  /// Adds an entry.
  ///
  /// - Parameter prefix: the prefix of the record's key; nothing where a part of the key is null.
  static func append(
    _ prefix: IndexPrefix?, byteCount: Int, to bytes: inout GrowableBuffer<UInt8>
  ) {
    // A record without a key meets none; its place among the others does not matter.
    let prefix = prefix ?? IndexPrefix(high: .max, low: .max)
    LandedRecord.append(prefix.high, to: &bytes)
    LandedRecord.append(prefix.low, to: &bytes)
    LandedRecord.append(UInt64(byteCount), to: &bytes)
  }

  /// Calls `body` with each record of a row.
  ///
  /// - Throws: `SQLiteError` when the bytes are none of a directory, and what `body` throws.
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
