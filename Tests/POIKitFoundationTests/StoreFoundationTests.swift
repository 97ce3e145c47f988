import Foundation
import POIKit
import POIKitFoundation
import POITestSupport
import Testing

@Suite struct StoreFoundationTests {
  private static let model = #"""
    {"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}
    """#

  @Test func `data and files go in, and come out as data and files`() throws {
    let folder = try ScratchFolder()
    func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }
    let store = try Store(url("a b.sqlite"))
    let model = try Model(parsing: Self.model)
    let data = Data("{\"id\":1}\n{\"id\":2}\n".utf8)
    #expect(try store.importRecords(from: data, model: model).counters.inserted == 2)
    #expect(try store.export(to: url("ö.ndjson")).recordCount == 2)
    #expect(try Data(contentsOf: url("ö.ndjson")) == data)
    let again = try Store(url("again.sqlite"))
    #expect(try again.importRecords(from: url("ö.ndjson"), model: model).counters.inserted == 2)
    #expect(try again.digest() == store.digest())
    let pipe = Pipe()
    try store.export(to: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == data)
  }

  @Test func `a file that cannot be written leaves nothing behind`() throws {
    let folder = try ScratchFolder()
    let store = try Store(URL(fileURLWithPath: folder.file("s.sqlite")))
    #expect(throws: (any Error).self) {
      try store.export(to: URL(fileURLWithPath: folder.file("out.json")))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
        $0.hasPrefix("s.")
      })
  }
}
