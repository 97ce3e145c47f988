/// Records of a batch that met stored ones although the policy is `error`.
struct MergeConflicts {
  /// A record and the row that it met.
  struct Conflict {
    /// The values of the key as people read them.
    var key: String
    /// Where the record stands.
    var place: String
    var rowID: Int64
    /// Where the record stands that became the row in this run.
    var rowPlace: String?
  }

  /// How many are listed in a message.
  private static let listedCount = 10

  private var listed: [Conflict] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func add(_ conflict: Conflict) {
    count += 1
    if listed.count < MergeConflicts.listedCount { listed.append(conflict) }
  }

  /// What the run says that stops because of them.
  func message(store: String, table: String) -> String {
    var lines = listed.map { conflict in
      let stored = conflict.rowPlace ?? "row \(conflict.rowID) of \(table)"
      return "\(conflict.place): the key \(conflict.key) is that of \(stored)"
    }
    if count > listed.count { lines.append("and \(count - listed.count) more in this batch") }
    return lines.joined(separator: "; ")
      + "; the policy error stops at such a batch, those before it are in \(store)"
  }
}
