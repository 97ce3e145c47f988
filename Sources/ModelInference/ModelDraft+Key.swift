internal import POIRecords

extension ModelDraft {
  /// Chooses the key by its name, and by its values only if no name helps.
  func chosenKey() -> KeyChoice {
    let possible = columns.indices.filter(mayIdentify)
    let rejected = possible.filter { isRejected($0, among: possible) }
    let ranked: [[Int]] = KeyKind.allCases.map { kind in
      let ofKind = possible.filter {
        keyKind(of: columns[$0]) == kind && !rejected.contains($0)
      }
      return ofKind.sorted { order($0, kind).lexicographicallyPrecedes(order($1, kind)) }
    }
    let unique = columns.indices.filter { isUnique($0) && !isRowNumber(columns[$0]) }
    guard let index = ranked.joined().first else { return noKey(unique: unique) }
    let column = columns[index]
    let isNamed = keyKind(of: column) != .other
    let kind = column.pointer == ["id"] ? columns.firstIndex { $0.statistics.holdsMapKinds } : nil
    let isDoubtful = !isNamed || isShared(column.statistics, withinKind: kind != nil)
    let doubt = isNamed ? " (doubtful)" : " (doubtful: only its values suggest it)"
    let name = (kind == nil ? "" : "type, ") + column.name
    let others = unique.filter { $0 != index && !rejected.contains($0) }.prefix(8).map {
      columns[$0].name
    }
    return KeyChoice(
      indices: (kind.map { [$0] } ?? []) + [index], isDoubtful: isDoubtful,
      remark: "Key: \(name)\(isDoubtful ? doubt : ""), \(uniqueness(of: column))"
        + (others.isEmpty ? "." : "; also unique: \(others.joined(separator: ", ")).") + rowNumbers
        + (rejected.isEmpty
          ? ""
          : " In different inputs, records with the same "
            + "\(rejected.map { columns[$0].name }.joined(separator: " or ")) are different ones."))
  }

  /// Whether over 5 % of the repetitions of values are records that differ, and not in the time of change. Fewer are
  /// versions of one time.
  private func isShared(_ seen: PathStatistics, withinKind: Bool) -> Bool {
    let hasVersions = withinKind || chosenTimestamp.name != nil
    let count = (hasVersions ? seen.key?.versions : seen.distinct)?.repeatedCount ?? 0
    let equalCount = seen.key?.contents.repeatedCount ?? 0
    return (count - equalCount) * 20 > seen.distinct.repeatedCount
  }

  /// Sorts the candidates of one kind, the best first.
  private func order(_ index: Int, _ kind: KeyKind) -> [Int] {
    let column = columns[index]
    let depth = column.pointer?.count ?? 0
    let isMissing = isInAllRecords(column) ? 0 : 1
    switch kind {
    case .ownIdentifier: return [depth, isMissing, index]
    case .namedIdentifier, .code:
      let isRepeated = column.statistics.distinct.repeatedCount > 0 ? 1 : 0
      return [namesTable(column) ? 0 : 1, isRepeated, depth, isMissing, index]
    case .other: return [column.statistics.format == .uuid ? 0 : 1, depth, index]
    }
  }

  // MARK: Names

  private func keyKind(of column: InferredColumn) -> KeyKind {
    guard let steps = column.pointer else {
      return isNumbering(memberNames) ? .other : .ownIdentifier
    }
    let kind = MemberName(steps.last ?? "").keyKind
    let isOwn = steps.count == 1 || steps.count == 2 && ModelDraft.wrappers.contains(steps[0])
    return kind == .ownIdentifier && !isOwn ? .namedIdentifier : kind
  }

  /// Whether the identifier has the name of the table, as `station_id` in `stations`.
  private func namesTable(_ column: InferredColumn) -> Bool {
    let words = column.nameSteps.flatMap { MemberName($0).words }
    guard words.count > 1, let noun = words.dropLast().last, noun.count > 2 else { return false }
    return table.lowercased().contains(noun)
  }

  /// Members that hold the attributes of the record itself.
  static let wrappers: Set<String> = ["properties", "attributes", "fields"]

  /// Whether each export numbers the records anew with this attribute.
  private func isRowNumber(_ column: InferredColumn) -> Bool {
    hasNameOfRowNumber(column)
      || column.statistics.isInteger
        && columns.contains { other in
          // The `id` of a GeoJSON feature often repeats the row number.
          hasNameOfRowNumber(other)
            && other.statistics.numbers.integers == column.statistics.numbers.integers
            && other.statistics.counts.integer == column.statistics.counts.integer
            && column.statistics.distinct.repeatedCount == 0
        }
  }

  private func hasNameOfRowNumber(_ column: InferredColumn) -> Bool {
    MemberName(column.nameSteps.last ?? "").isRowNumber
  }

