/// The place of a landed record: the row of the landing table, and the range of bytes in its
/// content.
///
/// It is stored as one number that grows in the order of arrival. The upper 32 bits are the row,
/// then 16 bits are the first byte and 16 bits the number of bytes. A number of bytes that does not
/// fit is stored as 0; then the record fills the rest of the row.
struct LandedPlace: Hashable {
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
    self.count = count <= LandedPlace.contentLimit ? count : nil
  }

  init(number: UInt64) {
    rowID = Int64(number >> 32)
    offset = Int(number >> 16 & 0xFFFF)
    let count = Int(number & 0xFFFF)
    self.count = count > 0 ? count : nil
  }

  var number: UInt64 { UInt64(rowID) << 32 | UInt64(offset) << 16 | UInt64(count ?? 0) }
}
