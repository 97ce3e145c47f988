import Testing

@testable import POISQLite

@Suite struct SQLiteErrorTests {
  @Test func `an error names its code`() {
    let names = [
      "ERROR", "INTERNAL", "PERM", "ABORT", "BUSY", "LOCKED", "NOMEM", "READONLY", "INTERRUPT",
      "IOERR", "CORRUPT", "NOTFOUND", "FULL", "CANTOPEN", "PROTOCOL", "27", "SCHEMA", "TOOBIG",
      "CONSTRAINT", "MISMATCH", "MISUSE", "NOLFS", "AUTH", "28", "RANGE", "NOTADB",
    ]
    for (code, name) in zip(Int32(1)..., names) where Int(name) == nil {
      #expect(SQLiteError(code: code | 3 << 8, message: "").codeName == "SQLITE_\(name)")
    }
    #expect(SQLiteError(code: 99, message: "").codeName == "SQLITE_99")
  }
}
