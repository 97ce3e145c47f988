/// A landed record and the stored row that it probably matches, in the order of the row id: so
/// every page of the table is read once. Records that match one row have the order of their
/// arrival.
struct TargetEntry: SortableEntry {
  private let orderedRowID: UInt64

  /// The number of the record's `LandedPlace`.
  let landingID: UInt64

  init(rowID: Int64, landingID: UInt64) {
    orderedRowID = UInt64(bitPattern: rowID) ^ 1 << 63
    self.landingID = landingID
  }

  var rowID: Int64 { Int64(bitPattern: orderedRowID ^ 1 << 63) }

  static var wordCount: Int { 2 }

  func word(_ index: Int) -> UInt64 { index == 0 ? orderedRowID : landingID }
}
