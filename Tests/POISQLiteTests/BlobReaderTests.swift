import Testing

@testable import POISQLite

@Suite struct BlobReaderTests {
  private func connection() throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB);
      INSERT INTO t VALUES (1, x'010203'), (2, zeroblob(100000) || x'FF'), (3, 7);
      """)
    return connection
  }

  private func read(
    _ range: Range<Int>, of reader: borrowing BlobReader
  ) throws(SQLiteError) -> [UInt8] {
    try [UInt8](capacity: range.count) { output throws(SQLiteError) in
      try reader.read(range, into: &output)
    }
  }

  @Test func `parts of blobs are read row by row`() throws {
    let connection = try connection()
    var reader = try BlobReader(table: "t", column: "b", rowID: 1, in: connection)
    #expect(reader.count == 3)
    #expect(try read(1..<3, of: reader) == [2, 3])
    #expect(try read(3..<3, of: reader) == [])
    try reader.move(to: 2)
    #expect(reader.count == 100_001)
    #expect(try read(99_999..<100_001, of: reader) == [0, 255])
  }

  @Test func `a missing table, column or row is an error`() throws {
    let connection = try connection()
    var reader = try BlobReader(table: "t", column: "b", rowID: 1, in: connection)
    #expect(throws: SQLiteError.self) { try read(2..<4, of: reader) }
    #expect(throws: SQLiteError.self) { try reader.move(to: 3) }
    #expect(throws: SQLiteError.self) { try reader.move(to: 4) }
    for (table, column, rowID) in [("u", "b", 1), ("t", "c", 1), ("t", "b", 9), ("t", "b", 3)] {
      #expect(throws: SQLiteError.self) {
        _ = try BlobReader(table: table, column: column, rowID: Int64(rowID), in: connection)
      }
    }
  }

  @Test func `a row that changed is not read until the next move`() throws {
    let connection = try connection()
    var reader = try BlobReader(table: "t", column: "b", rowID: 1, in: connection)
    try connection.execute("UPDATE t SET b = x'0405' WHERE id = 1")
    #expect(throws: SQLiteError.self) { try read(0..<1, of: reader) }
    reader = try BlobReader(table: "t", column: "b", rowID: 1, in: connection)
    #expect(try read(0..<2, of: reader) == [4, 5])
  }
}
