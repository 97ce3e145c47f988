internal import POIRecords

extension ModelDraft {
  /// - Parameter latestTimestamp: the latest timestamp that an import accepts. An attribute with a later
  ///   instant is not proposed as the timestamp.
  func document(introduction: [String], latestTimestamp: Instant?) -> JSONValue {
    let (timestamp, timestampRemark) = timestamp(notAfter: latestTimestamp)
    var comment = introduction + [key.remark, timestampRemark]
    if let unmappedColumn, !omissions.isEmpty {
      comment.append(
        "Without a column of their own, and kept as JSON in \(unmappedColumn): "
          + omissions.joined(separator: ", ") + ".")
    }
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name: name, value: value)) }
    }
    add("$schema", .string("https://json-schema.org/draft/2020-12/schema"))
    add("$comment", .string(comment.joined(separator: " ")))
    add("x-table", .string(table))
    add("x-key", key.index.map { .string(columns[$0].name) })
    add("x-key-doubtful", key.isDoubtful ? .bool(true) : nil)
    add("x-timestamp", timestamp.map(JSONValue.string))
    add("x-unmapped-column", unmappedColumn.map(JSONValue.string))
    add("x-keeps-misfits", keepsMisfits ? .bool(true) : nil)
    add("x-widens", isStrict ? nil : .bool(true))
    add("type", .string("object"))
    let required = columns.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { add("required", .array(required)) }
    add("properties", .object(columns.map(\.property)))
    return .object(members)
  }

  // MARK: Timestamp

  private func timestamp(notAfter latest: Instant?) -> (name: String?, remark: String) {
    let moments = columns.filter { $0.instants != nil }
    guard !moments.isEmpty else {
      return (
        nil,
        "No timestamp: no attribute is a moment, so the later delivery wins."
      )
    }
    let names = moments.map(\.name).joined(separator: ", ")
    func rank(_ column: InferredColumn) -> Int? {
      MemberName(column.nameSteps.last ?? "").versionRank
    }
    let candidates = moments.filter { column in
      guard let greatest = column.instants?.greatest, rank(column) != nil else { return false }
      return greatest <= latest?.microseconds ?? .max
    }
    let best = candidates.min { order($0).lexicographicallyPrecedes(order($1)) }
    // A record without a timestamp always loses, and a date does not tell the versions of one day apart.
    func order(_ column: InferredColumn) -> [Int] {
      [
        isInAllRecords(column) ? 0 : 1, column.statistics.format == .date ? 1 : 0,
        rank(column) ?? 0,
      ]
    }
    guard let best else {
      return (
        nil,
        "No timestamp: none of the moments (\(names)) is named like the time of the last change, or "
          + "its values are in the future; name one with x-timestamp if it is the last change. Without one, the "
          + "later delivery wins."
      )
    }
    return (
      best.name,
      "Timestamp: \(best.name), by its name"
        + (moments.count > 1 ? "; the moments are \(names)." : ".")
    )
  }
}
