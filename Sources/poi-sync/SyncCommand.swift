import JSONStreaming
import POIFiles
import POIKit
import POIPlatform
import POIRecords
import POISQLite
import POISync
import POIToolSupport

/// The parsed options of `poi-sync`.
struct SyncCommand {
  private enum Work {
    case cycle, status, startOver
    case check(writes: Bool)
  }

  private let work: Work
  let storePath: String
  private let table: String?
  private let model: String?
  private let address: String?
  private let source: PullSource?
  private let isDryRun: Bool
  private let headerFile: String?
  private let allowsPlainHTTP: Bool
  private let interval: Int?
  let isReportJSON: Bool
  private let trustsSchema: Bool
  private var options = SyncOptions()

  init(_ arguments: ParsedArguments) throws {
    let checkedAddress = arguments.text("check-server")
    work =
      arguments.flag("status")
      ? .status
      : arguments.flag("start-over")
        ? .startOver : checkedAddress != nil ? .check(writes: arguments.flag("write")) : .cycle
    storePath = arguments.text("store") ?? "poi.sqlite"
    table = arguments.text("table")
    model = arguments.text("model")
    address = checkedAddress ?? arguments.text("server")
    source = try arguments.text("pull").map { address throws(UsageError) in
      var source = PullSource(address: address)
      source.recordPointer = arguments.text("at")
      source.tokenPointer = arguments.text("token-at")
      source.nextPointer = arguments.text("next-at")
      source.overlap = try arguments.duration("overlap")
      source.idsAddress = arguments.text("ids")
      return source
    }
    isDryRun = arguments.flag("dry-run")
    headerFile = arguments.text("headers")
    allowsPlainHTTP = arguments.flag("allow-http")
    interval = try arguments.integer("every", in: 1...86_400)
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    trustsSchema = arguments.flag("trust-schema")
    options.pageSize = try arguments.integer("page", in: 1...1_000_000) ?? options.pageSize
    options.removalLimit = try arguments.limit("max-removals")
    options.pushSize = try arguments.integer("batch", in: 1...1_000_000) ?? options.pushSize
  }

  func run(_ tool: inout ToolEnvironment) throws -> ExitCode {
    if case .check(let writes) = work { return try checkServer(writes: writes, &tool) }
    guard unsafe model != nil || access(storePath, F_OK) == 0 else {
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
    case .cycle, .check:
      try checkAddresses()
      return try isDryRun
        ? tryCycle(&tool) : synchronise(store(model == nil ? .existing : .create), &tool)
    }
  }

  func store(_ opening: Store.Opening) throws -> Store {
    try Store(storePath, for: opening, trustsSchema: trustsSchema)
  }

  /// Says which duties of the protocol the server does not keep.
  private func checkServer(writes: Bool, _ tool: inout ToolEnvironment) throws -> ExitCode {
    try checkAddresses()
    let model = try namedModel ?? store(.readOnly).model(ofTable: table)
    var check = try ServerCheck(HTTPServer(address: address ?? "", client: client), model: model)
    defer {
      if !check.madeKeys.isEmpty {
        tool.diagnostics.note(
          "records with these keys were made, and removed in the end: "
            + check.madeKeys.joined(separator: ", "))
      }
    }
    try check.read()
    if writes { try check.write() }
    for finding in check.findings { tool.output.write(finding + "\n") }
    return check.findings.isEmpty ? .done : .dataError
  }

  private var client: HTTPClient {
    get throws {
      try HTTPClient(
        headers: headers(), allowsPlainHTTP: allowsPlainHTTP,
        isInterrupted: { Interruption.isRequested })
    }
  }

  private var namedModel: Model? {
    get throws { try model.map { $0 == "poi" ? Model.poi : try Model(contentsOf: $0) } }
  }

  // MARK: Cycles

  /// Refuses an address that cannot be used or holds a password, before it comes into a store.
  ///
  /// - Throws: `UsageError`, because it is the command line that is wrong.
  private func checkAddresses() throws {
    let client = try client
    do throws(SyncError) {
      if let address { _ = try HTTPServer(address: address, client: client) }
      for address in [source?.address, source?.idsAddress] {
        if let address { try client.check(address: address) }
      }
    } catch {
      throw UsageError(error.message)
    }
  }

  private typealias Cycle = ((SyncReport) -> BatchDecision) throws -> SyncReport

  private func synchronise(_ store: Store, _ tool: inout ToolEnvironment) throws -> ExitCode {
    let cycle = try cycle(store)
    guard let interval else { return try run(cycle, &tool) }
    var delay = RetryDelay()
    while !Interruption.isRequested {
      var pause = Duration.seconds(interval)
      // What a program changes during a cycle is sent with the next one.
      var version: Int64? = try store.version()
      do {
        _ = try run(cycle, &tool)
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

  /// A cycle with the server of the table, or a pull.
  private func cycle(_ store: Store) throws -> Cycle {
    let (client, model) = (try client, try namedModel)
    if try source != nil
      || address == nil && PulledTable.exists(in: store, table: table, model: model)
    {
      var puller = try Puller(store, table: table, model: model, source: source, client: client)
      puller.removalLimit = options.removalLimit
      return { progress in try puller.pull(progress: progress) }
    }
    let table = try SyncedTable(store, table: table, model: model, address: address)
    let server = try HTTPServer(address: table.address, client: client)
    let name = table.model.table
    if isDryRun {
      var synchronizer = try Synchronizer(
        store, table: name, server: DryServer(server: server), options: options)
      return { progress in try synchronizer.cycle(progress: progress) }
    }
    var synchronizer = try Synchronizer(store, table: name, server: server, options: options)
    return { progress in try synchronizer.cycle(progress: progress) }
  }

  private func run(_ cycle: Cycle, _ tool: inout ToolEnvironment) throws -> ExitCode {
    let diagnostics = tool.diagnostics
    let report = try cycle { report in
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

  /// Runs a cycle with a copy of the store, and sends nothing.
  private func tryCycle(_ tool: inout ToolEnvironment) throws -> ExitCode {
    let copy = storePath + "-dry-run"
    func remove() {
      for suffix in ["", "-wal", "-shm", "-journal", "-sync"] { unsafe _ = unlink(copy + suffix) }
    }
    remove()
    defer { remove() }
    if unsafe access(storePath, F_OK) == 0 {
      // A saved store would begin as another device.
      try store(.readOnly).withConnection { try $0.execute("VACUUM INTO \(literal: copy)") }
    }
    let store = try Store(copy, for: .create, trustsSchema: trustsSchema)
    tool.diagnostics.note("this is what a cycle would do; nothing is changed or sent")
    return try synchronise(store, &tool)
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

/// A server that gets nothing: it seems to take what is pushed.
private struct DryServer: SyncServer {
  let server: HTTPServer

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    try server.pull(after: checkpoint, limit: limit)
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    let count = (try? JSONValue(parsing: request.span))?["documents"]?.elements?.count ?? 0
    let taken = Array(repeating: #"{"version":"dry run"}"#, count: count).joined(separator: ",")
    return Array("{\"outcomes\":[\(taken)]}".utf8)
  }
}
