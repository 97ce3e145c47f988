internal import JSONStreaming
public import POIKit
internal import POIRecords

/// Collects examples of what a comparison of two stores writes, for a page.
///
/// ```swift
/// import POIKit
/// import POIReport
///
/// let (older, newer) = (try Store("old.sqlite"), try Store("new.sqlite"))
/// var page = DifferencePage()
/// let report = try newer.compare(withOlder: older) { page.collect($0) }
/// let html = try page.html(of: report, in: newer)
/// ```
public struct DifferencePage {
  private var line: [UInt8] = []
  private var examples: [String: [HTML]] = [:]

  /// A page without examples.
  public init() {}

  /// Collects examples from a piece of the output of `Store.compare`. A line may be in several pieces.
  public mutating func collect(_ piece: Span<UInt8>) {
    for index in piece.indices {
      line.append(piece[index])
      guard piece[index] == UInt8(ascii: "\n") else { continue }
      // `{"change":"added",…`: only the first lines of each kind are parsed.
      let isWanted = examples.allSatisfy { kind, found in
        found.count < Page.exampleLimit || !line.dropFirst(11).starts(with: kind.utf8)
      }
      if isWanted, let change = Self.change(line) { collect(change) }
      line.removeAll(keepingCapacity: true)
    }
  }

  private static func change(_ line: [UInt8]) -> JSONValue? { try? JSONValue(parsing: line.span) }

  private mutating func collect(_ change: JSONValue) {
    guard let kind = change["change"]?.string, let key = change["key"]?.members else { return }
    let members = (change["attributes"] ?? change["record"])?.members ?? []
    let isChange = kind == "changed"
    let rows = members.prefix(Page.partLimit).map { member -> HTML in
      let (old, new) = (member.value["old"]?.text, member.value["new"]?.text)
      let cells: HTML =
        isChange
        ? "\(Page.cell(old, comparedWith: new))\(Page.cell(new, comparedWith: old))"
        : "<td>\(text: member.value.text, limit: 100)</td>"
      return "<tr><th scope=\"row\">\(text: member.name)</th>\(cells)</tr>\n"
    }
    let headings: [HTML] = isChange ? ["attribute", "old", "new"] : ["attribute", "value"]
    examples[kind, default: []].append(
      Page.details(
        "\(key.html { "\(text: $0.value.text, limit: 60) " })",
        Page.table(headings, rows, rowCount: members.count)))
  }

  /// Returns the page.
  ///
  /// - Parameters:
  ///   - report: the report of the comparison.
  ///   - newer: the newer store.
  ///   - commandLine: the command, without secrets, if there was one.
  /// - Throws: `StoreError` if the store cannot be read.
  public func html(
    of report: DifferenceReport, in newer: Store, commandLine: String? = nil
  ) throws(StoreError) -> [UInt8] {
    let counts = [
      (name: "equal", count: report.equalCount), ("changed", report.changedCount),
      ("added", report.addedCount), ("removed", report.removedCount),
    ]
    let attributes = report.changedAttributes.prefix(Page.partLimit).map {
      (name: $0.name, count: $0.recordCount)
    }
    let (keyless, repeated) = (report.keylessCounts, report.repeatedKeyCounts)
    let others = [
      (name: "without key in the older", count: keyless.older),
      ("without key in the newer", keyless.newer),
      ("repeated keys in the older", repeated.older),
      ("repeated keys in the newer", repeated.newer),
    ]
    let uncompared = report.uncomparedAttributes.prefix(Page.partLimit).joined(separator: ", ")
    let flow = Page.section(
      "How do the stores differ?",
      """
      Each key is in one part. Below, how many records changed by attribute.\
      \(uncompared.isEmpty ? "" : " Not compared: \(text: uncompared, limit: 1_000).")
      """,
      "\(Page.bar(counts, styles: ["s0", "other", "new", "bad"]))\(Page.counts(others))\(Page.list(attributes))"
    )
    let sections = counts.map { kind, count -> HTML? in
      examples[kind].map { found in
        Page.section(
          "Which records were \(text: kind)?",
          found.count < count ? "\(found.count) of \(count) are here." : "",
          found.html { $0 })
      }
    }
    let styles: [HTML] = ["new", "other", "bad"]
    let marks = zip(DifferenceReport.Change.allCases, styles).map { change, style in
      DensityMap.Marks(name: change.rawValue, style: style, places: report.places[change] ?? [])
    }
    let model = try newer.model(ofTable: report.table)
    let profile = try newer.withReader { connection in
      try TableProfile(of: model, in: connection).sections(marks)
    }
    let facts = try Page.facts(ofTable: report.table, in: newer, commandLine: commandLine)
    return Page.bytes(
      "Difference of \(report.table)", facts,
      [flow] + profile.prefix(1) + sections + profile.suffix(1))
  }
}

extension JSONValue {
  /// A string as it is, another value as JSON.
  fileprivate var text: String { string ?? description }
}
