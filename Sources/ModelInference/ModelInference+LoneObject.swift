internal import POIKit

/// An object that is the only element of the inputs, but not a record.
extension ModelInference {
  /// Names of arrays that hold records.
  private static let listNames: Set<String> = [
    "data", "entries", "features", "hits", "items", "records", "results", "rows",
  ]

  /// Names of objects around the records of a server's answer.
  private static let wrapperNames: Set<String> = [
    "data", "payload", "response", "result", "results",
  ]

  /// The fewest members that can be records.
  private static let memberMinimum = 3

  /// Why the only element is not a record; nil if it may be one.
  ///
  /// - A page without records has an empty array with one of the names above, and no identifier.
  /// - An object of objects holds records if most of their members have the same names.
  func flaw(ofLoneObjectIn tree: borrowing PathTree) -> StoreError? {
    guard tree.recordCount == 1, counters.read == 1, options.pointer == nil,
      let input = inputs.first, input.pointer == nil
    else { return nil }
    let members = tree.places[PathTree.root].children.map { tree.places[$0] }
    let hasIdentifier = members.contains { MemberName($0.name).keyKind == .ownIdentifier }
    var list = members.first {
      Self.listNames.contains($0.name.lowercased()) && $0.isEmptyArray
    }?.name
    for member in members where Self.wrapperNames.contains(member.name.lowercased()) {
      for inner in member.children where list == nil && tree.places[inner].isEmptyArray {
        list = "\(member.name)/\(tree.places[inner].name)"
      }
    }
    if !hasIdentifier, let list {
      return StoreError(
        .unreadable, "\(input.name): there are no records: the array at /\(list) is empty")
    }
    guard members.count >= Self.memberMinimum, members.allSatisfy(\.isObject) else { return nil }
    let names = members.flatMap { $0.children.map { tree.places[$0].name } }
    let shared = Dictionary(grouping: names) { $0 }.values.filter {
      $0.count * 5 >= members.count * 4
    }
    guard shared.reduce(0, { $0 + $1.count }) * 2 >= names.count, !shared.isEmpty else {
      return nil
    }
    return StoreError(
      .unreadable,
      "\(input.name): the only element is an object of \(members.count) objects that are alike, so "
        + "they are probably the records", advice: .chooseRecords(at: [""]))
  }
}
