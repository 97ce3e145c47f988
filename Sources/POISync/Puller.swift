internal import JSONStreaming
public import POIKit
public import POIRecords

/// Takes over what a server without the sync protocol offers; nothing is sent.
///
/// ```swift
/// import POISync
///
/// var source = PullSource(address: "https://example.org/pois?since={token}")
/// source.recordPointer = "/items"
/// let report = try Puller(store, model: model, source: source).pull()
/// ```
public struct Puller {
  private let table: PulledTable
  private let source: PullSource
  private let client: HTTPClient

  /// The greatest number of rows that a list of keys may remove; nil for 20 %.
  public var removalLimit: ImportOptions.Limit?

  /// Returns the time at the end of a pull.
  public var clock: @Sendable () -> Instant = SystemClock.now

  /// Prepares a table.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the table of the model, or the only one of the store.
  ///   - model: the model of a new table. It needs a key.
  ///   - source: what to ask, which is kept; nil for what is kept.
  ///   - client: what makes the requests; nil for one without headers.
  /// - Throws: `StoreError` with `invalidOptions` if the table cannot be pulled; `SyncError` for an unusable address.
  public init(
    _ store: Store, table: String? = nil, model: Model? = nil, source: PullSource? = nil,
    client: HTTPClient? = nil
  ) throws {
    self.client = try client ?? HTTPClient()
    for address in [source?.address, source?.idsAddress] {
      if let address { try self.client.check(address: address) }
    }
    self.table = try PulledTable(store, table: table, model: model, settings: source?.json)
    self.source = PullSource(self.table.settings)
  }

  /// Asks for what is new, page by page, then for the list of keys.
  ///
  /// - Parameter progress: called after each page; returns whether to continue.
  /// - Throws: `SyncError` if a request failed; `StoreError` if an answer has no records that can be read, the store cannot
  ///   be written, or the list lacks too many rows (`snapshotRefused`). What was taken over before stays; the next pull asks
  ///   for the rest.
  public func pull(progress: (SyncReport) -> BatchDecision = { _ in .proceed }) throws -> SyncReport
  {
    var report = SyncReport()
    report.isPullOnly = true
    do {
      try pullPages(&report, progress)
      if let address = source.idsAddress, !report.isStopped {
        let list = try client.answer(to: address).bodyOfSuccess(from: address)
        report.requestCount += 1
        let removal = try table.removeOthers(
          than: list, named: address, limit: removalLimit)
        report.pulled.removedCount += removal.counters.removed
      }
      try table.note(error: nil, at: clock())
      return report
    } catch {
      let message = (error as? SyncError)?.message ?? (error as? StoreError)?.message
      if let message { try? table.note(error: message, at: clock()) }
      throw error
    }
  }

  private func pullPages(
    _ report: inout SyncReport, _ progress: (SyncReport) -> BatchDecision
  ) throws {
    var token = try token
    var address = try source.address(after: token)
    var visited: Set<String> = []
    var lastSize = 0
    while true {
      // Pages that follow each other by links are one import.
      var session = try ImportSession(into: table.store, model: table.model, options: options)
      var name = source.address
      var (next, size): (String?, Int) = (nil, 0)
      repeat {
        guard source.continuesByToken || visited.insert(address).inserted else {
          throw SyncError(.unusable, "\(address): its pages lead back to it")
        }
        let page = try client.answer(to: address).bodyOfSuccess(from: address)
        size = page.count
        report.requestCount += 1
        try session.beginInput(named: name, byteCount: page.count)
        try session.append(page.span)
        try session.endInput()
        next = session.companion.flatMap { $0.isEmpty ? nil : $0 }
        if let next {
          address = try source.address(ofNext: next, after: address, token: token)
          name = address
          report.isStopped = progress(report) == .stop
        }
      } while next != nil && !report.isStopped
      let page = try report.isStopped ? session.stop() : session.finish()
      report.add(page)
      let last = token
      token = try self.token
      guard !report.isStopped, source.continuesByToken, page.counters.read > 0, token != last else {
        return
      }
      // A token that is the time of the answer moves for ever, and an overlap repeats the last records.
      let isRepeated = source.overlap != nil || size == lastSize
      if page.counters.unchanged == page.counters.read, isRepeated { return }
      lastSize = size
      address = try source.address(after: token)
      report.isStopped = progress(report) == .stop
      if report.isStopped { return }
    }
  }

  private var token: String? {
    get throws { try table.store.token(of: table.model) }
  }

  private var options: ImportOptions {
    var options = ImportOptions()
    options.pointer = source.recordPointer
    options.tokenPointer = source.tokenPointer
    options.nextPointer = source.nextPointer
    options.mergePolicy = .newest
    options.isRestarting = true
    return options
  }
}
