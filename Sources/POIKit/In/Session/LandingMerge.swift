internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Returns the landed records of a run in an order in which merging them is fast.
///
/// 1. Records that match a stored row, in the order of the row ids: a transaction changes
///    neighbours in the table.
/// 2. The other records, in the order of their keys: a transaction changes neighbours in the index.
///
/// Records with one key keep the order of their arrival. Entries of fixed size are sorted by
/// `IndexPrefix` and compared with the index of the key in one pass.
///
/// Each merged record is noted. So a resumed run continues with the other records, even if another
/// program has changed rows.
struct LandingMerge: ~Copyable {
  /// The memory for sorting, in bytes: about 800,000 records. More entries go to temporary files.
  private static let memoryBudget = 32 << 20

  private let connection: Connection
  private var targets: ExternalSorter<TargetEntry>
  private var entries: EntryLog<LandingEntry>
  private var remembering: Statement
  private var noting: Statement
  private let landing: String
  private let inputCount: Int
  private let key: EnforcedKey
  private var canonicalKey = CanonicalKey()

  /// The bytes of the current record.
  private var bytes = GrowableBuffer<UInt8>(minimumCapacity: 1 << 10)

  /// The places of the records of the batch; see `LandingTable.nameOfMerged`.
  private var places = GrowableBuffer<UInt8>(minimumCapacity: 1 << 12)

  /// The prefix of the last returned record that matches no row.
  private var lastPrefix: IndexPrefix?

  /// The row that each record of the batch probably matches.
  private(set) var targetsOfBatch: [MergeTarget] = []

  /// - Parameters:
  ///   - inputCount: the number of inputs that the run has begun.
  ///   - boundary: the greatest row id of the table when merging began.
  /// - Throws: `SQLiteError` when the store cannot be read, `StoreFailure` when a temporary
  ///   file cannot be written.
  /// - Complexity: O(landed records + rows of the table)
  init(
    ofRun run: Int64, inputCount: Int, into table: String, key: EnforcedKey,
    upTo boundary: Int64, in connection: Connection
  ) throws {
    let landing = LandingTable.name(ofRun: run)
    var sorter = ExternalSorter<LandingEntry>(
      memoryBudget: LandingMerge.memoryBudget / 5 * 3, folder: nil)
    var targets = ExternalSorter<TargetEntry>(
      memoryBudget: LandingMerge.memoryBudget / 5 * 2, folder: nil)
    var entries = EntryLog<LandingEntry>(folder: nil)
    let merged = SQL(name: LandingTable.nameOfMerged(ofRun: run))
    try LandingMerge.scan(landing, except: merged, into: &sorter, in: connection)
    try sorter.finish()

    let removals = SQL(name: LandingTable.nameOfRemovals(ofRun: run))
    var index = try StoredKeys(
      table, key: key, upTo: boundary, except: "SELECT row FROM \(removals)",
      connection: connection)
    var removal = try connection.prepare(
      "SELECT row FROM \(removals) WHERE key_high = ?1 AND key_low = ?2")
    let hasRemovals = try connection.integer("SELECT EXISTS (SELECT 1 FROM \(removals))") == 1
    while let entry = try sorter.next() {
      let removed = hasRemovals ? try LandingMerge.row(entry.prefix, in: &removal) : nil
      if let rowID = try removed ?? index.rowID(withPrefix: entry.prefix) {
        try targets.append(TargetEntry(rowID: rowID, landingID: entry.landingID))
      } else {
        try entries.append(entry)
      }
    }
    try targets.finish()
    let remembering = try connection.prepare(
      "INSERT OR IGNORE INTO \(removals) VALUES (?1, ?2, ?3)")
    let noting = try connection.prepare("INSERT INTO \(merged) (places) VALUES (?1)")
    self.connection = connection
    self.targets = targets
    self.entries = entries
    self.landing = landing
    self.inputCount = inputCount
    self.key = key
    self.remembering = remembering
    self.noting = noting
  }

  /// Reads the entries of the landed records that are not merged.
  ///
  /// - Parameter merged: the table of the merged records.
  private static func scan(
    _ landing: String, except merged: SQL, into sorter: inout ExternalSorter<LandingEntry>,
    in connection: Connection
  ) throws {
    var done = ExternalSorter<MergedEntry>(
      memoryBudget: LandingMerge.memoryBudget / 5, folder: nil)
    var places = try connection.prepare("SELECT places FROM \(merged)")
    while try places.step() {
      var position = 0
      while position < places.bytes(0).count {
        let place = try LandedRecord.number(places.bytes(0), at: &position)
        try done.append(MergedEntry(landingID: place))
      }
    }
    try done.finish()
    var next = try done.next()
    var scan = try connection.prepare("SELECT id, directory FROM \(name: landing) ORDER BY id")
    while try scan.step() {
      try LandingDirectory.forEach(scan.bytes(1), ofRow: scan.integer(0)) { entry in
        while let merged = next, merged.landingID < entry.landingID { next = try done.next() }
        if next?.landingID != entry.landingID { try sorter.append(entry) }
      }
    }
  }

