internal import JSONStreaming
public import POIRecords
internal import Synchronization

/// Finds which duties of the sync protocol a server does not keep; the guide "Work with a server" lists them.
public struct ServerCheck<Server: SyncServer & Sendable> {
  private var server: Server
  private let key: String
  private let keyAttribute: Attribute
  private let timeMember: String
  private let timeNotation: InstantNotation

  /// What was found: what the server does, and what follows for devices.
  public private(set) var findings: [String] = []

  /// The keys of the records that were made, which are removed in the end.
  public private(set) var madeKeys: [String] = []

  private var epoch: String?
  /// The last checkpoint.
  private var end: String?
  private var template: JSONValue?

  /// - Parameter model: the model of the server's records, with one member as key and one as timestamp.
  /// - Throws: `SyncError` with `unusable` for another model.
  public init(_ server: Server, model: Model) throws(SyncError) {
    guard model.key.count == 1, let attribute = model.attribute(named: model.key[0]),
      let time = model.timestamp.flatMap(model.attribute(named:)),
      case .pointer(let path) = attribute.source, path.count == 1,
      case .pointer(let timePath) = time.source, timePath.count == 1,
      case .instant(let notation) = time.storage
    else {
      throw SyncError(
        .unusable,
        "a server is checked with a model whose key and timestamp, an instant, are one member each")
    }
    (self.server, key, keyAttribute) = (server, path[0], attribute)
    (timeMember, timeNotation) = (timePath[0], notation)
  }

  private mutating func expect(_ holds: Bool, _ finding: String) {
    if !holds, !findings.contains(finding) { findings.append(finding) }
  }

  // MARK: Reading

  /// The records of a page, and where the next one begins.
  private mutating func page(
    after checkpoint: String?, limit: Int
  ) throws(SyncError) -> (documents: [JSONValue], checkpoint: String) {
    let body = try server.pull(after: checkpoint, limit: limit)
    guard let page = try? JSONValue(parsing: body.span),
      let documents = page["documents"]?.elements,
      let next = page["checkpoint"]?.string, let epoch = page["epoch"]?.string, !epoch.isEmpty
    else {
      throw SyncError(
        .unusable,
        "a page is no object with an array \"documents\" and texts \"checkpoint\" and \"epoch\"")
    }
    expect(
      documents.count <= limit,
      "A page of \(limit) has more records: a device that has little memory cannot take it.")
    expect(
      self.epoch ?? epoch == epoch,
      "The epoch changes while nothing was lost: each device offers all of its records again.")
    expect(
      documents.isEmpty || next != checkpoint,
      "A page with records ends where it began: a device never gets further.")
    self.epoch = epoch
    for document in documents {
      expect(
        Self.version(of: document) != nil && document[key] != nil,
        "A record lacks \"_version\" or its key \"\(key)\": \(document)")
      if document["_removed"] == .bool(true) {
        expect(
          document[timeMember] ?? .null != .null,
          "A removal has no time: it cannot lose to a later change, or the change is lost.")
      } else if template == nil {
        template = document
      }
    }
    return (documents, next)
  }

  /// The versions behind a checkpoint by key, and the last checkpoint; at most some thousand records.
  private mutating func walk(
    from start: String? = nil, limit: Int, pageCount: Int
  ) throws(SyncError) -> (versions: [String: String], end: String?) {
    var versions: [String: String] = [:]
    var checkpoint = start
    for _ in 0..<pageCount {
      let (documents, next) = try page(after: checkpoint, limit: limit)
      guard !documents.isEmpty, next != checkpoint else { return (versions, next) }
      for document in documents {
        versions[document[key]?.description ?? ""] = Self.version(of: document)
      }
      checkpoint = next
    }
    return (versions, checkpoint)
  }

  /// Reads the first records in small and large pages.
  ///
  /// - Throws: `SyncError` if a page cannot be asked for, or has another form.
  public mutating func read() throws(SyncError) {
    let large = try walk(limit: 500, pageCount: 1).versions
    let small = try walk(limit: 50, pageCount: 10).versions
    let again = try walk(limit: 500, pageCount: 1).versions
    let lost = large.first { $0.value == again[$0.key] && small[$0.key] == nil }
    expect(
      lost == nil,
      "Small pages lack the record \(lost?.key ?? ""), which a large one has: a checkpoint passes records that come later."
    )
  }

  /// Goes to the last checkpoint.
  private mutating func skipToEnd() throws(SyncError) {
    while true {
      let (documents, next) = try page(after: end, limit: 10_000)
      guard !documents.isEmpty, next != end else { break }
      end = next
    }
  }

  // MARK: Writing

