internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Appends records to the landing table of a run. Each row gets as many as fit into a page, because
/// a row with one record takes as long to insert.
struct LandingWriter: ~Copyable {
  /// An upper bound of the bytes that a page and a row need besides the content.
  private static let overhead = 128

  private let key: EnforcedKey
  private let rowSize: Int
  private var canonicalKey = CanonicalKey()
  private var insertion: Statement
  private var directory = GrowableBuffer<UInt8>(minimumCapacity: 1 << 10)
  private var content = GrowableBuffer<UInt8>(minimumCapacity: 1 << 13)

  /// - Precondition: the landing table exists.
  init(_ key: EnforcedKey, run: Int64, connection: Connection) throws {
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 0
    let insertion = try connection.prepare(
      "INSERT INTO \(name: LandingTable.name(ofRun: run)) (directory, content) VALUES (?1, ?2)")
    self.key = key
    self.insertion = insertion
    rowSize = min(Int(pageSize) - LandingWriter.overhead, LandedRange.contentLimit)
  }

  /// Appends the records of a batch. Runs inside the caller's transaction.
  ///
  /// - Parameter input: the 0-based number of their input.
  mutating func append(_ batch: borrowing RecordBatch, input: Int) throws {
    for record in 0..<batch.recordCount {
      let start = content.count
      LandedRecord.append(record: record, of: batch, input: input, to: &content)
      let byteCount = content.count - start
      let size = directory.count + LandingDirectory.entrySize + content.count
      if start > 0, size > rowSize { try insert(contentCount: start) }
      let prefix = IndexPrefix(key, of: record, in: batch, hashedBy: &canonicalKey)
      LandingDirectory.append(prefix, byteCount: byteCount, to: &directory)
    }
    if !content.isEmpty { try insert(contentCount: content.count) }
  }

  /// Inserts a row with the first bytes of the content and all of the directory. The other bytes
  /// begin the next row.
  private mutating func insert(contentCount: Int) throws {
    try unsafe directory.withUnsafeBufferPointer { (directory) throws in
      try unsafe content.withUnsafeBufferPointer { (content) throws in
        let content = unsafe UnsafeBufferPointer(rebasing: content[..<contentCount])
        try unsafe insertion.bindBorrowed(1, blob: directory)
        try unsafe insertion.bindBorrowed(2, blob: content)
        try insertion.run()
      }
    }
    directory.removeAll()
    content.removeFirst(contentCount)
  }
}
