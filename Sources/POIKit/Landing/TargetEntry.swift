/// A landed record and the stored row that it is likely to meet, ordered by the id of the row: so
/// every page of the table is met once. Records that meet one row order by their arrival.
struct TargetEntry: SortableEntry {
  private let orderedRowID: UInt64

  /// The place of the record in its landing table; see `LandedPlace`.
  let landingID: UInt64

  init(rowID: Int64, landingID: UInt64) {
    orderedRowID = UInt64(bitPattern: rowID) ^ 1 << 63
    self.landingID = landingID
  }

  var rowID: Int64 { Int64(bitPattern: orderedRowID ^ 1 << 63) }

  static var wordCount: Int { 2 }

  func word(_ index: Int) -> UInt64 { index == 0 ? orderedRowID : landingID }
}
