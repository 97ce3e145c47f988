/// The names of the members that the records of an input have; of GeoJSON Features, the names of their properties.
package struct MembersOfInput {
  /// All names, and those that at least half of the records have.
  private let all: Set<Int>
  private let usual: [Int]

  /// Some of the usual names, in the order of the records.
  package let examples: [String]

  /// The members of the records since the counts were taken.
  init(endedIn tree: borrowing PathTree, _ counts: [Int], _ earlierRecordCount: Int) {
    func count(_ place: Int) -> Int {
      tree.places[place].presentCount - (place < counts.count ? counts[place] : 0)
    }
    let recordCount = tree.recordCount - earlierRecordCount
    let top = tree.places[PathTree.root].children
    let properties = top.first { tree.places[$0].name == "properties" && count($0) == recordCount }
    let isOfFeatures = top.contains { tree.places[$0].name == "geometry" && count($0) > 0 }
    let members =
      properties.flatMap { isOfFeatures ? tree.places[$0].children : nil } ?? top
    let seen = members.filter { count($0) > 0 }
    let usual = seen.filter { count($0) * 2 >= recordCount }
    all = Set(seen)
    self.usual = usual.isEmpty ? seen : usual
    examples = self.usual.prefix(5).map { tree.places[$0].name }
  }

  /// Whether the records are probably of the same kind: most members of each are in the other, and nearly all of one
  /// are. An input without records is like all.
  func areLike(_ other: MembersOfInput) -> Bool {
    guard !usual.isEmpty, !other.usual.isEmpty else { return true }
    let shares = [share(in: other), other.share(in: self)]
    return shares.allSatisfy { $0 > 0.5 } && shares.contains { $0 >= 0.75 }
  }

  private func share(in other: MembersOfInput) -> Double {
    Double(usual.count { other.all.contains($0) }) / Double(usual.count)
  }
}
