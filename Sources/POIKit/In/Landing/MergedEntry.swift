/// A merged record, in the order of its `LandedPlace`.
struct MergedEntry: SortableEntry {
  let landingID: UInt64

  static var wordCount: Int { 1 }

  func word(_ index: Int) -> UInt64 { landingID }
}
