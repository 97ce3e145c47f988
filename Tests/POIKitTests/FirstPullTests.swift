import POIKitTestSupport
import POIRecords
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// The first records of a server, which come into a table whose key is not enforced yet.
@Suite struct FirstPullTests {
  private static let page =
    #"{"documents":[{"id":1,"text":"there","at":7,"_version":1}],"checkpoint":"1","epoch":"e"}"#

  @Test func `a page whose table a program changes meanwhile is not stored, and comes again`()
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let store = try Store(path)
    let table = try SyncedTable(
      store, model: Model(parsing: MergeFixture.document), address: "memory")
    var options = ImportOptions()
    options.page = .page(epoch: "e", removalLimit: nil)
    options.pointer = "/documents"
    options.tokenPointer = ImportOptions.ServerPage.checkpoint
    options.mergePolicy = .append
    options.jobCount = 1
    options.batchSize = .max
    var session = try ImportSession(into: store, model: table.model.asServed, options: options)
    try session.beginInput(named: "the server's answer")
    let app = try Connection(path: path, access: .readWrite)
    try app.execute("INSERT INTO note (id, text) VALUES (1, 'here')")
    let error = #expect(throws: StoreError.self) {
      try session.append(Array(Self.page.utf8).span)
      _ = try session.finish()
    }
    #expect(error?.code == .changedByOther)
    #expect(try rows("SELECT id, text FROM note", in: app) == ["1|here"])
    // The next one finds the key enforced, and the later change stays.
    let page = try table.take(page: Array(Self.page.utf8))
    #expect(page.report.counters.kept == 1)
    #expect(try rows("SELECT id, text FROM note", in: app) == ["1|here"])
    #expect(try table.checkpoint == "1")
  }
}
