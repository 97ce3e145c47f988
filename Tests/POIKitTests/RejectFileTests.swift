import TestSupport
import Testing

@testable import POIKit

@Suite struct RejectFileTests {
  @Test func `a reject file is written by one import at a time`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("bad.ndjson")
    do {
      let first = try RejectFile(path: path, storePath: nil)
      let error = #expect(throws: ImportError.self) {
        _ = try RejectFile(path: path, storePath: nil)
      }
      #expect(error?.code == .usage)
      #expect(error?.message.contains("another import writes its rejects there") == true)
      _ = consume first
    }
    _ = try RejectFile(path: path, storePath: nil)
  }
}
