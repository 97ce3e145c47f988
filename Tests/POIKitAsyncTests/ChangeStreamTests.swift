import POIKitAsync
import POISQLite
import POITestSupport
import Testing

/// A program that is told what changes in a store.
@Suite struct ChangeStreamTests {
  private let model: Model

  init() throws {
    model = try Model(
      parsing:
        #"{"x-table":"note","x-key":"id","properties":{"id":{"type":"integer"},"text":{"type":"string"}}}"#
    )
  }

  private func importNotes(_ text: String, into store: Store) throws {
    var options = ImportOptions()
    options.mergePolicy = .newest
    try store.importRecords(from: .text(text, named: "notes"), model: model, options: options)
  }

  @Test func `all since a position is told, then what this and other programs commit`() async throws
  {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("s.sqlite"))
    try importNotes(#"{"id":1}"#, into: store)
    try store.track()
    let start = try store.changes().position
    try store.upsert(["id": RowValue.integer(1), "text": .text("first")])
    var told: [String] = []
    for try await changes in store.changeStream(since: start) {
      told += changes.local.map { "\($0.key["id"]?.integer ?? 0), removed: \($0.isRemoved)" }
      told += changes.runs.map { "run \($0.number), import: \($0.isImport)" }
      switch told.count {
      case 1: try store.remove(key: 1)
      case 2:
        let app = try Connection(path: folder.file("s.sqlite"))
        try app.execute("INSERT INTO note(id) VALUES (7)")
      case 3: try importNotes(#"{"id":8}"#, into: store)
      default: break
      }
      if told.count == 4 { break }
    }
    #expect(
      told == ["1, removed: false", "1, removed: true", "7, removed: false", "run 2, import: true"])
  }

  @Test func `the stream ends with its task`() async throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("s.sqlite"))
    let task = Task {
      var count = 0
      for try await _ in store.changeStream() { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value == 0)
  }

  @Test func `a store in memory has no stream`() async throws {
    let store = try Store.inMemory()
    await #expect(throws: StoreError.self) {
      for try await _ in store.changeStream() {}
    }
  }
}
