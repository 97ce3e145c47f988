/// A landed record that is merged, ordered by its place in the landing table; see `LandedPlace`.
struct MergedEntry: SortableEntry {
  let landingID: UInt64

  static var wordCount: Int { 1 }

  func word(_ index: Int) -> UInt64 { landingID }
}
