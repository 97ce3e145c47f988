public import POIKit

/// A report as a page.
extension ImportReport {
  /// Returns a page that shows where the records went, why some were rejected, what the table holds now, and which
  /// duplicates were removed.
  ///
  /// It is one file in UTF-8 without scripts, which loads nothing. All that comes from the data is escaped. It has at
  /// most 20 examples of anything; those are records, so the page is as confidential as the store.
  ///
  /// - Parameters:
  ///   - store: the store of the import; nil after a dry run.
  ///   - table: the table of the import; nil for the only one of the store that is not empty.
  ///   - commandLine: the command, without secrets, if there was one.
  /// - Throws: `StoreError` with `noSuchTable`, or if the store cannot be read.
  /// - Complexity: one scan of the table. Memory does not grow with the number of rows.
  public func html(
    of store: Store?, table: String? = nil, commandLine: String? = nil
  ) throws(StoreError) -> [UInt8] {
    let model = try store?.model(ofTable: table)
    let facts = try Page.facts(
      ofTable: model?.table, in: store, run: runID, digest: digest, commandLine: commandLine)
    var sections: [HTML?] = []
    if let store, let model {
      sections = try store.withReader { connection in
        let run = runID ?? .max
        let rejects = try RejectExamples(ofRun: run, of: model, in: connection)
        let groups = try DuplicateGroups(from: run, of: model, in: connection)
        return try TableProfile(of: model, in: connection)
          .sections(rejects: rejectsByAttribute, [rejects.marks])
          + [rejects.section(of: self), groups.section(store.path)]
      }
    } else {
      sections.append(RejectExamples().section(of: self))
    }
    let names = inputs.prefix(3).map { $0.name.split(separator: "/").last ?? "/" }
      .joined(separator: ", ")
    let title = "Import of " + names + (inputs.count > 3 ? " and \(inputs.count - 3) more" : "")
    let ending: HTML = store == nil ? "dry run" : "\(text: ending.rawValue)"
    return Page.bytes(title, [ending] + facts, [flow(isStored: store != nil)] + sections)
  }

  private func flow(isStored: Bool) -> HTML {
    let parts = counters.byName.filter { $0.name != "read" && $0.name != "removed" }
      .map { ($0.name == "inserted" && !isStored ? "valid" : $0.name, $0.count) }
    let others = [
      (name: "folded", count: foldedCount), ("without key", keylessCount), ("tied", tiedCount),
      ("removed", counters.removed),
    ]
    return Page.section(
      "Where did the records go?", "Each of the \(counters.read) records read is in one part.",
      "\(Page.bar(parts))\(Page.counts(others))")
  }
}