  private static func version(of document: JSONValue) -> String? {
    guard let version = document["_version"], version.string != nil || version.integer != nil else {
      return nil
    }
    return version.description
  }

  /// A key that no record has: with a prefix that says where it comes from, if the model allows texts.
  private mutating func makeKey() -> JSONValue {
    let random = Int.random(in: 0..<1 << 40)
    let key: JSONValue =
      if keyAttribute.storage == .uuid {
        .string(
          "706F6973-0000-4000-8000-00"
            + String(random + 1 << 40, radix: 16).uppercased().dropFirst())
      } else if keyAttribute.types.contains(.string) {
        .string("poi-sync-check-\(random)")
      } else {
        .number(1 << 50 | random)
      }
    madeKeys.append(key.description)
    return key
  }

  /// The clock's time as the model has it.
  private var now: JSONValue {
    let now = SystemClock.now()
    switch timeNotation {
    case .sinceEpoch(let length): return .number(Int(now.microseconds / length))
    case .rfc3339: return .string(now.textWithMicroseconds)
    case .pattern(let pattern, let offset):
      var text = GrowableBuffer<UInt8>()
      pattern.append(now, offsetMinutes: offset, to: &text)
      return .string(String(copying: text.span))
    }
  }

  /// - Parameter base: the version that the record replaces.
  private func record(_ key: JSONValue, base: String? = nil, isRemoval: Bool = false) -> JSONValue {
    var members = isRemoval ? [] : template?.members ?? []
    members.removeAll { [self.key, timeMember, "_version"].contains($0.name) }
    members.append(.init(name: self.key, value: key))
    members.append(.init(name: timeMember, value: now))
    if isRemoval { members.append(.init(name: "_removed", value: .bool(true))) }
    if let base, let value = try? JSONValue(parsing: Array(base.utf8).span) {
      members.append(.init(name: "_version", value: value))
    }
    return .object(members)
  }

  private static func push(
    _ documents: [JSONValue], to server: inout Server
  ) throws(SyncError) -> [JSONValue] {
    let request = JSONValue.object(["documents": .array(documents)])
    let answer = try server.push(Array(request.description.utf8))
    let outcomes = (try? JSONValue(parsing: answer.span))?["outcomes"]?.elements
    guard let outcomes, outcomes.count == documents.count else {
      throw SyncError(.unusable, "the answer to a push has not one of \"outcomes\" for each record")
    }
    return outcomes
  }

  private mutating func push(_ document: JSONValue) throws(SyncError) -> JSONValue {
    try Self.push([document], to: &server)[0]
  }

  /// Whether an outcome is a conflict with a version.
  private func isConflict(_ outcome: JSONValue, with version: String) -> Bool {
    outcome["conflict"].flatMap(Self.version(of:)) == version
  }

  private static func taken(_ outcome: JSONValue) -> String? {
    guard let version = outcome["version"], version.string != nil || version.integer != nil else {
      return nil
    }
    return version.description
  }

  /// Creates, changes and removes records of its own, see `madeKeys`.
  ///
  /// - Throws: `SyncError` if a request fails, or the server does not take a new record.
  public mutating func write() throws(SyncError) {
    try skipToEnd()
    let start = end
    let key = makeKey()
    let creation = record(key)
    let outcome = try push(creation)
    guard let first = Self.taken(outcome) else {
      throw SyncError(
        .unusable,
        "the server does not take the record \(creation): \(outcome); put one there that can be copied"
      )
    }
    let second = try push(record(key))
    expect(
      isConflict(second, with: first),
      "It takes a creation over a record: of two devices that create it, one loses its record.")
    if let there = second["conflict"] {
      let other = creation.members?.first { there[$0.name]?.description != $0.value.description }
      expect(
        other == nil,
        "It gives \(other?.name ?? "") back with another value: devices have different records for good."
      )
    }
    expect(
      try walk(from: start, limit: 500, pageCount: 2).versions[key.description] == first,
      "A page behind the last checkpoint lacks a record that the server took: no device gets it.")
    let change = record(key, base: first)
    let changed = Self.taken(try push(change)) ?? ""
    expect(
      !changed.isEmpty,
      "It does not take a change of the version that it has: no change is ever sent.")
    expect(
      changed != first, "A changed record has the same version: devices take it for known.")
    expect(
      isConflict(try push(change), with: changed),
      "It takes a change of a version that it no longer has: the change of another device is lost.")
    let third = Self.taken(try push(record(key, base: changed, isRemoval: true))) ?? ""
    expect(!third.isEmpty, "It does not take a removal.")
    expect(
      try walk(from: start, limit: 500, pageCount: 2).versions[key.description] == third,
      "A removal is no version of the record: devices keep what was removed.")
    expect(
      isConflict(try push(record(key)), with: third),
      "It takes a creation over a removal: a record that was removed comes back.")
    if let fourth = Self.taken(try push(record(key, base: third))) {
      expect(
        ![first, changed, third].contains(fourth),
        "It uses a version again: devices take the new record for known.")
      _ = try push(record(key, base: fourth, isRemoval: true))
    }
    expect(
      try push(record(makeKey(), base: first))["unknown"] == .bool(true),
      "It does not say \"unknown\" to a change of a record that it does not have.")
    try checkRequest(of: 3)
    try checkPushesAtOnce()
  }

