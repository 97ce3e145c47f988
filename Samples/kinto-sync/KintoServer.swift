import Foundation
import POISync

/// A collection of Kinto (https://kinto.readthedocs.io) as a server of the synchroniser.
///
/// A record is stored as `{"document": {…}}`, under an id made of its key. A removal is stored, too: its document has the
/// key and the time, and `"removed": true` is beside it, so that it has a version that can be replaced. If another client
/// deletes a record, that is a removal at the time of the deletion, unless a change here is sent at the same moment.
///
/// The version is `last_modified`. The epoch is that of the collection itself: it changes if the collection is created
/// again, also after a flush. If someone changes the collection's metadata, all records are only compared again. Do so
/// after restoring a backup, which has the old epoch.
///
/// Arrays and objects in a record may come back with 1 for 1.0, and with their members in another order.
struct KintoServer: SyncServer, Sendable {
  /// The number of requests that Kinto accepts at once, unless it is set up otherwise.
  private static let batchSize = 25

  private let address, root, path, timestamp: String
  private let key: [String]
  private let client: HTTPClient

  /// Returns a time, in milliseconds, as the timestamp has it; by default as text in UTC.
  var time: @Sendable (_ milliseconds: Int) -> Any = { milliseconds in
    let seconds = Date(timeIntervalSince1970: Double(milliseconds / 1_000)).ISO8601Format()
    return "\(seconds.dropLast()).\(String(milliseconds % 1_000 + 1_000).dropFirst())Z"
  }

  /// - Parameters:
  ///   - address: the collection, such as `https://example.org/v1/buckets/app/collections/notes`.
  ///   - key: the members of a record that identify it.
  ///   - timestamp: the member with the time of its last change.
  init(_ address: String, key: [String], timestamp: String, client: HTTPClient) throws(SyncError) {
    try client.check(address: address)
    guard let start = address.range(of: "/buckets/")?.lowerBound, !address.contains("?"),
      !address.hasSuffix("/")
    else { throw SyncError(.unusable, "'\(address)' is no collection …/buckets/a/collections/b") }
    (root, path) = (String(address[..<start]), String(address[start...]))
    (self.address, self.key, self.timestamp, self.client) = (address, key, timestamp, client)
  }

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    // The epoch comes first, so that no page is older than it.
    let epoch = try get("")["data"] as? [String: Any]
    // With a time to begin at, there are deleted records, too. The ETag is no checkpoint: it names the newest record.
    let since = checkpoint ?? "0"
    let page = try get("/records?_sort=last_modified&_since=\(since)&_limit=\(limit)")["data"]
    guard let epoch = epoch?["last_modified"], let page = page as? [[String: Any]] else {
      throw SyncError(.unusable, "\(address): the answer is not Kinto's")
    }
    return try text([
      "documents": page.map(document), "epoch": "\(epoch)",
      "checkpoint": "\(page.last?["last_modified"] ?? since)",
    ])
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    let documents = try object(request)["documents"] as? [[String: Any]] ?? []
    var outcomes: [[String: Any]] = []
    while outcomes.count < documents.count {
      let requests = try documents[outcomes.count...].prefix(Self.batchSize).map(put)
      let answer = try client.answer(
        to: "\(root)/batch", method: "POST", sending: text(["requests": requests]))
      let body = try object(answer.bodyOfSuccess(from: address, isPush: true))
      guard let responses = body["responses"] as? [[String: Any]],
        responses.count == requests.count
      else { throw SyncError(.unusable, "\(address): the answer is not Kinto's") }
      outcomes += try responses.map(outcome)
    }
    return try text(["outcomes": outcomes])
  }

  /// The request that puts a record in place of the version on which it is based.
  private func put(_ document: [String: Any]) throws(SyncError) -> [String: Any] {
    var record: [String: Any] = [:]
    record["document"] = document.filter { !["_version", "_removed"].contains($0.key) }
    record["removed"] = document["_removed"]
    let base = document["_version"].map { ["If-Match": "\"\($0)\""] }
    return [
      "method": "PUT", "path": "\(path)/records/\(try id(of: document))",
      "headers": base ?? ["If-None-Match": "*"], "body": ["data": record],
    ]
  }

  private func outcome(_ response: [String: Any]) throws(SyncError) -> [String: Any] {
    let body = response["body"] as? [String: Any] ?? [:]
    let words = "\(body["message"] ?? body["error"] ?? "no reason")"
    let status = response["status"] as? Int
    switch status {
    case 200, 201:
      return ["version": (body["data"] as? [String: Any])?["last_modified"] ?? NSNull()]
    case 412:
      let existing = (body["details"] as? [String: Any])?["existing"] as? [String: Any]
      return existing.map { ["conflict": document($0)] } ?? ["unknown": true]
    case 400, 403, 413, 422: return ["refused": words]
    case 401: throw SyncError(.credentials, "\(address): \(words)")
    case 404: throw SyncError(.unusable, "\(address): \(words)")
    // After 409 Kinto takes back the whole batch.
    default: throw SyncError(.unreachable, "\(address): \(words)")
    }
  }

  /// A record of Kinto as the protocol has it. One that is not ours is without its key, so that it is rejected.
  private func document(_ record: [String: Any]) -> [String: Any] {
    var document = record["document"] as? [String: Any] ?? [:]
    if record["deleted"] != nil {
      document = Dictionary(zip(key, values(of: record["id"]))) { $1 }
      document[timestamp] = time(record["last_modified"] as? Int ?? 0)
    }
    if (try? id(of: document)) != record["id"] as? String { document = [:] }
    document["_removed"] = record["deleted"] ?? record["removed"]
    document["_version"] = record["last_modified"]
    return document
  }
}

/// Forms of keys and answers.
extension KintoServer {
  /// The id of a record: its key as JSON in base64url, as Kinto accepts few characters. It begins with a letter.
  private func id(of document: [String: Any]) throws(SyncError) -> String {
    Data(try text(key.map { document[$0] ?? NSNull() })).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private func values(of id: Any?) -> [Any] {
    let text = "\(id ?? "")".replacing("-", with: "+").replacing("_", with: "/")
    let end = String(repeating: "=", count: (4 - text.count % 4) % 4)
    let key = Data(base64Encoded: text + end) ?? Data()
    return (try? JSONSerialization.jsonObject(with: key)) as? [Any] ?? []
  }

  private func get(_ part: String) throws(SyncError) -> [String: Any] {
    try object(client.answer(to: address + part).bodyOfSuccess(from: address))
  }

  private func object(_ bytes: [UInt8]) throws(SyncError) -> [String: Any] {
    let value = try? JSONSerialization.jsonObject(with: Data(bytes))
    guard let object = value as? [String: Any] else {
      throw SyncError(.unusable, "\(address): the answer is no object")
    }
    return object
  }

  private func text(_ value: Any) throws(SyncError) -> [UInt8] {
    let data = try? JSONSerialization.data(withJSONObject: value)
    guard let data else { throw SyncError(.unusable, "\(address): no JSON") }
    return Array(data)
  }
}
