import JSONStreaming
import POIRecords
import POISync

/// A server that keeps records in memory.
final class MemoryServer: SyncServer {
  struct Record {
    var version: Int
    var document: JSONValue
  }

  private(set) var records: [String: Record] = [:]
  private var lastVersion = 0
  private var epoch = 1

  /// Whether versions are texts.
  var hasTextVersions = false

  private func name(of version: Int) -> JSONValue {
    hasTextVersions ? .string("v\"\(version)") : .number(version)
  }

  /// Judges a pushed record; returns why it is refused.
  var refusal: (JSONValue) -> String? = { _ in nil }

  /// Judges a request; it is refused as a whole if it has more records.
  var longestRequest = Int.max

  /// What it answers to each pushed record, instead of the truth.
  var lie: JSONValue?

  /// Loses all records. No version is used again.
  func flush() {
    records = [:]
    epoch += 1
  }

  /// Loses all records, and does not say so.
  func forget() { records = [:] }

  /// Puts a record there, as another client does.
  func put(_ document: JSONValue) {
    lastVersion += 1
    records[key(of: document)] = Record(version: lastVersion, document: document)
  }

  private func key(of document: JSONValue) -> String { document["id"]?.description ?? "" }

  private func with(_ version: Int, _ document: JSONValue) -> JSONValue {
    let members = (document.members ?? []).filter { $0.name != "_version" }
    return .object(members + [.init(name: "_version", value: name(of: version))])
  }

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    let last = checkpoint.flatMap(Int.init) ?? 0
    let page = records.values.filter { $0.version > last }.sorted { $0.version < $1.version }
      .prefix(limit)
    let answer = JSONValue.object([
      .init(name: "documents", value: .array(page.map { with($0.version, $0.document) })),
      .init(name: "checkpoint", value: .string("\(page.last?.version ?? last)")),
      .init(name: "epoch", value: .string("\(epoch)")),
    ])
    return Array(answer.description.utf8)
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    let documents = (try? JSONValue(parsing: request.span))?["documents"]?.elements ?? []
    guard documents.count <= longestRequest else { throw SyncError(.refused, "too large") }
    let answer = JSONValue.object([
      .init(name: "outcomes", value: .array(documents.map(take)))
    ])
    return Array(answer.description.utf8)
  }

  private func take(_ document: JSONValue) -> JSONValue {
    func outcome(_ name: String, _ value: JSONValue) -> JSONValue {
      .object([.init(name: name, value: value)])
    }
    if let lie { return lie }
    if let words = refusal(document) { return outcome("refused", .string(words)) }
    let current = records[key(of: document)]
    guard current.map({ name(of: $0.version) }) == document["_version"] else {
      guard let current else { return outcome("unknown", .bool(true)) }
      return outcome("conflict", with(current.version, current.document))
    }
    put(document)
    return outcome("version", name(of: lastVersion))
  }
}

/// A server that gives the same answers to all requests.
struct FixedServer: SyncServer, Sendable {
  var page = #"{"documents":[],"checkpoint":"1","epoch":"e"}"#
  var answer = #"{"outcomes":[]}"#

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    Array(page.utf8)
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] { Array(answer.utf8) }
}

/// The way to a server, on which requests and answers are lost.
final class Link: SyncServer {
  /// What is lost.
  enum Fault {
    case request, answer
  }

  private let pullPage: (String?, Int) -> Result<[UInt8], SyncError>
  private let pushRequest: ([UInt8]) -> Result<[UInt8], SyncError>
  private(set) var requestCount = 0

  /// Asked for each request.
  var fault: () -> Fault? = { nil }

  /// Called while the device waits for an answer.
  var meanwhile: () -> Void = {}

  init(to server: some SyncServer) {
    var server = server
    pullPage = { checkpoint, limit in
      Result { () throws(SyncError) in try server.pull(after: checkpoint, limit: limit) }
    }
    pushRequest = { request in Result { () throws(SyncError) in try server.push(request) } }
  }

  /// Decides about the next request, which may be lost.
  private func send() throws(SyncError) -> Fault? {
    requestCount += 1
    let fault = fault()
    if fault == .request { throw SyncError(.unreachable, "the request is lost") }
    return fault
  }

  private func receive(_ answer: [UInt8], _ fault: Fault?) throws(SyncError) -> [UInt8] {
    meanwhile()
    if fault == .answer { throw SyncError(.unreachable, "the answer is lost") }
    return answer
  }

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    let fault = try send()
    return try receive(pullPage(checkpoint, limit).get(), fault)
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    let fault = try send()
    return try receive(pushRequest(request).get(), fault)
  }

  /// The records that were not removed, without their versions, by key.
  func live() throws -> [JSONValue] {
    let answer = try pullPage(nil, 1_000).get()
    let page = try JSONValue(parsing: answer.span)
    return (page["documents"]?.elements ?? []).filter { $0["_removed"] != .bool(true) }
      .map { .object(($0.members ?? []).filter { $0.name != "_version" }) }
      .sorted { $0["id"]?.string ?? "" < $1["id"]?.string ?? "" }
  }
}