  /// Pushes some new records, one of them twice, and asks for them one by one.
  private mutating func checkRequest(of count: Int) throws(SyncError) {
    try skipToEnd()
    let start = end
    let keys = (0..<count).map { _ in makeKey() }
    let documents = keys.map { record($0) }
    let outcomes = try Self.push(documents + [documents[0]], to: &server)
    let versions = outcomes.map(Self.taken)
    expect(
      versions.prefix(count).allSatisfy { $0 != nil } && versions[count] == nil,
      "The outcomes of a request are not in the order of its records: a device gives records wrong versions."
    )
    let seen = try walk(from: start, limit: 1, pageCount: count + 1).versions
    expect(
      zip(keys, versions).allSatisfy { seen[$0.description] == $1 },
      "A page that ends inside of what came with one request loses the rest.")
    try remove(keys, versions)
  }

  private mutating func remove(_ keys: [JSONValue], _ versions: [String?]) throws(SyncError) {
    let removals = zip(keys, versions).map { record($0, base: $1, isRemoval: true) }
    _ = try Self.push(removals, to: &server)
  }

  /// Pushes from several connections at once, and pulls meanwhile.
  private mutating func checkPushesAtOnce() throws(SyncError) {
    let (pusherCount, roundCount) = (4, 5)
    try skipToEnd()
    var checkpoint = end
    let shared = makeKey()
    guard var version = Self.taken(try push(record(shared))) else { return }
    var seen: Set<String> = []
    var made: [(key: JSONValue, version: String)] = []
    for _ in 0..<roundCount {
      let change = record(shared, base: version)
      let requests = (0..<pusherCount).map { _ in [change, record(makeKey())] }
      let answers = try pushAtOnce(requests) { (check) throws(SyncError) in
        let found = try check.walk(from: checkpoint, limit: 500, pageCount: 2)
        seen.formUnion(found.versions.keys)
        checkpoint = found.end
      }
      let versions = answers.compactMap { Self.taken($0[0]) }
      expect(
        versions.count == 1,
        "Of changes that come at once it takes \(versions.count): all but one are lost. Compare and swap in one transaction."
      )
      for (request, answer) in zip(requests, answers) {
        if let key = request[1][key], let version = Self.taken(answer[1]) {
          made.append((key, version))
        }
      }
      version = versions.last ?? version
    }
    seen.formUnion(try walk(from: checkpoint, limit: 500, pageCount: 2).versions.keys)
    expect(
      made.allSatisfy { seen.contains($0.key.description) },
      "A checkpoint passes records that another transaction was about to commit: no device gets them."
    )
    try remove([shared] + made.map(\.key), [version] + made.map(\.version))
  }

  /// Sends each request from a thread of its own, and does something until all have their answers.
  private mutating func pushAtOnce(
    _ requests: [[JSONValue]], meanwhile: (inout Self) throws(SyncError) -> Void
  ) throws(SyncError) -> [[JSONValue]] {
    let answers = Answers()
    var threads: [SystemThread] = []
    for (index, request) in requests.enumerated() {
      let server = server
      let thread = try? SystemThread {
        var server = server
        answers.set(index, Result { () throws(SyncError) in try Self.push(request, to: &server) })
      }
      if let thread { threads.append(thread) }
    }
    var failure: SyncError?
    while failure == nil, answers.count < threads.count {
      do throws(SyncError) { try meanwhile(&self) } catch { failure = error }
    }
    for thread in threads { thread.join() }
    if let failure { throw failure }
    return try answers.all()
  }
}

/// Answers that come in any order.
private final class Answers: Sendable {
  private let found = Mutex<[Int: Result<[JSONValue], SyncError>]>([:])

  var count: Int { found.withLock { $0.count } }

  func set(_ index: Int, _ answer: Result<[JSONValue], SyncError>) {
    found.withLock { $0[index] = answer }
  }

  /// The answers in the order of the requests.
  func all() throws(SyncError) -> [[JSONValue]] {
    var answers: [[JSONValue]] = []
    for (_, answer) in found.withLock({ $0.sorted { $0.key < $1.key } }) {
      answers.append(try answer.get())
    }
    return answers
  }
}
