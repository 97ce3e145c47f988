internal import JSONStreaming
internal import POIRecords
internal import POISQLite
internal import SyncRules

/// Local changes to the server.
extension SyncedTable {
  /// A request with local changes.
  package struct Push: Sendable {
    /// The object with `documents`.
    package let body: [UInt8]
    /// The edition of each of its records.
    package let editions: [Int64]
  }

  /// What became of a request.
  package struct PushReport: Sendable {
    /// The records that the server took.
    package var acceptedCount = 0
    /// The records of which the server has another version.
    package var conflictCount = 0
    /// The records that the server does not have, although they were pushed as changes.
    package var unknownCount = 0
    /// The records that the server refused.
    package var refusedCount = 0
    /// How the server's versions were taken over.
    package var conflicts: ImportReport?

    package init() {}
  }

  /// Lists the local changes to send, and marks them as handed out.
  ///
  /// - Returns: their number.
  package func beginPush() throws(StoreError) -> Int {
    try store.leased { (lease) in
      let connection = lease.connection
      guard let log = try ChangeLog.checked(of: model, in: connection), try !log.isEmpty() else {
        return 0
      }
      return try connection.inTransaction { try PushList.fill(from: log) }
    }
  }

  /// The next request.
  ///
  /// - Parameters:
  ///   - edition: the last one of the request before; 0 for the first request.
  ///   - limit: the greatest number of records.
  /// - Returns: nil after the last one.
  package func push(after edition: Int64, limit: Int) throws(StoreError) -> Push? {
    try store.leased { (lease) in
      try lease.connection.inTransaction(.deferred) {
        guard let log = try ChangeLog.existing(of: model, in: lease.connection) else { return nil }
        return try PushList.request(log, after: edition, limit: limit)
      }
    }
  }

  /// The answer to a request with one record that was refused as a whole.
  package static func refusal(_ words: String) -> [UInt8] {
    Array("{\"outcomes\":[{\"refused\":\(JSONText.quoted(words))}]}".utf8)
  }

  /// Takes an answer: the object with `outcomes`, one for each record of the request, in the same order.
  package func take(_ answer: [UInt8], to push: Push) throws(StoreError) -> PushReport {
    var (report, conflicts) = try store.leased { (lease) in
      let outcomes = try PushOutcome.all(in: answer, count: push.editions.count)
      let connection = lease.connection
      return try connection.inTransaction {
        guard let log = try ChangeLog.checked(of: model, in: connection) else {
          throw lease.notTracked(model)
        }
        return try connection.writing(.unlogged) {
          var settlement = try PushSettlement(log)
          return try settlement.settle(outcomes, of: push)
        }
      }
    }
    if !conflicts.isEmpty {
      let body = JSONValue.object([.init(name: "documents", value: .array(conflicts))])
      report.conflicts = try take(answer: Array(body.description.utf8))
    }
    return report
  }
}

/// What the server says of a pushed record.
private enum PushOutcome {
  case accepted(version: String)
  /// It has another version: this document.
  case conflict(JSONValue)
  case unknown
  case refused(words: String)

  /// - Parameter count: the number of pushed records.
  static func all(in answer: [UInt8], count: Int) throws -> [PushOutcome] {
    let outcomes = (try? JSONValue(parsing: answer.span))?["outcomes"]?.elements
    guard let outcomes, outcomes.count == count else {
      throw StoreFailure(
        .unreadable,
        "the server's answer has \(outcomes.map { "\($0.count)" } ?? "no") \"outcomes\" for \(count) records"
      )
    }
    return try outcomes.map { outcome in
      if let version = outcome["version"], version.string != nil || version.integer != nil {
        return .accepted(version: version.description)
      }
      if let conflict = outcome["conflict"], conflict.members != nil { return .conflict(conflict) }
      if outcome["unknown"] == .bool(true) { return .unknown }
      if let words = outcome["refused"]?.string { return .refused(words: words) }
      throw StoreFailure(
        .unreadable,
        "the server's answer has an outcome without \"version\", \"conflict\", \"unknown\" or \"refused\": \(outcome)"
      )
    }
  }
}

/// The changes of a cycle, in a temporary table, by edition.
private enum PushList {
  private static let name: SQL = "temp.poikit_push"

  /// The greatest size of a request, in bytes, beside its last record.
  private static let byteLimit = 1 << 20

