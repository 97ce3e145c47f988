internal import POIRecords

/// A row of a duplicate group. The order is by group, then by row id: the order in which the records came.
struct ArrivalEntry: SortableEntry {
  let group: UInt64
  private let orderedRowID: UInt64

  /// The number of ranks in the group before the rank of the row.
  let place: UInt64

  /// The digest of the row's content if others have its rank; else zero.
  let digest: Digest

  var rowID: Int64 { Int64(bitPattern: orderedRowID ^ 1 << 63) }

  init(_ rowID: Int64, group: Int, place: UInt64, digest: Digest) {
    self.group = UInt64(group)
    orderedRowID = UInt64(bitPattern: rowID) ^ 1 << 63
    self.place = place
    self.digest = digest
  }

  static var wordCount: Int { 5 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: group
    case 1: orderedRowID
    case 2: place
    case 3: digest.high
    default: digest.low
    }
  }
}
