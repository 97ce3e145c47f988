import JSONStreaming
import POIRecords
import POISync

/// A server that keeps records in memory, and fails when a test says so.
final class MemoryServer: SyncServer {
  struct Record {
    var version: Int
    var document: JSONValue
  }

  /// When a request fails.
  enum Fault {
    case before, after
  }

  private(set) var records: [String: Record] = [:]
  private var lastVersion = 0
  private var epoch = 1
  private(set) var requests: [String] = []

  /// Asked for each request.
  var fault: () -> Fault? = { nil }

  /// Called while the device waits for an answer.
  var meanwhile: () -> Void = {}

  /// Judges a pushed record; returns why it is refused.
  var refusal: (JSONValue) -> String? = { _ in nil }

  /// Loses all records. No version is used again.
  func flush() {
    records = [:]
    epoch += 1
  }

  /// Puts a record there, as another client does.
  func put(_ document: JSONValue) {
    lastVersion += 1
    records[key(of: document)] = Record(version: lastVersion, document: document)
  }

  /// The records that were not removed, without what the protocol adds.
  var live: [JSONValue] {
    records.sorted { $0.key < $1.key }.map(\.value.document)
      .filter { $0["_removed"] != .bool(true) }.map { Self.with(nil, $0) }
  }

  private func key(of document: JSONValue) -> String { document["id"]?.description ?? "" }

  private static func with(_ version: Int?, _ document: JSONValue) -> JSONValue {
    var members = (document.members ?? []).filter { $0.name != "_version" }
    if let version { members.append(.init(name: "_version", value: .number(version))) }
    return .object(members)
  }

  private func answer(_ act: () -> JSONValue) throws(SyncError) -> [UInt8] {
    let fault = fault()
    if fault == .before { throw SyncError(.unreachable, "lost") }
    let answer = act()
    meanwhile()
    if fault == .after { throw SyncError(.unreachable, "lost") }
    return Array(answer.description.utf8)
  }

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    requests.append("pull")
    return try answer {
      let last = checkpoint.flatMap(Int.init) ?? 0
      let page = records.values.filter { $0.version > last }.sorted { $0.version < $1.version }
        .prefix(limit)
      return .object([
        .init(
          name: "documents", value: .array(page.map { Self.with($0.version, $0.document) })),
        .init(name: "checkpoint", value: .string("\(page.last?.version ?? last)")),
        .init(name: "epoch", value: .string("\(epoch)")),
      ])
    }
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    requests.append("push")
    return try answer {
      let documents = (try? JSONValue(parsing: request.span))?["documents"]?.elements ?? []
      let outcomes = documents.map { document -> JSONValue in
        if let words = refusal(document) {
          return .object([.init(name: "refused", value: .string(words))])
        }
        let (base, current) = (document["_version"]?.integer, records[key(of: document)])
        guard current?.version == base else {
          guard let current else { return .object([.init(name: "unknown", value: .bool(true))]) }
          return .object([
            .init(name: "conflict", value: Self.with(current.version, current.document))
          ])
        }
        put(document)
        return .object([.init(name: "version", value: .number(lastVersion))])
      }
      return .object([.init(name: "outcomes", value: .array(outcomes))])
    }
  }
}
