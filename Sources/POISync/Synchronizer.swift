internal import JSONStreaming
internal import POIFiles
public import POIKit
internal import POIPlatform
public import POIRecords
internal import POISQLite

/// Lets a table of a store and a server agree, in both directions.
///
/// ```swift
/// import POISync
///
/// let address = "https://example.org/pois"
/// var synchronizer = try Synchronizer(store, server: HTTPServer(address: address), address: address)
/// let report = try synchronizer.cycle()
/// ```
public struct Synchronizer<Server: SyncServer> {
  private let table: SyncedTable
  private var server: Server
  private let options: SyncOptions

  /// Connects a table with a server.
  ///
  /// The table needs an enforced key, a timestamp that is an instant, and tracked local changes. A table that is empty or
  /// does not exist needs only a model with a key and such a timestamp: its first cycle does the rest.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the table of the model, or the only one of the store.
  ///   - model: the model of a new table.
  ///   - address: what names the server in the store; nil for the kept one.
  /// - Throws: `StoreError` with `invalidOptions` if the table cannot be synchronised.
  public init(
    _ store: Store, table: String? = nil, model: Model? = nil, server: Server,
    address: String? = nil, options: SyncOptions = SyncOptions()
  ) throws(StoreError) {
    self.table = try SyncedTable(store, table: table, model: model, address: address)
    self.server = server
    self.options = options
  }

  /// Pulls what changed on the server, then pushes what changed here.
  ///
  /// - Parameter progress: called after each request; returns whether to continue.
  /// - Throws: `StoreError` if the store cannot be read or written, or another cycle is running on it (`inUse`);
  ///   `SyncError` if a request failed. What was taken over before stays, and the next cycle goes on from there.
  public mutating func cycle(
    progress: (SyncReport) -> BatchDecision = { _ in .proceed }
  ) throws -> SyncReport {
    let lock = try CycleLock(besideStoreAt: table.store.path)
    defer { withExtendedLifetime(lock) {} }
    var report = SyncReport()
    do {
      try pull(&report, progress)
      if !report.isStopped { try push(&report, progress) }
      try note(nil)
      return report
    } catch {
      let message = (error as? SyncError)?.message ?? (error as? StoreError)?.message
      // The store may be what failed.
      if let message { try? note(message) }
      throw error
    }
  }

  /// Forgets the server's versions: the next cycle asks for all records, and offers all rows and removals.
  ///
  /// - Throws: `StoreError` when the store cannot be written.
  public func startOver() throws(StoreError) { try table.restart() }

  private func note(_ error: String?) throws(StoreError) {
    try table.note(error: error, at: options.clock())
  }

  private mutating func pull(
    _ report: inout SyncReport, _ progress: (SyncReport) -> BatchDecision
  ) throws {
    let removalLimit = try options.removalLimit.map { $0.maximum(of: try table.rowCount()) }
    var removedCount = 0
    while true {
      let checkpoint = try table.checkpoint
      let body = try server.pull(after: checkpoint, limit: options.pageSize)
      report.requestCount += 1
      if try table.isLast(body) { break }
      let page = try table.take(page: body, removalLimit: removalLimit.map { $0 - removedCount })
      report.add(page.report)
      removedCount += page.report.counters.removed
      if page.isRestarted {
        guard !report.isRestarted else {
          throw SyncError(.unusable, "the server names another epoch with each page")
        }
        report.isRestarted = true
      } else if page.report.counters.read > 0, try table.checkpoint == checkpoint {
        throw SyncError(
          .unusable, "the server's page ends where it began, at \(checkpoint ?? "the beginning")")
      } else if page.report.counters.read == 0 {
        break
      }
      guard progress(report) == .proceed else {
        report.isStopped = true
        return
      }
    }
    try table.endFirstPull()
  }

  private mutating func push(
    _ report: inout SyncReport, _ progress: (SyncReport) -> BatchDecision
  ) throws {
    // A record that differs on the server is sent again, from the server's version.
    for _ in 0..<3 where !report.isStopped {
      guard try table.beginPush() > 0 else { return }
      var edition: Int64 = 0
      var limit = options.pushSize
      var isRepeated = false
      while let request = try table.push(after: edition, limit: limit) {
        report.requestCount += 1
        guard let answer = try answer(to: request) else {
          limit = (request.editions.count + 1) / 2
          continue
        }
        let taken = try table.take(answer, to: request)
        report.add(taken)
        isRepeated = isRepeated || taken.conflictCount + taken.unknownCount > 0
        edition = request.editions.last ?? .max
        limit = min(limit * 2, options.pushSize)
        guard progress(report) == .proceed else {
          report.isStopped = true
          return
        }
      }
      guard isRepeated else { return }
    }
  }
}

extension Synchronizer: Sendable where Server: Sendable {}

extension Synchronizer {
  /// The server's answer to a request; nil if it refuses one with several records as a whole, so that they must be sent
  /// in smaller ones.
  private mutating func answer(to request: SyncedTable.Push) throws(SyncError) -> [UInt8]? {
    do throws(SyncError) {
      return try server.push(request.body)
    } catch {
      guard error.code == .refused else { throw error }
      return request.editions.count > 1 ? nil : SyncedTable.refusal(error.message)
    }
  }
}

/// Holds off other cycles on a store, also in other processes, until it ends.
private struct CycleLock: ~Copyable {
  private let file: Descriptor

  /// - Throws: `StoreError` with `inUse` if another cycle holds it.
  init(besideStoreAt path: String) throws(StoreError) {
    let file = try Self.open(path + "-sync", mode: StorePermissions.forFile(besideStoreAt: path))
    guard file.isClosed || file.lock() else {
      throw StoreError(
        .inUse, "\(path): another process synchronises the store; wait until it ends")
    }
    self.file = file
  }

  deinit { if !file.isClosed { file.unlock() } }

  private static func open(_ path: String, mode: UInt32) throws(StoreError) -> Descriptor {
    // A store in memory has no other processes.
    guard unsafe access(String(path.dropLast("-sync".count)), F_OK) == 0 else { return .none }
    do throws(SystemError) {
      return try Descriptor(opening: path, flags: O_RDWR | O_CREAT | O_NOCTTY, mode: mode)
    } catch {
      throw StoreError(.inputOutput, "\(path): \(error.text)")
    }
  }
}
