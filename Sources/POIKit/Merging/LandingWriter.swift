internal import JSONStreaming
internal import SQLiteKit

/// Appends records to the landing table of a run.
struct LandingWriter: ~Copyable {
  private let key: EnforcedKey
  private var compactKey: CompactKey?
  private var insertion: Statement
  private var content = GrowableBuffer<UInt8>(minimumCapacity: 1 << 10)

  /// A writer into the landing table of a run, which is there.
  init(_ key: EnforcedKey, run: Int64, connection: borrowing Connection) throws(SQLiteError) {
    let insertion = try connection.prepare(
      """
      INSERT INTO \(LandingTable.name(ofRun: run))
        (key_high, key_low, input, record, byte_offset, line, "column", content, raw)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """)
    self.key = key
    self.insertion = insertion
    compactKey = CompactKey(key)
  }

  /// Appends the records of a batch. Runs inside the caller's transaction.
  ///
  /// - Parameter input: the 0-based number of their input.
  mutating func append(_ batch: borrowing RecordBatch, input: Int) throws(SQLiteError) {
    for record in 0..<batch.recordCount {
      if let prefix = KeyPrefix(key, of: record, in: batch, hashedBy: &compactKey) {
        try insertion.bind(1, integer: Int64(bitPattern: prefix.high))
        try insertion.bind(2, integer: Int64(bitPattern: prefix.low))
      } else {
        try insertion.bindNull(1)
        try insertion.bindNull(2)
      }
      let origin = batch.origins[record]
      try insertion.bind(3, integer: Int64(input))
      try insertion.bind(4, integer: Int64(origin.index))
      try insertion.bind(5, integer: Int64(origin.byteOffset))
      try insertion.bind(6, integer: Int64(origin.line))
      try insertion.bind(7, integer: Int64(origin.column))
      content.removeAll()
      LandedRecord.append(record: record, of: batch, to: &content)
      if origin.raw.isEmpty {
        try insertion.bindNull(9)
      } else {
        try insertion.bind(9, blob: batch.arena.span.extracting(origin.raw))
      }
      try unsafe content.withUnsafeBufferPointer { (bytes) throws(SQLiteError) in
        try unsafe insertion.bindBorrowed(8, blob: bytes)
        try insertion.run()
      }
    }
  }
}