  /// - Returns: the number of listed changes.
  static func fill(from log: ChangeLog) throws -> Int {
    let connection = log.connection
    let number = ChangeLog.number
    try log.expand()
    let last = try log.lastNumber()
    let handed = try connection.integer("SELECT \(ChangeLog.handed(of: log.model.table))") ?? 0
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_push (edition INTEGER PRIMARY KEY, first INTEGER, is_sent INTEGER, base TEXT);
      DELETE FROM \(name)
      """)
    var changes = try connection.prepare(
      """
      SELECT g.poikit_first, g.poikit_last, f.\(ServerLink.version), f.\(ChangeLog.kind), l.\(ChangeLog.refusal),
        EXISTS (SELECT 1 FROM main.\(name: log.model.table) AS t WHERE \(log.isSameKey("t", "g")))
      FROM (SELECT \(log.keyList), min(\(number)) AS poikit_first, max(\(number)) AS poikit_last
        FROM \(log.quotedName) GROUP BY \(log.keyList)) AS g
      CROSS JOIN \(log.quotedName) AS f ON f.\(number) = g.poikit_first
      CROSS JOIN \(log.quotedName) AS l ON l.\(number) = g.poikit_last
      """)
    var insertion = try connection.prepare("INSERT INTO \(name) VALUES (?1, ?2, ?3, ?4)")
    var count = 0
    while try changes.step() {
      let (first, edition) = (changes.integer(0), changes.integer(1))
      var state = SyncState(
        value: SyncValue(time: nil, isRemoved: changes.integer(5) == 0, digest: 0),
        version: changes.isNull(2) ? nil : changes.text(2))
      state.isLocal = true
      state.wasSent = first <= handed || changes.integer(3) != ChangeLog.Kind.appeared.rawValue
      state.isRefused = !changes.isNull(4)
      let effect = SyncRules.step(state, .requested).1
      guard effect != .nothing else { continue }
      try insertion.bind(1, integer: edition)
      try insertion.bind(2, integer: first)
      try insertion.bind(3, integer: effect == .send ? 1 : 0)
      try insertion.bind(4, text: state.version)
      try insertion.run()
      if effect == .send { count += 1 }
    }
    let forgotten: SQL = "SELECT edition FROM \(name) WHERE NOT is_sent"
    try connection.execute(
      """
      DELETE FROM \(log.quotedName) WHERE (\(log.keyList)) IN (
        SELECT \(log.keyList) FROM \(log.quotedName) WHERE \(number) IN (\(forgotten)));
      DELETE FROM \(name) WHERE NOT is_sent;
      UPDATE main.poikit_table SET handed = \(last) WHERE name = \(literal: log.model.table)
      """)
    return count
  }

  static func request(
    _ log: ChangeLog, after edition: Int64, limit: Int
  ) throws -> SyncedTable.Push? {
    var changes = try log.connection.prepare(
      """
      SELECT p.edition, t.\(StoreSchema.idColumn), p.base FROM \(name) AS p
      CROSS JOIN \(log.quotedName) AS l ON l.\(ChangeLog.number) = p.edition
      LEFT JOIN main.\(name: log.model.table) AS t ON \(log.isSameKey("t", "l"))
      WHERE p.edition > \(edition) ORDER BY p.edition LIMIT \(limit)
      """)
    let writer = try ChangeWriter(log)
    var output = RowOutput()
    output.bytes.append(copying: #"{"documents":["#.utf8Span.span)
    var editions: [Int64] = []
    while output.bytes.count < byteLimit, try changes.step() {
      let row = changes.isNull(1) ? nil : changes.integer(1)
      guard try writer.find(changes.integer(0), row: row) else { continue }
      if !editions.isEmpty { output.bytes.append(UInt8(ascii: ",")) }
      try writer.append(to: &output)
      output.bytes.truncate(to: output.bytes.count - 1)
      if !changes.isNull(2) {
        output.bytes.append(
          copying: ",\(JSONText.quoted(Model.versionMember)):\(changes.text(2))".utf8Span.span)
      }
      if row == nil {
        output.bytes.append(
          copying: ",\(JSONText.quoted(Model.removalMemberOfServer)):true".utf8Span.span)
      }
      output.bytes.append(UInt8(ascii: "}"))
      editions.append(changes.integer(0))
    }
    guard !editions.isEmpty else { return nil }
    output.bytes.append(copying: "]}".utf8Span.span)
    var body: [UInt8] = []
    body.reserveCapacity(output.bytes.count)
    for index in 0..<output.bytes.count { body.append(output.bytes.span[index]) }
    return SyncedTable.Push(body: body, editions: editions)
  }
}

/// Ends the changes that a server took.
private struct PushSettlement: ~Copyable {
  private let log: ChangeLog
  private let changes: VersionedChanges
  private var finding: Statement
  private var naming: Statement
  private var remembering: Statement
  private var refusing: Statement

  /// Inside the caller's transaction.
  init(_ log: ChangeLog) throws {
    let connection = log.connection
    let changes = try VersionedChanges(log)
    let (count, keys, time) = (log.key.count, log.keyList, TombstoneTable.timestampColumn)
    let parameters: [SQL] = (1...count).map { "?\($0)" }
    let isKey: SQL = zip(log.keyColumns, parameters).map { "\($0) = \($1)" as SQL }
      .joined(separator: " AND ")
    let finding = try connection.prepare(
      "SELECT \(keys), \(ChangeLog.time) FROM \(log.quotedName) WHERE \(ChangeLog.number) = ?1")
    let naming = try connection.prepare(
      "UPDATE main.\(name: log.model.table) SET \(ServerLink.version) = ?\(count + 1) WHERE \(isKey)"
    )
    let remembering = try connection.prepare(
      """
      INSERT INTO \(log.tombstones.quotedName) (\(keys), \(ServerLink.version), \(time))
      VALUES (\(parameters.joined(separator: ", ")), ?\(count + 1), ?\(count + 2))
      ON CONFLICT DO UPDATE SET \(ServerLink.version) = excluded.\(ServerLink.version)
      """)
    let refusing = try connection.prepare(
      "UPDATE \(log.quotedName) SET \(ChangeLog.refusal) = ?2 WHERE \(ChangeLog.number) = ?1")
    try changes.locals.follow()
    self.log = log
    self.changes = changes
    self.finding = finding
    self.naming = naming
    self.remembering = remembering
    self.refusing = refusing
  }

  /// - Returns: what was done, and the documents that the server has in place of what was pushed.
  mutating func settle(
    _ outcomes: [PushOutcome], of push: SyncedTable.Push
  ) throws -> (SyncedTable.PushReport, [JSONValue]) {
    var report = SyncedTable.PushReport()
    var conflicts: [JSONValue] = []
    for (edition, outcome) in zip(push.editions, outcomes) {
      let event: SyncEvent
      switch outcome {
      case .conflict(let document):
        report.conflictCount += 1
        conflicts.append(document)
        continue
      case .accepted(let version):
        report.acceptedCount += 1
        event = .accepted(version: version)
      case .unknown:
        report.unknownCount += 1
        event = .unknown
      case .refused(let words):
        report.refusedCount += 1
        event = .refused
        try refusing.bind(2, text: words)
      }
      try take(event, edition)
    }
    return (report, conflicts)
  }

  private mutating func take(_ event: SyncEvent, _ edition: Int64) throws {
    try finding.bind(1, integer: edition)
    guard try finding.step() else { return }
    let count = log.key.count
    let key = (0..<count).map { StoredValue($0, of: finding) }
    let time = StoredValue(count, of: finding)
    try finding.reset()
    func bind(_ statement: inout Statement) throws {
      for (place, value) in key.enumerated() { try value?.bind(to: &statement, at: place + 1) }
    }
    guard let entries = try changes.entries(of: bind) else { return }
    var state = SyncState(version: entries.base)
    (state.isLocal, state.wasSent, state.isEdited) = (true, true, entries.edition > edition)
    let (next, effect) = SyncRules.step(state, event)
    switch effect {
    case .settle:
      try changes.settle(bind, upTo: edition)
      if next.isLocal { try changes.rebase(bind, onto: next.version) }
      try bind(&naming)
      try naming.bind(count + 1, text: next.version)
      try naming.run()
      guard naming.changeCount == 0 else { return }
      try bind(&remembering)
      try remembering.bind(count + 1, text: next.version)
      try remembering.bindNull(count + 2)
      try time?.bind(to: &remembering, at: count + 2)
      try remembering.run()
    case .rebase: try changes.rebase(bind, onto: next.version)
    case .keep:
      try refusing.bind(1, integer: edition)
      try refusing.run()
    default: break
    }
  }
}
