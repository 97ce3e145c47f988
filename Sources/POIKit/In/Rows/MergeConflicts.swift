/// Records of a batch that match stored rows although the policy is `error`.
struct MergeConflicts {
  /// A record and the stored row with its key.
  struct Conflict {
    /// The values of the key as people read them.
    var key: String
    /// The position of the record.
    var place: String
    var rowID: Int64
    /// The position of the record that became the row in this run, if any.
    var rowPlace: String?
  }

  private static let listedCount = 10

  private var listed: [Conflict] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func add(_ conflict: Conflict) {
    count += 1
    if listed.count < MergeConflicts.listedCount { listed.append(conflict) }
  }

  func message(store: String, table: String) -> String {
    var lines = listed.map { conflict in
      let stored = conflict.rowPlace ?? "row \(conflict.rowID) of \(table)"
      return "\(conflict.place): the key \(conflict.key) is the key of \(stored)"
    }
    if count > listed.count { lines.append("and \(count - listed.count) more in this batch") }
    return lines.joined(separator: "; ")
      + "; the policy error stops at such a batch, those before it are in \(store)"
  }
}
