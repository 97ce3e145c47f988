import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Options and inputs with which an import cannot begin or continue.
@Suite struct ImportSessionRefusalTests {
  /// Begins an import of files named `a`, `b` and so on, and stops it after `stop` records.
  private static func begin(
    _ texts: [String], stop: Int, in folder: borrowing ScratchFolder,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws {
    var options = ImportOptions()
    options.batchSize = 1
    change(&options)
    var session = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options
    ) { $0.counters.read >= stop ? .stop : .proceed }
    for (name, text) in zip(["a", "b", "c"], texts) {
      guard try session.beginInput(named: name) else { continue }
      try session.append(Array(text.utf8).span)
      try session.endInput()
    }
    _ = try session.finish()
  }

  /// Resumes it with inputs of these names.
  private static func resume(
    _ inputs: [(name: String, text: String)], in folder: borrowing ScratchFolder,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions()
    options.isResuming = true
    change(&options)
    var session = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    for input in inputs {
      guard try session.beginInput(named: input.name) else { continue }
      try session.append(Array(input.text.utf8).span)
      try session.endInput()
    }
    return try session.finish()
  }

  private static func pois(_ range: Range<Int>) -> String {
    "{\"pois\":[" + range.map { ImportFixture.poi($0) }.joined(separator: ",") + "]}"
  }

  @Test func `a run is resumed with the inputs that it began with, at the same place`() throws {
    let folder = try ScratchFolder()
    let texts = [Self.pois(0..<3), Self.pois(3..<6)]
    try Self.begin(texts, stop: 4, in: folder)
    func refusal(
      _ names: String..., change: (inout ImportOptions) -> Void = { _ in }
    ) -> String {
      let error = #expect(throws: StoreError.self) {
        try Self.resume(Array(zip(names, texts)), in: folder, change)
      }
      #expect(error?.code == .cannotResume)
      return error?.message ?? ""
    }
    #expect(refusal("x").contains("no unfinished import began with it, only with a"))
    #expect(
      refusal("a", "x").contains(
        "x: the run to resume began with b in this place, and this import with x"))
    #expect(
      refusal("a", "b") { $0.pointer = "/x" }.contains(
        "records at \"/pois\", and this import with those at \"/x\""))
    let limited = try Self.resume(Array(zip(["a", "b"], texts)), in: folder) { $0.recordLimit = 4 }
    #expect(limited.counters.read == 4)
  }

  @Test func `a snapshot is resumed as a snapshot, and an import is not`() throws {
    for isSnapshot in [false, true] {
      let folder = try ScratchFolder()
      // A snapshot needs an enforced key.
      try Self.begin([Self.pois(0..<1)], stop: 2, in: folder) { $0.mergePolicy = .newest }
      let text = Self.pois(0..<3)
      try Self.begin([text], stop: 1, in: folder) { $0.isSnapshot = isSnapshot }
      let error = #expect(throws: StoreError.self) {
        try Self.resume([("a", text)], in: folder) { $0.isSnapshot = !isSnapshot }
      }
      let state = isSnapshot ? "began with a snapshot" : "began with no snapshot"
      #expect(error?.message.contains(state) == true, "\(error?.message ?? "")")
      #expect(error?.advice == [.snapshot(isSnapshot), .restart])
    }
  }

  @Test func `a message lists ten of several places, and the beginnings of long ones`() throws {
    let name = String(repeating: "n", count: 300)
    let members = (10..<22).map { "\"\($0)\(name)\":[{}]" }.joined(separator: ",")
    var session = try ImportSession(checking: .poi)
    var source = ImportFixture.Pipe("{\(members)}".utf8)
    let error = #expect(throws: StoreError.self) { try session.importAll(from: &source) }
    let places = (10..<20).map { "/\($0)\(name.prefix(197))… (1)" }.joined(separator: ", ")
    #expect(
      error?.message.hasSuffix(": \(places) and 2 more") == true,
      "\(error?.message ?? "")")
  }

  @Test func `an input after the limit of records is not begun`() throws {
    var options = ImportOptions()
    options.recordLimit = 1
    var session = try ImportSession(checking: .poi, options: options)
    #expect(try session.beginInput(named: "a"))
    try session.append(Array(Self.pois(0..<2).utf8).span)
    try session.endInput()
    #expect(try !session.beginInput(named: "b"))
    #expect(try session.finish().counters.read == 1)
  }

  @Test func `a source with a NUL in its name is refused`() throws {
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.source = "a\0b"
    let error = #expect(throws: StoreError.self) {
      try store.importRecords(from: .text("{}"), options: options)
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("the name of the source holds a NUL") == true)
  }
}
