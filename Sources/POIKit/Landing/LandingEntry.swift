/// What is kept of a landed record to merge it in the order of the keys: 24 bytes. Records with one
/// key order by their arrival.
struct LandingEntry: SortableEntry {
  let prefix: IndexPrefix

  /// The place of the record in its landing table, as a number that grows in the order of arrival;
  /// see `LandedPlace`.
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
