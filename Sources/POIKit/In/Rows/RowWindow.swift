internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// The rows that a delivery in the order of the table meets next, read ahead in two blocks.
///
/// A record whose row is in the window needs no search by its key. The window moves by a block when an eighth of one
/// met the second block; a single duplicate far ahead does not move it. It is set at another row when many records in
/// turn met none of its rows, and is given up if fewer than half of the records meet it.
///
/// Its rows are the table's: a row that the run changes leaves it, and after a change by another program it is read
/// again. If triggers or foreign keys change rows, there is no window.
struct RowWindow: ~Copyable {
  private let key: EnforcedKey
  private let blockSize: Int

  private var reading: Statement
  private var first: RowBlock
  private var second: RowBlock

  /// The row id before the first block; nil if the window is not set yet.
  private var start: Int64?
  private var isLoaded = false

  /// The entry of the row that the last record met.
  private var place: (isInSecond: Bool, entry: Int)?

  /// The number of records in turn that were searched, and the last row that was found so.
  private var searchedInTurn = 0
  private var lastFound: Int64?

  /// The records that met it since it was set, and the second block since it moved.
  private var metCount = 0
  private var metSecondCount = 0

  /// The records since it was last judged, and those that met it.
  private var judged = (count: 0, met: 0)

  /// Whether it was given up.
  private(set) var isLost = false

  /// A window for a table; nil if the table has no rows, or a part of its key is in another table.
  ///
  /// - Parameter blockSize: the number of rows in a block, at most 65,000; 0 for no window.
  init?(_ table: RowWriter.Table, blockSize: Int, connection: Connection) throws {
    let layout = table.schema.layout
    let model = table.schema.model
    guard blockSize > 0, let key = table.key, !table.facts.changesOtherRows,
      key.slots.allSatisfy({ layout.fields[$0].relatedFields.isEmpty }),
      try connection.integer("SELECT 1 FROM \(name: model.table) LIMIT 1") != nil
    else { return nil }
    let id = RowReader.rowID
    let reading = try connection.prepare(
      layout.query(
        of: model, rest: "WHERE \(id) > ?1 ORDER BY \(id) LIMIT \(Int64(blockSize))"))
    self.key = key
    self.blockSize = blockSize
    self.reading = reading
    first = RowBlock(layout)
    second = RowBlock(layout)
  }

  /// Finds the row of a record.
  ///
  /// - Returns: the id of the row; nil if it is not in the window.
  mutating func find(_ record: Int, of batch: borrowing RecordBatch) throws -> Int64? {
    place = nil
    guard !isLost, let hash = RowBlock.hash(record, of: batch, key) else { return nil }
    if judged.count == blockSize {
      isLost = judged.met * 2 < blockSize
      judged = (0, 0)
    }
    judged.count += 1
    guard start != nil else { return nil }
    try readAhead()
    if let entry = first.entry(hash, record, of: batch, key) {
      place = (false, entry)
    } else if let entry = second.entry(hash, record, of: batch, key) {
      place = (true, entry)
      metSecondCount += 1
    }
    guard let place else { return nil }
    judged.met += 1
    metCount += 1
    searchedInTurn = 0
    return place.isInSecond ? second.rowIDs[place.entry] : first.rowIDs[place.entry]
  }

  /// Whether a record has the same values as the row that it met.
  func hasSameValues(_ record: Int, of batch: borrowing RecordBatch) -> Bool {
    guard let place else { return false }
    return place.isInSecond
      ? batch.hasSameValues(record, as: place.entry, of: second.rows)
      : batch.hasSameValues(record, as: place.entry, of: first.rows)
  }

  /// Notes where a record that met no row of the window has its row.
  ///
  /// Two rows near each other show where the delivery is, unlike the row of a single duplicate.
  mutating func noteSearch(found rowID: Int64?) {
    searchedInTurn += 1
    guard let rowID else { return }
    let distance = lastFound.map { UInt64(bitPattern: rowID &- $0) } ?? .max
    lastFound = rowID
    guard distance > 0, distance <= blockSize, searchedInTurn >= blockSize >> 6,
      start == nil || metCount >= blockSize
    else { return }
    start = rowID
    isLoaded = false
    (metCount, searchedInTurn) = (0, 0)
  }

