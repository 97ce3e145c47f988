/// The data of a landed record that is needed to merge in the order of the keys, in 24 bytes.
/// Records with one key keep the order of their arrival.
struct LandingEntry: SortableEntry {
  let prefix: IndexPrefix

  /// The place of the record in its landing table, as the number of its `LandedPlace`. It grows in
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
