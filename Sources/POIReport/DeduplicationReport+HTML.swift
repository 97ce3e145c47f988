public import POIKit

/// A report as a page.
extension DeduplicationReport {
  /// Returns a page that shows which records were duplicates, why they were removed, and what the table holds now.
  ///
  /// - Parameters: as for `ImportReport.html(of:table:commandLine:)`.
  /// - Throws: `StoreError` with `noSuchTable`, or if the store cannot be read.
  /// - Complexity: one scan of the table and one of its archive.
  public func html(
    of store: Store, table: String? = nil, commandLine: String? = nil
  ) throws(StoreError) -> [UInt8] {
    let model = try store.model(ofTable: table)
    let parts = [
      (name: "left", count: rowsLeft), ("superseded", runChanges.supersededRowCount),
      ("removed", runChanges.removedRowCount),
    ]
    let rowCount = rowsLeft + runChanges.supersededRowCount + runChanges.removedRowCount
    let flow = Page.section(
      "What happened to the rows?",
      "Each of the \(rowCount) rows is in one part.",
      """
      \(Page.bar(parts, styles: ["s0", "s8", "s6"]))\
      \(Page.counts([
        ("without key", plan.nullKeyRowCount), ("filled", runChanges.filledWinnerCount),
      ]))
      """)
    let reasons =
      plan.reasons.described(keeping: plan.samples.first?.keep ?? .newest)
      + [("before the run was interrupted", earlier.removedRowCount)]
    let sections = try store.withReader { connection in
      let groups = try DuplicateGroups(from: run ?? .max, of: model, in: connection)
      return [groups.section(store.path, reasons)]
        + (try TableProfile(of: model, in: connection).sections())
    }
    let facts = try Page.facts(
      ofTable: model.table, in: store, run: run, digest: digest, commandLine: commandLine)
    return Page.bytes("Deduplication of \(model.table)", facts, [flow] + sections)
  }
}