  /// The row that an earlier removal with the prefix matched, or nil if no row did.
  private static func row(_ prefix: IndexPrefix, in removal: inout Statement) throws -> Int64? {
    try removal.bind(1, integer: Int64(bitPattern: prefix.high))
    try removal.bind(2, integer: Int64(bitPattern: prefix.low))
    let rowID = try removal.step() ? removal.integer(0) : nil
    try removal.reset()
    return rowID
  }

  mutating func beginBatch() {
    targetsOfBatch.removeAll(keepingCapacity: true)
    places.removeAll()
  }

  /// Appends the next records to a batch. Runs inside the transaction that merges them.
  ///
  /// - Parameters:
  ///   - count: the largest number of records.
  ///   - byteLimit: the batch is full if it has this number of bytes.
  /// - Returns: false if no record is left.
  mutating func fill(_ batch: inout RecordBatch, count: Int, byteLimit: Int) throws -> Bool {
    var contents: BlobReader?
    let first = batch.recordCount
    while batch.recordCount < first + count, batch.byteCount < byteLimit {
      if let target = try targets.next() {
        try read(target.landingID, of: target.rowID, from: &contents, into: &batch)
        targetsOfBatch.append(.row(target.rowID))
      } else if let entry = try entries.next() {
        try read(entry.landingID, of: nil, from: &contents, into: &batch)
        // The record before may have the same key.
        targetsOfBatch.append(entry.prefix == lastPrefix ? .unknown : .none)
        lastPrefix = entry.prefix
      } else {
        break
      }
    }
    return batch.recordCount > first
  }

  /// Notes that the records of the batch are merged. Runs inside the transaction that merges them.
  mutating func noteBatch() throws {
    try unsafe places.withUnsafeBufferPointer { (places) throws in
      try unsafe noting.bindBorrowed(1, blob: places)
      try noting.run()
    }
  }

  /// - Parameters:
  ///   - rowID: the row that the record probably matches. If the record is a removal, the row is
  ///     remembered.
  ///   - contents: the reader of the last record, or nil before the first.
  private mutating func read(
    _ landingID: UInt64, of rowID: Int64?, from contents: inout BlobReader?,
    into batch: inout RecordBatch
  ) throws {
    LandedRecord.append(landingID, to: &places)
    let place = LandedRange(number: landingID)
    if try contents?.move(to: place.rowID) == nil {
      contents = try BlobReader(
        table: landing, column: "content", rowID: place.rowID, in: connection)
    }
    let contentCount = contents?.count ?? 0
    let end = place.count.map { place.offset + $0 } ?? contentCount
    guard place.offset <= end, end <= contentCount else { throw LandingTable.damage }
    bytes.removeAll()
    _ = try bytes.appendInPlace(minimumFree: end - place.offset) { output throws in
      try contents?.read(place.offset..<end, into: &output)
    }
    try LandedRecord.read(bytes.span, inputCount: inputCount, into: &batch)
    let record = batch.recordCount - 1
    if let rowID, batch.origins[record].isDeletion,
      let prefix = IndexPrefix(key, of: record, in: batch, hashedBy: &canonicalKey)
    {
      try remembering.bind(1, integer: Int64(bitPattern: prefix.high))
      try remembering.bind(2, integer: Int64(bitPattern: prefix.low))
      try remembering.bind(3, integer: rowID)
      try remembering.run()
    }
  }

  /// Remembers the rows that the removals of the batch deleted. Runs inside its transaction.
  mutating func rememberRemovals(_ rowIDs: [Int64]) throws {
    for rowID in rowIDs {
      try remembering.bindNull(1)
      try remembering.bindNull(2)
      try remembering.bind(3, integer: rowID)
      try remembering.run()
    }
  }
}

/// A merged record, in the order of its `LandedRange`.
struct MergedEntry: SortableEntry {
  let landingID: UInt64

  static var wordCount: Int { 1 }

  func word(_ index: Int) -> UInt64 { landingID }
}

/// A landed record and the stored row that it probably matches, in the order of the row id: so
/// every page of the table is read once. Records that match one row have the order of their
/// arrival.
struct TargetEntry: SortableEntry {
  private let orderedRowID: UInt64

  /// The number of the record's `LandedRange`.
  let landingID: UInt64

  init(rowID: Int64, landingID: UInt64) {
    orderedRowID = UInt64(bitPattern: rowID) ^ 1 << 63
    self.landingID = landingID
  }

  var rowID: Int64 { Int64(bitPattern: orderedRowID ^ 1 << 63) }

  static var wordCount: Int { 2 }

  func word(_ index: Int) -> UInt64 { index == 0 ? orderedRowID : landingID }
}
