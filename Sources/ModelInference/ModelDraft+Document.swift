internal import POIRecords

extension ModelDraft {
  /// - Parameter latestTimestamp: the latest timestamp that an import accepts. An attribute with a later
  ///   instant is not proposed as the timestamp.
  func document(introduction: [String], latestTimestamp: Instant?) -> JSONValue {
    let (key, keyRemark) = key()
    let (timestamp, timestampRemark) = timestamp(notAfter: latestTimestamp)
    var comment = introduction + [keyRemark, timestampRemark]
    if let unmappedColumn {
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
    add("x-key", key.map(JSONValue.string))
    add("x-timestamp", timestamp.map(JSONValue.string))
    add("x-unmapped-column", unmappedColumn.map(JSONValue.string))
    add("type", .string("object"))
    let required = columns.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { add("required", .array(required)) }
    add("properties", .object(columns.map(\.property)))
    return .object(members)
  }

  // MARK: Key

  private func key() -> (name: String?, remark: String) {
    let candidates = columns.filter { $0.canBeKey && $0.statistics.distinct.count > 1 }
    let unique = candidates.filter(isUnique)
    let ranked: [[InferredColumn]] = [
      candidates.filter { keyRank(of: $0) == 0 && mayIdentify($0) }
        .sorted { ($0.pointer?.count ?? 0) < ($1.pointer?.count ?? 0) },
      unique.filter { keyRank(of: $0) == 1 },
      candidates.filter { keyRank(of: $0) == 1 && mayIdentify($0) }
        .sorted { $0.statistics.distinct.count > $1.statistics.distinct.count },
      recordCount < ModelDraft.sampleSize
        ? [] : unique.filter { $0.statistics.format == .uuid },
      recordCount < ModelDraft.sampleSize ? [] : unique.filter(isCode),
    ]
    guard let key = ranked.first(where: { !$0.isEmpty })?.first else {
      let names = unique.prefix(8).map(\.name)
      return (
        nil,
        names.isEmpty
          ? "No key: no single attribute identifies a record; name several with x-key if they do "
            + "together."
          : "No key: the unique attributes are \(names.joined(separator: ", ")), perhaps by chance; name one "
            + "with x-key if it identifies a record."
      )
    }
    let others = unique.map(\.name).filter { $0 != key.name }.prefix(8)
    let remark =
      "Key: \(key.name), \(uniqueness(of: key))"
      + (others.isEmpty ? "." : "; also unique: \(others.joined(separator: ", ")).")
    return (key.name, remark)
  }

  private func keyRank(of column: InferredColumn) -> Int {
    column.pointer == nil ? 0 : MemberName(column.nameSteps.last ?? "").keyRank
  }

  private func isUnique(_ column: InferredColumn) -> Bool {
    column.statistics.valueCount == recordCount && column.statistics.distinct.repeatedCount == 0
  }

  /// Whether most records have the attribute, and many values differ.
  private func mayIdentify(_ column: InferredColumn) -> Bool {
    let seen = column.statistics
    return seen.valueCount * 2 >= recordCount
      && (seen.distinct.count * 50 >= seen.valueCount || !seen.distinct.isExact)
  }

  /// Whether all values are short texts without spaces.
  private func isCode(_ column: InferredColumn) -> Bool {
    let seen = column.statistics
    return seen.isText && !seen.holdsSpace && (seen.lengths.least ?? 0) > 0
      && (seen.lengths.greatest ?? 0) <= 64
  }

  private func uniqueness(of column: InferredColumn) -> String {
    let seen = column.statistics
    let missing = recordCount - seen.valueCount
    var parts: [String] = []
    if seen.distinct.repeatedCount == 0 {
      parts.append(seen.distinct.isExact ? "unique" : "unique in a sample of its values")
    } else {
      parts.append(
        (seen.distinct.isExact ? "" : "at least ")
          + "\(seen.distinct.repeatedCount) of \(seen.valueCount) are duplicates")
    }
    if missing > 0 { parts.append("missing in \(missing) records") }
    return parts.joined(separator: ", ")
  }

  // MARK: Timestamp

  private func timestamp(notAfter latest: Instant?) -> (name: String?, remark: String) {
    let moments = columns.filter { $0.instants != nil }
    guard !moments.isEmpty else {
      return (
        nil,
        "No timestamp: no attribute is a moment. A later delivery is imported with --merge overwrite."
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
    let best = candidates.min { (rank($0) ?? 0) < (rank($1) ?? 0) }
    guard let best else {
      return (
        nil,
        "No timestamp: none of the moments (\(names)) is named like the time of the last change, or "
          + "its values are in the future; name one with x-timestamp if it is the last change. Without one, a "
          + "later delivery is imported with --merge overwrite."
      )
    }
    return (
      best.name,
      "Timestamp: \(best.name), by its name"
        + (moments.count > 1 ? "; the moments are \(names)." : ".")
    )
  }
}
