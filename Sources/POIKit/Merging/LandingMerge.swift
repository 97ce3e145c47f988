internal import JSONStreaming
internal import SQLiteKit

/// Hands out the landed records of a run in an order in which merging them is fast.
///
/// A record that meets a stored row comes in the order of the rows' ids, so that a transaction
/// changes neighbours in the table; the others follow in the order of their keys, so that it changes
/// neighbours in the index. Records with one key come in the order of their arrival. For that, fixed
/// size entries are sorted, and compared with the index of the key in one pass over it.
struct LandingMerge: ~Copyable {
  /// The memory for sorting, in bytes; what does not fit goes to temporary files. It holds the
  /// entries of about 800,000 records.
  private static let memoryBudget = 32 << 20

  private var targets: ExternalSorter<TargetEntry>
  private var entries: EntryLog<LandingEntry>
  private var reading: Statement
  private var remembering: Statement

  /// How far the run is once the batch that was filled last is merged.
  private var progress: LandingProgress

  /// What each record of the batch is likely to meet.
  private(set) var targetsOfBatch: [MergeTarget] = []

  /// - Parameters:
  ///   - progress: how far the run is, with the boundary.
  /// - Throws: `SQLiteError` when the store cannot be read, `DeduplicationError` when a temporary
  ///   file cannot be written.
  /// - Complexity: O(landed records + rows of the table)
  init(
    ofRun run: Int64, into table: String, key: EnforcedKey, from progress: LandingProgress,
    in connection: borrowing Connection
  ) throws {
    let landing = LandingTable.name(ofRun: run)
    var sorter = ExternalSorter<LandingEntry>(
      memoryBudget: LandingMerge.memoryBudget / 5 * 3, folder: nil)
    var targets = ExternalSorter<TargetEntry>(
      memoryBudget: LandingMerge.memoryBudget / 5 * 2, folder: nil)
    var entries = EntryLog<LandingEntry>(folder: nil)
    var scan = try connection.prepare("SELECT key_high, key_low, id FROM \(landing)")
    while try scan.step() {
      let landingID = UInt64(scan.integer(2))
      if scan.isNull(0) {
        // A record without a key meets none; its place among the others does not matter.
        try sorter.append(LandingEntry(KeyPrefix(high: .max, low: .max), landingID: landingID))
        continue
      }
      let prefix = KeyPrefix(
        high: UInt64(bitPattern: scan.integer(0)), low: UInt64(bitPattern: scan.integer(1)))
      try sorter.append(LandingEntry(prefix, landingID: landingID))
    }
    try sorter.finish()

    let removals = LandingTable.nameOfRemovals(ofRun: run)
    var index = try StoredKeys(
      table, key: key, upTo: progress.boundary ?? 0, except: "SELECT row FROM \(removals)",
      connection: connection)
    var removal = try connection.prepare(
      "SELECT row FROM \(removals) WHERE key_high = ?1 AND key_low = ?2")
    let hasRemovals = try connection.integer("SELECT EXISTS (SELECT 1 FROM \(removals))") == 1
    while let entry = try sorter.next() {
      let removed = hasRemovals ? try LandingMerge.row(entry.prefix, in: &removal) : nil
      if let rowID = try removed ?? index.rowID(withPrefix: entry.prefix) {
        let target = TargetEntry(rowID: rowID, landingID: entry.landingID)
        if progress.entry == nil, progress.target.map({ $0.precedes(target) }) ?? true {
          try targets.append(target)
        }
      } else if progress.entry.map({ $0.precedes(entry) }) ?? true {
        try entries.append(entry)
      }
    }
    try targets.finish()
    let reading = try connection.prepare(
      """
      SELECT input, record, byte_offset, line, "column", content, raw, key_high, key_low
      FROM \(landing) WHERE id = ?1
      """)
    let remembering = try connection.prepare(
      "INSERT OR IGNORE INTO \(removals) VALUES (?1, ?2, ?3)")
    self.targets = targets
    self.entries = entries
    self.reading = reading
    self.remembering = remembering
    self.progress = progress
  }

  /// The row that a removal of the prefix was to meet; nothing where there was none.
  private static func row(
    _ prefix: KeyPrefix, in removal: inout Statement
  ) throws(SQLiteError) -> Int64? {
    try removal.bind(1, integer: Int64(bitPattern: prefix.high))
    try removal.bind(2, integer: Int64(bitPattern: prefix.low))
    defer { removal.reset() }
    return try removal.step() ? removal.integer(0) : nil
  }

  /// Fills an empty batch with the next records. Runs inside the transaction that merges them.
  ///
  /// - Returns: how far the run is once they are merged; nothing where none are left.
  mutating func fill(
    _ batch: inout RecordBatch, count: Int, byteLimit: Int
  ) throws -> LandingProgress? {
    targetsOfBatch.removeAll(keepingCapacity: true)
    while batch.recordCount < count, batch.byteCount < byteLimit {
      if let target = try targets.next() {
        try read(target.landingID, of: target.rowID, into: &batch)
        targetsOfBatch.append(.row(target.rowID))
        progress.target = target
      } else if let entry = try entries.next() {
        try read(entry.landingID, of: nil, into: &batch)
        // The one before it may have had its key.
        targetsOfBatch.append(entry.prefix == progress.entry?.prefix ? .unknown : .none)
        progress.entry = entry
      } else {
        break
      }
    }
    return batch.recordCount > 0 ? progress : nil
  }

  /// - Parameter rowID: the row that the record is likely to meet; where the record is a removal, the
  ///   row is remembered.
  private mutating func read(
    _ landingID: UInt64, of rowID: Int64?, into batch: inout RecordBatch
  ) throws(SQLiteError) {
    try reading.bind(1, integer: Int64(landingID))
    guard try reading.step() else { return }
    var origin = RecordOrigin(
      index: Int(reading.integer(1)), byteOffset: Int(reading.integer(2)))
    origin.inputIndex = Int(reading.integer(0))
    origin.line = Int(reading.integer(3))
    origin.column = Int(reading.integer(4))
    if !reading.isNull(6) { origin.raw = batch.keep(reading.bytes(6)) }
    LandedRecord.read(reading.bytes(5), origin: origin, into: &batch)
    if let rowID, batch.origins[batch.recordCount - 1].isDeletion {
      try remembering.bind(1, integer: reading.integer(7))
      try remembering.bind(2, integer: reading.integer(8))
      try remembering.bind(3, integer: rowID)
      try remembering.run()
    }
    reading.reset()
  }

  /// Remembers the rows that the removals of the batch deleted. Runs inside its transaction.
  mutating func rememberRemovals(_ rowIDs: [Int64]) throws(SQLiteError) {
    for rowID in rowIDs {
      try remembering.bindNull(1)
      try remembering.bindNull(2)
      try remembering.bind(3, integer: rowID)
      try remembering.run()
    }
  }
}
