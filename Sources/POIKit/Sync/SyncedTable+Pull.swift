internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Records of the server.
extension SyncedTable {
  /// What a page of the server changed.
  package struct Page: Sendable {
    /// How its records were taken over.
    package let report: ImportReport
    /// Whether the server's records have begun another life: all is offered again, and the next page is the first one.
    package var isRestarted = false
  }

  /// Takes over a page: the object with `documents`, `checkpoint` and `epoch`. Its records and where the next page begins
  /// are one transaction.
  ///
  /// - Parameter removalLimit: how many rows it may delete; nil for all.
  /// - Throws: `StoreError` if the page cannot be read or the store not be written, with `snapshotRefused` if it deletes
  ///   more rows; then nothing of it is stored.
  package func take(page: [UInt8], removalLimit: Int? = nil) throws(StoreError) -> Page {
    let state = try state()
    let (report, obstacle) = try read(
      page, .page(epoch: state.epoch ?? "", removalLimit: removalLimit))
    switch obstacle {
    case nil: return Page(report: report)
    case .removals:
      try endFirstPull()
      return try take(page: page, removalLimit: removalLimit)
    case .epoch(let epoch):
      try restart(epoch: epoch)
      guard state.checkpoint == nil else { return Page(report: report, isRestarted: true) }
      return try take(page: page, removalLimit: removalLimit)
    }
  }

  /// The number of rows.
  package func rowCount() throws(StoreError) -> Int {
    try store.leased { (lease) in
      Int(try lease.connection.integer("SELECT count(*) FROM main.\(name: model.table)") ?? 0)
    }
  }

  /// Whether a page has no documents and says nothing new.
  package func isLast(_ page: [UInt8]) throws(StoreError) -> Bool {
    guard page.count <= SyncedTable.longestEmptyPage, let page = try? JSONValue(parsing: page.span),
      page["documents"]?.elements?.isEmpty == true, let epoch = page["epoch"]?.string
    else { return false }
    return try state().epoch.map(epoch.isExactly) ?? false
  }

  /// Whether the table has no key yet. It gets one as soon as a program changes it.
  private func isFirstPull() throws(StoreError) -> Bool {
    let (isFirst, isChanged) = try store.leased { (lease) in
      let isFirst = try EnforcedKey.read(of: model, in: lease.connection) == nil
      return (
        isFirst,
        try isFirst && ChangeLog.existing(of: model, in: lease.connection)?.isEmpty() == false
      )
    }
    if isChanged { try endFirstPull() }
    return isFirst && !isChanged
  }

  private static let longestEmptyPage = 4_096

  /// Takes over records that the server has in place of what was pushed.
  func take(answer: [UInt8]) throws(StoreError) -> ImportReport { try read(answer, .answer).report }

  private func read(
    _ bytes: [UInt8], _ page: ImportOptions.ServerPage
  ) throws(StoreError) -> (report: ImportReport, obstacle: ImportSession.PageObstacle?) {
    var options = ImportOptions()
    options.page = page
    options.pointer = "/documents"
    options.tokenPointer = ImportOptions.ServerPage.checkpoint
    options.mergePolicy = try isFirstPull() ? .append : .overwrite
    options.maximumSkew = nil
    options.isRestarting = true
    options.jobCount = 1
    // The page is one transaction.
    options.batchSize = .max
    options.batchByteLimit = .max
    options.directRecordLimit = .max
    options.directByteLimit = .max
    var session = try ImportSession(into: store, model: model.asServed, options)
    try session.beginInput(named: "the server's answer")
    try session.append(bytes.span)
    let report = try session.finish()
    return (report, session.pageObstacle)
  }
}
