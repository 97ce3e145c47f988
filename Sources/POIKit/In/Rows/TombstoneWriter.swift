internal import POIRecords
internal import POISQLite

/// Stores the tombstones of a run, and finds records that they supersede.
struct TombstoneWriter: ~Copyable {
  private let keySlots: [Int]
  private let timestampSlot: Int?
  private let versionSlot: Int?
  private let ties: TieRule
  private var remembering: Statement
  private var lookup: Statement
  private var forgetting: Statement

  /// A writer for a model; nil if removals delete no rows, and the table is not tracked.
  ///
  /// - Parameter ties: if `later`, a record that is as new as the removal of its key comes back.
  init?(_ model: Model, ties: TieRule, connection: Connection) throws {
    guard let table = try TombstoneTable.used(by: model, in: connection) else { return nil }
    try table.prepare(in: connection)
    let timestamp = TombstoneTable.timestampColumn
    let parameters: [SQL] = (1...table.keyColumns.count + 1).map { "?\($0)" }
    let conditions: [SQL] = table.keyColumns.enumerated().map {
      "\(name: $0.element) = ?\($0.offset + 1)"
    }
    let key = conditions.joined(separator: " AND ")
    let columns = (table.keyColumns.map { "\(name: $0)" as SQL } + [timestamp]).joined(
      separator: ", ")
    let values = parameters.joined(separator: ", ")
    let version = model.versionSlot == nil ? "NULL" : ServerLink.version
    let remembering = try connection.prepare(
      model.versionSlot == nil
        ? """
        INSERT INTO \(table.quotedName) (\(columns)) VALUES (\(values))
        ON CONFLICT DO UPDATE SET \(timestamp) = excluded.\(timestamp)
        WHERE \(timestamp) IS NULL OR excluded.\(timestamp) > \(timestamp)
        """
        : """
        INSERT INTO \(table.quotedName) (\(columns), \(version)) VALUES (\(values), ?\(parameters.count + 1))
        ON CONFLICT DO UPDATE SET \(timestamp) = excluded.\(timestamp), \(version) = excluded.\(version)
        """)
    let lookup = try connection.prepare(
      "SELECT \(timestamp), \(version) FROM \(table.quotedName) WHERE \(key)")
    let forgetting = try connection.prepare("DELETE FROM \(table.quotedName) WHERE \(key)")
    keySlots = model.key.compactMap { name in model.attributes.index(named: name) }
    timestampSlot = model.attributes.index(named: model.timestamp)
    versionSlot = model.versionSlot
    self.ties = ties
    self.remembering = remembering
    self.lookup = lookup
    self.forgetting = forgetting
  }

  /// Stores a removal, unless one of its key is as new. A removal of a server replaces it.
  mutating func remember(_ record: Int, of batch: borrowing RecordBatch) throws {
    try batch.bind(record: record, slots: keySlots, to: &remembering)
    let place = keySlots.count + 1
    if let timestamp = batch.timestamp(of: record, slot: timestampSlot) {
      try remembering.bind(place, integer: timestamp)
    } else {
      try remembering.bindNull(place)
    }
    if let versionSlot {
      try batch.bind(record: record, slot: versionSlot, to: &remembering, at: place + 1)
    }
    try remembering.run()
  }

  /// Whether a stored tombstone supersedes the record: its timestamp is greater, or equal and wins by `ties`.
  ///
  /// - Parameter isLocal: whether it is of a local removal that was not acknowledged; then the record must be newer.
  mutating func supersedes(
    _ record: Int, of batch: borrowing RecordBatch, isLocal: Bool
  ) throws -> Bool {
    let ties = isLocal ? .digest : ties
    for slot in keySlots where batch[record, slot].isNull { return false }
    try batch.bind(record: record, slots: keySlots, to: &lookup)
    guard try lookup.step() else { return false }
    let isNull = lookup.isNull(0)
    let timestamp = lookup.integer(0)
    try lookup.reset()
    guard let recordTime = batch.timestamp(of: record, slot: timestampSlot) else {
      return ties == .digest || !isNull
    }
    return !isNull && (ties == .later ? timestamp > recordTime : timestamp >= recordTime)
  }

  /// The time and the server's version of the removal of a record's key; nil if it was not removed.
  mutating func find(
    _ record: Int, of batch: borrowing RecordBatch
  ) throws -> (time: Int64?, version: String?)? {
    try batch.bind(record: record, slots: keySlots, to: &lookup)
    guard try lookup.step() else { return nil }
    let found = (
      time: lookup.isNull(0) ? nil : lookup.integer(0),
      version: lookup.isNull(1) ? nil : lookup.text(1)
    )
    try lookup.reset()
    return found
  }

  /// Deletes the tombstone of a record's key: the record comes back, whatever its timestamp.
  mutating func forget(_ record: Int, of batch: borrowing RecordBatch) throws {
    for slot in keySlots where batch[record, slot].isNull { return }
    try batch.bind(record: record, slots: keySlots, to: &forgetting)
    try forgetting.run()
  }
}