  /// Whether the values are the positions of the records, counted from 0 or 1.
  private func isNumbering(_ seen: PathStatistics) -> Bool {
    guard seen.texts.integerCount == seen.counts.string, let range = seen.numbers.bounds.range,
      range.lowerBound == 0 || range.lowerBound == 1
    else { return false }
    return range.upperBound - range.lowerBound + 1 == Double(seen.distinct.count)
  }

  // MARK: Values

  private func mayIdentify(_ index: Int) -> Bool {
    let (column, seen) = (columns[index], columns[index].statistics)
    let kind = keyKind(of: column)
    // One record is enough to see the source's own identifier.
    guard column.canBeKey, seen.distinct.count > 1 || kind == .ownIdentifier && recordCount == 1,
      seen.valueCount * 2 >= recordCount, !isRowNumber(column), !holdsPlaceholder(column)
    else { return false }
    switch kind {
    case .ownIdentifier:
      return seen.distinct.count * 50 >= seen.valueCount || !seen.distinct.isExact
    case .namedIdentifier, .code: return seen.distinct.repeatedCount * 10 <= seen.valueCount
    case .other: return recordCount >= ModelDraft.sampleSize && isUnique(index) && isCode(column)
    }
  }

  /// Whether one value has 10 or more records and over half of the duplicates, as a placeholder does.
  private func holdsPlaceholder(_ column: InferredColumn) -> Bool {
    let distinct = column.statistics.distinct
    return distinct.greatestRepeatCount >= 9
      && distinct.greatestRepeatCount * 2 > distinct.repeatedCount
  }

  /// Whether the records of different inputs that have the same value resemble each other much less than those with
  /// the same value of a rival. How much the records of a right key resemble each other depends on the source, so
  /// only the comparison counts. The better resemblance does not make a rival the key.
  private func isRejected(_ index: Int, among possible: [Int]) -> Bool {
    guard let own = columns[index].statistics.key?.sample.resemblance else { return false }
    return possible.contains { rival in
      guard let other = columns[rival].statistics.key?.sample.resemblance else { return false }
      return other > 0.1 && own < other / 2
    }
  }

  func isInAllRecords(_ column: InferredColumn) -> Bool {
    column.statistics.valueCount == recordCount
  }

  private func isUnique(_ index: Int) -> Bool {
    columns[index].canBeKey && isInAllRecords(columns[index])
      && columns[index].statistics.distinct.repeatedCount == 0
      && columns[index].statistics.distinct.count > 1
  }

  /// Whether all values are integers or short texts without spaces, and neither measures nor moments.
  private func isCode(_ column: InferredColumn) -> Bool {
    let seen = column.statistics
    guard !MemberName(column.nameSteps.last ?? "").isMeasure,
      [seen.counts.integer, seen.counts.string].contains(seen.valueCount)
    else { return false }
    if seen.isInteger { return seen.epoch == nil }
    let texts = seen.texts
    return seen.isText && !texts.holdsSpace && texts.lengths.areIn(1...64)
      && texts.numericCount == texts.integerCount && seen.moments.instantCount == 0
  }

  // MARK: Comments

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

  private func noKey(unique: [Int]) -> KeyChoice {
    let identifiers = columns.filter { $0.canBeKey && !isRowNumber($0) }
    let rare = identifiers.first { keyKind(of: $0) == .ownIdentifier }
    let repeated = identifiers.filter { keyKind(of: $0) == .namedIdentifier }
      .max { $0.statistics.distinct.count < $1.statistics.distinct.count }
    var reason = "no single attribute identifies a record"
    var advice = "name several with x-key if they do together"
    if let rare, recordCount > 1 {
      let seen = rare.statistics
      reason =
        seen.valueCount * 2 < recordCount
        ? "\(rare.name) is missing in \(recordCount - seen.valueCount) of \(recordCount) records"
        : "\(rare.name) has only \(amount(seen.distinct)) different values"
      advice = "name it with x-key if it identifies the others"
      if holdsPlaceholder(rare) {
        reason = "one value of \(rare.name) is in \(seen.distinct.greatestRepeatCount + 1) records"
      }
    } else if let repeated, repeated.statistics.distinct.repeatedCount > 0 {
      let seen = repeated.statistics
      reason = "\(repeated.name) repeats, in \(seen.distinct.repeatedCount) of \(seen.valueCount)"
      advice = "name it with x-key if these are versions of a record"
    } else if !unique.isEmpty {
      let names = unique.prefix(8).map { columns[$0].name }.joined(separator: ", ")
      reason = "the unique attributes are \(names), perhaps by chance"
      advice = "name one with x-key if it identifies a record"
    }
    return KeyChoice(
      remark: "No key: \(reason); \(advice).\(rowNumbers)", reasonForNone: reason)
  }

  private var rowNumbers: String {
    let names = columns.filter(isRowNumber).map(\.name)
    return names.isEmpty
      ? ""
      : " Each export numbers the records anew, so these are no keys: \(names.joined(separator: ", "))."
  }
}
