/// Where a landed record stands: the row of the landing table and the bytes of its content.
///
/// It is kept as one number, by which records order as they arrived: the row in the upper 32 bits,
/// then 16 bits each for the first byte and the number of bytes, which is 0 where it does not fit;
/// the record then fills the rest of the row.
struct LandedPlace: Hashable {
  /// How many bytes a row's content has at most, but for a record that is larger by itself.
  static let contentLimit = Int(UInt16.max)

  /// The greatest row.
  static let rowLimit = Int64(UInt32.max)

  /// The row of the landing table, from 1 in the order of arrival.
  let rowID: Int64
  let offset: Int

  /// How many bytes the record has; nothing where it fills the rest of the row.
  let count: Int?

  init(rowID: Int64, offset: Int, count: Int) {
    self.rowID = rowID
    self.offset = offset
    self.count = count <= LandedPlace.contentLimit ? count : nil
  }

  /// The place that a number stands for.
  init(number: UInt64) {
    rowID = Int64(number >> 32)
    offset = Int(number >> 16 & 0xFFFF)
    let count = Int(number & 0xFFFF)
    self.count = count > 0 ? count : nil
  }

  var number: UInt64 { UInt64(rowID) << 32 | UInt64(offset) << 16 | UInt64(count ?? 0) }
}
