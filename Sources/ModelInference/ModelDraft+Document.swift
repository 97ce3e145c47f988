internal import POIRecords

extension ModelDraft {
  func document(introduction: [String]) -> JSONValue {
    let (timestamp, timestampRemark) = chosenTimestamp
    let position = position
    var comment =
      introduction + [key.remark, timestampRemark] + (position.remark.map { [$0] } ?? [])
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
    let names = key.indices.map { JSONValue.string(columns[$0].name) }
    add("x-key", names.count > 1 ? .array(names) : names.first)
    add("x-key-doubtful", key.isDoubtful ? .bool(true) : nil)
    add("x-timestamp", timestamp.map(JSONValue.string))
    if let pair = position.columns, !isStrict {
      add(
        "x-coordinates",
        .object(
          [("latitude", pair.latitude), ("longitude", pair.longitude)].map {
            JSONValue.Member(name: $0, value: .string(columns[$1].name))
          }))
    }
    add("x-unmapped-column", unmappedColumn.map(JSONValue.string))
    add("x-keeps-misfits", isStrict ? nil : .bool(true))
    add("type", .string("object"))
    let required = columns.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { add("required", .array(required)) }
    add("properties", .object(columns.map(\.property)))
    return .object(members)
  }

  // MARK: Timestamp

  /// An attribute with later instants than an import accepts is not proposed.
  var chosenTimestamp: (name: String?, remark: String) {
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
      let seen = column.statistics
      guard let greatest = column.instants?.greatest, rank(column) != nil else { return false }
      return greatest <= seen.moments.latestTimestamp
        || seen.moments.lateCount > 0 && seen.isMost(seen.valueCount - seen.moments.lateCount)
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
