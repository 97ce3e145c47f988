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
    guard rowID > 0, rowID <= LandedRange.rowLimit else { throw LandingTable.damage }
    var position = 0
    var offset = 0
    while position < bytes.count {
      let high = try LandedRecord.number(bytes, at: &position)
      let low = try LandedRecord.number(bytes, at: &position)
      let byteCount = try LandedRecord.number(bytes, at: &position)
      guard let count = Int32(exactly: byteCount), count > 0, offset <= LandedRange.contentLimit
      else { throw LandingTable.damage }
      let place = LandedRange(rowID: rowID, offset: offset, count: Int(count))
      try body(LandingEntry(IndexPrefix(high: high, low: low), landingID: place.number))
      offset += Int(count)
    }
  }
}

/// The place of a landed record: the row of the landing table, and the range of bytes in its
/// content.
///
/// It is stored as one number that grows in the order of arrival. The upper 32 bits are the row,
/// then 16 bits are the first byte and 16 bits the number of bytes. A number of bytes that does not
/// fit is stored as 0; then the record fills the rest of the row.
struct LandedRange: Hashable {
  /// The largest size of a row's content in bytes. A row with a single record may be larger.
  static let contentLimit = Int(UInt16.max)

  /// The greatest row.
  static let rowLimit = Int64(UInt32.max)

  /// The row of the landing table, from 1 in the order of arrival.
  let rowID: Int64
  let offset: Int

  /// The number of bytes of the record, or nil if it fills the rest of the row.
  let count: Int?

  init(rowID: Int64, offset: Int, count: Int) {
    self.rowID = rowID
    self.offset = offset
    self.count = count <= LandedRange.contentLimit ? count : nil
  }

  init(number: UInt64) {
    rowID = Int64(number >> 32)
    offset = Int(number >> 16 & 0xFFFF)
    let count = Int(number & 0xFFFF)
    self.count = count > 0 ? count : nil
  }

  var number: UInt64 { UInt64(rowID) << 32 | UInt64(offset) << 16 | UInt64(count ?? 0) }
}

/// The data of a landed record that is needed to merge in the order of the keys, in 24 bytes.
/// Records with one key keep the order of their arrival.
struct LandingEntry: SortableEntry {
  let prefix: IndexPrefix

  /// The place of the record in its landing table, as the number of its `LandedRange`. It grows in
  /// the order of arrival.
  let landingID: UInt64

  init(_ prefix: IndexPrefix, landingID: UInt64) {
    self.prefix = prefix
    self.landingID = landingID
  }

  static var wordCount: Int { 3 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: prefix.high
    case 1: prefix.low
    default: landingID
    }
  }
}
