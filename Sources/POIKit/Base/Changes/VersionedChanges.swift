internal import POIRecords
internal import POISQLite

/// The local changes of a table with a server, by key.
final class VersionedChanges {
  /// Binds the columns of a key to the parameters from 1 on.
  typealias KeyBinding = (inout Statement) throws -> Void

  let locals: LocalChanges

  private let keyCount: Int
  private let keySlots: [Int]
  private var reading: Statement
  private var rebasing: Statement
  private var settling: Statement

  /// Inside the caller's transaction. No change is known before `LocalChanges.follow`.
  init(_ log: ChangeLog) throws {
    let connection = log.connection
    let locals = try LocalChanges(log)
    let (number, version) = (ChangeLog.number, ServerLink.version)
    keyCount = log.keyColumns.count
    let isKey: SQL = log.keyColumns.enumerated().map {
      "l.\($0.element) = ?\($0.offset + 1)" as SQL
    }
    .joined(separator: " AND ")
    // The list also has entries that ended since.
    let listed: SQL =
      "\(LocalChanges.list) AS l CROSS JOIN \(log.quotedName) AS o ON o.\(number) = l.\(number)"
    let entries: SQL = "SELECT l.\(number) FROM \(listed) WHERE \(isKey)"
    let first: SQL = "SELECT min(l.\(number)) FROM \(listed) WHERE \(isKey)"
    reading = try connection.prepare(
      """
      SELECT e.\(version), e.\(ChangeLog.kind), e.\(number), (SELECT max(\(number)) FROM (\(entries))),
        (SELECT \(ChangeLog.time) FROM \(log.quotedName) WHERE \(number) IN (\(entries)) ORDER BY \(number) DESC LIMIT 1)
      FROM \(log.quotedName) AS e WHERE e.\(number) IN (\(entries)) ORDER BY e.\(number) LIMIT 1
      """)
    rebasing = try connection.prepare(
      """
      UPDATE \(log.quotedName) SET \(ChangeLog.refusal) = NULL,
        \(version) = CASE \(number) WHEN (\(first)) THEN ?\(keyCount + 1) ELSE \(version) END,
        \(ChangeLog.kind) = CASE \(number) WHEN (\(first)) THEN \(ChangeLog.Kind.changed.rawValue) ELSE \(ChangeLog.kind) END
      WHERE \(number) IN (\(entries))
      """)
    settling = try connection.prepare(
      """
      DELETE FROM \(log.quotedName) WHERE \(number) IN (\(entries) AND l.\(number) <= ?\(keyCount + 1))
      """)
    keySlots = log.model.key.compactMap { log.model.attributes.index(named: $0) }
    self.locals = locals
  }

  /// The entries of one key.
  struct Entries {
    /// The server's version from which the changes began; nil if the server had none.
    let base: String?
    /// Whether the server's version, or a row, was there before the first of them.
    let wasThere: Bool
    /// The number of the first entry, and of the last one: the edition.
    let first: Int64
    let edition: Int64
    /// The time of the row before the last one.
    let time: Int64?
  }

  /// The entries of a key; nil if it has none.
  func entries(of key: KeyBinding) throws -> Entries? {
    try key(&reading)
    return try readEntries()
  }

  private func readEntries() throws -> Entries? {
    guard try reading.step() else { return nil }
    let found = Entries(
      base: reading.isNull(0) ? nil : reading.text(0),
      wasThere: reading.integer(1) != ChangeLog.Kind.appeared.rawValue,
      first: reading.integer(2), edition: reading.integer(3),
      time: reading.isNull(4) ? nil : reading.integer(4))
    try reading.reset()
    return found
  }

  /// Lets the changes of a key begin from another version; they are sent again.
  func rebase(_ key: KeyBinding, onto version: String?) throws {
    try key(&rebasing)
    try runRebasing(onto: version)
  }

  private func runRebasing(onto version: String?) throws {
    try rebasing.bind(keyCount + 1, text: version)
    try rebasing.run()
  }

  /// Ends the changes of a key.
  ///
  /// - Parameter edition: the last entry that ends.
  func settle(_ key: KeyBinding, upTo edition: Int64) throws {
    try key(&settling)
    try runSettling(upTo: edition)
  }

  private func runSettling(upTo edition: Int64) throws {
    try settling.bind(keyCount + 1, integer: edition)
    try settling.run()
  }
}

/// The key of a record.
extension VersionedChanges {
  func entries(of record: Int, in batch: borrowing RecordBatch) throws -> Entries? {
    guard locals.exist else { return nil }
    try batch.bind(record: record, slots: keySlots, to: &reading)
    return try readEntries()
  }

  func rebase(_ record: Int, in batch: borrowing RecordBatch, onto version: String?) throws {
    try batch.bind(record: record, slots: keySlots, to: &rebasing)
    try runRebasing(onto: version)
  }

  func settle(_ record: Int, in batch: borrowing RecordBatch) throws {
    try batch.bind(record: record, slots: keySlots, to: &settling)
    try runSettling(upTo: .max)
  }
}