  /// Forgets the row that the last record met, because it changes.
  mutating func forgetRow() {
    guard let place else { return }
    if place.isInSecond { second.forget(place.entry) } else { first.forget(place.entry) }
  }

  /// Forgets all rows, because another program may have changed them.
  mutating func forgetRows() { isLoaded = false }

  /// Reads the blocks, or the next one if enough records met the second.
  private mutating func readAhead() throws {
    if !isLoaded {
      try first.read(after: start ?? .min, by: &reading, key)
    } else if metSecondCount > second.rowIDs.count >> 3 {
      start = first.last ?? start
      swap(&first, &second)
    } else {
      return
    }
    try second.read(after: first.last ?? .max, by: &reading, key)
    isLoaded = true
    metSecondCount = 0
  }
}

/// Rows in the order of their ids, found by their keys.
private struct RowBlock: ~Copyable {
  /// The size of the rows in bytes at which a block ends.
  private static let byteLimit = 2 << 20

  /// An entry of `buckets`: the number of a row, from 1 on, in the lower bits, and bits of its hash above.
  private static let numberBits: UInt64 = 0xFFFF

  private(set) var rows: RecordBatch
  private(set) var rowIDs = GrowableBuffer<Int64>()
  private let values: RowValues
  private var isForgotten = GrowableBuffer<Bool>()
  private var buckets = GrowableBuffer<UInt64>()

  init(_ layout: RecordLayout) {
    rows = RecordBatch(layout, recordCapacity: 1)
    values = RowValues(layout)
  }

  /// The id of the last row; nil if there are no rows.
  var last: Int64? { rowIDs.isEmpty ? nil : rowIDs[rowIDs.count - 1] }

  /// Reads the rows behind a row id.
  mutating func read(after rowID: Int64, by reading: inout Statement, _ key: EnforcedKey) throws {
    rows.removeAll()
    rowIDs.removeAll()
    isForgotten.removeAll()
    try reading.bind(1, integer: rowID)
    while rows.byteCount < RowBlock.byteLimit, try reading.step() {
      values.read(reading, into: &rows)
      rowIDs.append(reading.integer(0))
    }
    try reading.reset()
    isForgotten.append(repeating: false, count: rowIDs.count)
    buckets.removeAll()
    let bits = Int.bitWidth - (rowIDs.count * 2).leadingZeroBitCount
    buckets.append(repeating: 0, count: 1 << bits)
    for row in 0..<rowIDs.count {
      guard let hash = RowBlock.hash(row, of: rows, key) else { continue }
      var bucket = bucket(of: hash)
      while buckets[bucket] != 0 { bucket = next(bucket) }
      buckets[bucket] = hash & ~RowBlock.numberBits | UInt64(row + 1)
    }
  }

  /// The row with the key of a record; nil if it is not here, or was forgotten.
  func entry(
    _ hash: UInt64, _ record: Int, of batch: borrowing RecordBatch, _ key: EnforcedKey
  ) -> Int? {
    guard !rowIDs.isEmpty else { return nil }
    var bucket = bucket(of: hash)
    while buckets[bucket] != 0 {
      let row = Int(buckets[bucket] & RowBlock.numberBits) - 1
      if (buckets[bucket] ^ hash) & ~RowBlock.numberBits == 0,
        key.slots.allSatisfy({ batch.hasSameValue(record, as: row, of: rows, slot: $0) })
      {
        return isForgotten[row] ? nil : row
      }
      bucket = next(bucket)
    }
    return nil
  }

  mutating func forget(_ row: Int) { isForgotten[row] = true }

  private func bucket(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 16) & (buckets.count - 1)
  }

  private func next(_ bucket: Int) -> Int { (bucket + 1) & (buckets.count - 1) }

  /// The hash of a record's key; nil if a part of it is null.
  static func hash(
    _ record: Int, of batch: borrowing RecordBatch, _ key: EnforcedKey
  ) -> UInt64? {
    var hash = TableHash()
    for slot in key.slots {
      let value = batch[record, slot]
      switch value.kind {
      case .absent, .null, .related: return nil
      case .integer: hash.add(UInt64(bitPattern: value.integer))
      case .real: hash.add(value.real.bitPattern)
      case .text: hash.add(batch.arena.span.extracting(value.textRange).tableHash)
      }
    }
    return hash.value
  }
}
