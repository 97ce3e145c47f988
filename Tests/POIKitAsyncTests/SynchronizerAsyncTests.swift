import POIKitAsync
import POISync
import POITestSupport
import Testing

@Suite struct SynchronizerAsyncTests {
  /// A server with some pages of one record.
  private struct Pages: SyncServer {
    let count: Int

    func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
      let page = (checkpoint.flatMap { Int($0) } ?? 0) + 1
      let document =
        page > count ? "" : #"{"id":\#(page),"at":"2026-01-01T00:00:00Z","_version":\#(page)}"#
      return Array(#"{"documents":[\#(document)],"checkpoint":"\#(page)","epoch":"e"}"#.utf8)
    }

    func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
      throw SyncError(.unreachable, "nothing is sent")
    }
  }

  private static func synchronizer(
    _ store: Store, pageCount: Int
  ) throws -> Synchronizer<Pages> {
    let model = try Model(
      parsing: """
        {"x-table": "poi", "x-key": "id", "x-timestamp": "at", "required": ["id"],
          "properties": {"id": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}}}
        """)
    return try Synchronizer(store, model: model, server: Pages(count: pageCount), address: "pages")
  }

  @Test func `a cycle reports after each request, and ends the reports`() async throws {
    let folder = try ScratchFolder()
    var synchronizer = try Self.synchronizer(Store(folder.file("poi.sqlite")), pageCount: 3)
    let (reports, progress) = AsyncStream.makeStream(of: SyncReport.self)
    let counts = Task {
      var counts: [Int] = []
      for await report in reports { counts.append(report.pulled.insertedCount) }
      return counts
    }
    let report = try await synchronizer.cycle(progress: progress)
    #expect(report.pulled.insertedCount == 3)
    #expect(await counts.value == [1, 2, 3])
  }

  @Test func `a cancelled task stops its cycle after the current request`() async throws {
    let folder = try ScratchFolder()
    let synchronizer = try Self.synchronizer(
      Store(folder.file("poi.sqlite")), pageCount: 1_000_000)
    let (reports, progress) = AsyncStream.makeStream(of: SyncReport.self)
    let cycle = Task {
      var synchronizer = synchronizer
      return try await synchronizer.cycle(progress: progress)
    }
    for await report in reports where report.requestCount == 2 { cycle.cancel() }
    let report = try await cycle.value
    #expect(report.isStopped)
    #expect(report.requestCount >= 2)
  }
}
