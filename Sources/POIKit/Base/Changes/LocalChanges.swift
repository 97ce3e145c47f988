internal import POIRecords
internal import POISQLite

/// The local changes of a table for a delivery: it must not overwrite them, and ends those that it has, too.
///
/// The entries of the log are listed in a temporary table, in the order of their keys, because the log itself has no
/// index: that would cost each change of an app.
final class LocalChanges {
  static let list: SQL = "temp.poikit_local"

  private let log: ChangeLog
  private let keySlots: [Int]
  private var listing: Statement
  private var lookup: Statement
  private var settling: Statement

  /// The number of the last listed entry.
  private var last: Int64 = 0

  /// Whether the log has entries.
  private(set) var exist = false

  /// The changes of a tracked table, inside the caller's transaction. None is known before `follow`.
  init(_ log: ChangeLog) throws {
    let connection = log.connection
    let columns = log.keyColumns.joined(separator: ", ")
    let number = ChangeLog.number
    let parameters: [SQL] = log.keyColumns.enumerated().map {
      "l.\($0.element) = ?\($0.offset + 1)"
    }
    let isKey = parameters.joined(separator: " AND ")
    let types = zip(log.keyColumns, log.key.map(StoreSchema(log.model).columnType)).map {
      "\($0) \($1)" as SQL
    }
    try connection.execute(
      """
      DROP TABLE IF EXISTS \(LocalChanges.list);
      CREATE TABLE \(LocalChanges.list) (
        \(types.joined(separator: ", ")), \(number) INTEGER, PRIMARY KEY (\(columns), \(number))) STRICT, WITHOUT ROWID
      """)
    listing = try connection.prepare(
      """
      INSERT INTO \(LocalChanges.list) SELECT \(columns), \(number) FROM \(log.quotedName) WHERE \(number) > ?1
      """)
    lookup = try connection.prepare(
      """
      SELECT max(e.\(ChangeLog.kind) <> \(ChangeLog.Kind.discarded.rawValue))
      FROM \(LocalChanges.list) AS l CROSS JOIN \(log.quotedName) AS e ON e.\(number) = l.\(number)
      WHERE \(isKey)
      """)
    settling = try connection.prepare(
      """
      DELETE FROM \(log.quotedName)
      WHERE \(number) IN (SELECT l.\(number) FROM \(LocalChanges.list) AS l WHERE \(isKey))
      """)
    self.log = log
    keySlots = log.model.key.compactMap { log.model.attributes.index(named: $0) }
  }

  /// Reads what programs have logged since, inside the caller's transaction.
  func follow() throws {
    try log.expand()
    let now = try log.lastNumber()
    guard now > last else { return }
    try listing.bind(1, integer: last)
    try listing.run()
    last = now
    exist = try !log.isEmpty()
  }

  /// What the log has of a key.
  enum Mark {
    /// Nothing.
    case none
    /// That its changes were discarded.
    case discard
    /// A change.
    case change
  }

  /// What the log has of the key of a record.
  func mark(of record: Int, in batch: borrowing RecordBatch) throws -> Mark {
    guard exist else { return .none }
    try batch.bind(record: record, slots: keySlots, to: &lookup)
    guard try lookup.step() else { return .none }
    defer { try? lookup.reset() }
    guard !lookup.isNull(0) else { return .none }
    return lookup.integer(0) == 1 ? .change : .discard
  }

  /// Forgets the changes of the key of a record, because the delivery has the same content, or another one that counts.
  func settle(_ record: Int, of batch: borrowing RecordBatch) throws {
    guard exist else { return }
    try batch.bind(record: record, slots: keySlots, to: &settling)
    try settling.run()
  }
}
