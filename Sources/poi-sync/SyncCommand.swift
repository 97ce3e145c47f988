import Glibc
import JSONStreaming
import POIFiles
import POIKit
import POIRecords
import POISQLite
import POISync
import POIToolSupport

/// The parsed options of `poi-sync`.
struct SyncCommand {
  private enum Work {
    case cycle, status, startOver
  }

  private let work: Work
  let storePath: String
  private let table: String?
  private let model: String?
  private let address: String?
  private let headerFile: String?
  private let allowsPlainHTTP: Bool
  private let interval: Int?
  let isReportJSON: Bool
  private let trustsSchema: Bool
  private var options = SyncOptions()

  init(_ arguments: ParsedArguments) throws {
    work =
      arguments.flag("status") ? .status : arguments.flag("start-over") ? .startOver : .cycle
    storePath = arguments.text("store") ?? "poi.sqlite"
    table = arguments.text("table")
    model = arguments.text("model")
    guard table == nil || model == nil else {
      throw UsageError("--model names the table; leave out --table")
    }
    address = arguments.text("server")
    headerFile = arguments.text("headers")
    allowsPlainHTTP = arguments.flag("allow-http")
    interval = try arguments.integer("every", in: 1...86_400)
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    trustsSchema = arguments.flag("trust-schema")
    options.pageSize = try arguments.integer("page", in: 1...1_000_000) ?? options.pageSize
    options.pushSize = try arguments.integer("batch", in: 1...1_000_000) ?? options.pushSize
  }

  func run(_ tool: inout ToolEnvironment) throws -> ExitCode {
    guard unsafe model != nil && work == .cycle || access(storePath, F_OK) == 0 else {
      throw ToolFailure(
        .noInput,
        "\(storePath): no such store; name one with --store, or the model of a new one with --model"
      )
    }
    switch work {
    case .status: return try showStatus(&tool)
    case .startOver:
      try SyncedTable(store(.existing), table: table).restart()
      tool.diagnostics.note("all records and removals are offered again with the next cycle")
      return .done
    case .cycle: return try synchronise(&tool)
    }
  }

  func store(_ opening: Store.Opening) throws -> Store {
    try Store(storePath, for: opening, trustsSchema: trustsSchema)
  }

  // MARK: Cycles

  private func synchronise(_ tool: inout ToolEnvironment) throws -> ExitCode {
    // An address that cannot be used, or holds a password, must not come into the store.
    let client = try HTTPClient(
      headers: headers(), allowsPlainHTTP: allowsPlainHTTP,
      isInterrupted: { Interruption.isRequested })
    if let address { _ = try HTTPServer(address: address, client: client) }
    let store = try store(model == nil ? .existing : .create)
    let model = try model.map { $0 == "poi" ? Model.poi : try Model(contentsOf: $0) }
    let table = try SyncedTable(store, table: table, model: model, address: address)
    let server = try HTTPServer(address: table.address, client: client)
    var synchronizer = try Synchronizer(
      store, table: table.model.table, server: server, options: options)
    guard let interval else { return try cycle(&synchronizer, &tool) }
    var delay = RetryDelay()
    while !Interruption.isRequested {
      var pause = Duration.seconds(interval)
      // What a program changes during a cycle is sent with the next one.
      var version: Int64? = try store.version()
      do {
        _ = try cycle(&synchronizer, &tool)
        delay = RetryDelay()
      } catch let error as SyncError where error.code == .unreachable {
        if Interruption.isRequested { break }
        pause = delay.next(asked: error.retryAfter)
        version = nil
        tool.diagnostics.warning(
          "\(error.message); the next cycle begins in \(pause.components.seconds) s")
      }
      try wait(pause, untilChangeAfter: version, of: store)
    }
    return .interrupted
  }

  private func cycle(
    _ synchronizer: inout Synchronizer<HTTPServer>, _ tool: inout ToolEnvironment
  ) throws -> ExitCode {
    let diagnostics = tool.diagnostics
    let report = try synchronizer.cycle { report in
      diagnostics.progress(
        .init(
          "\(storePath): synchronising", unit: .items("records"),
          done: report.pulled.count + report.pushed.acceptedCount))
      return Interruption.isRequested ? .stop : .proceed
    }
    tool.diagnostics.clearProgress()
    write(report, to: &tool)
    if report.isStopped { return .interrupted }
    return report.pushed.refusedCount + report.pulled.rejectedCount > 0 ? .rejected : .done
  }

  /// Waits until a time has passed or a program has changed the store.
  ///
  /// - Parameter version: the version of the store before; nil to wait for the time alone.
  private func wait(
    _ pause: Duration, untilChangeAfter version: Int64?, of store: Store
  ) throws {
    let end = MonotonicClock.now() + pause
    while MonotonicClock.now() < end, !Interruption.isRequested {
      if let version, try store.version() != version { return }
      usleep(250_000)
    }
  }

  private func headers() throws -> [String] {
    guard let headerFile else { return [] }
    do throws(SystemError) {
      let bytes = try Descriptor(opening: headerFile).bytes(at: 0, maximum: 1 << 16)
      return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        .map(String.init)
    } catch {
      throw ToolFailure(.noInput, "\(headerFile): \(error.text)")
    }
  }

}

extension SyncReport.Pulled {
  /// The records that came.
  fileprivate var count: Int {
    insertedCount + updatedCount + removedCount + unchangedCount + keptCount + rejectedCount
  }
}

extension ToolFailure {
  init(_ error: SyncError) {
    guard !Interruption.isRequested else {
      self.init(.interrupted, "interrupted; the next cycle goes on")
      return
    }
    let code: ExitCode =
      switch error.code {
      case .unreachable: .unreachable
      case .credentials: .noPermission
      case .refused, .unusable: .dataError
      }
    self.init(code, error.message)
  }
}

/// How long a cycle waits after failures: exponentially longer, at random, so that many devices do not come at once.
private struct RetryDelay {
  private static let longest = 300.0
  private var seconds = 1.0

  /// - Parameter asked: how long the server asks to wait.
  mutating func next(asked: Duration?) -> Duration {
    seconds = min(seconds * 2, Self.longest)
    return max(.seconds(Double.random(in: 0.5...1) * seconds), asked ?? .zero)
  }
}
