import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit

/// Bytes that are not JSON, given to an import in pieces of any size.
@Suite struct ContentPrefixTests {
  /// How a program gives the bytes.
  enum Giving: CaseIterable {
    case append, source, pipe, inference
  }

  private static func read(
    _ content: [UInt8], _ giving: Giving, pieceSize: Int, into session: inout ImportSession
  ) throws {
    switch giving {
    case .append:
      for start in stride(from: 0, to: content.count, by: pieceSize) {
        try session.append(content[start..<min(start + pieceSize, content.count)].span)
      }
      try session.endInput()
    case .source:
      var source = BytesSource(content, chunkSize: pieceSize)
      try session.importAll(from: &source)
    case .pipe:
      var pipe = ImportFixture.Pipe(content)
      pipe.bytes = BytesSource(content, chunkSize: pieceSize)
      try session.importAll(from: &pipe)
    case .inference:
      var inference = try ModelInference()
      var source = BytesSource(content, chunkSize: pieceSize)
      try inference.read(from: &source)
    }
  }

  @Test(
    arguments: [
      ([0x1F, 0x8B, 8, 0], "is gzip-compressed"),
      ([0x42, 0x5A, 0x68, 0x39], "is bzip2-compressed"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "is xz-compressed"),
      ([0x28, 0xB5, 0x2F, 0xFD], "is zstd-compressed"),
      ([0x50, 0x4B, 3, 4], "is a zip archive"), (Array("SQLite f".utf8), "is a SQLite database"),
      (Array("<html>".utf8), "is XML or HTML"),
    ] as [([UInt8], String)], Giving.allCases)
  func `an input that is not JSON is refused whole`(content: ([UInt8], String), giving: Giving)
    throws
  {
    let bytes = content.0 + Array("\n{}\n{}\n".utf8)
    for pieceSize in [1, 2, bytes.count] {
      for pointer in [nil, ""] {
        var options = ImportOptions()
        options.batchSize = 1
        options.pointer = pointer
        let store = try Store.inMemory()
        var session = try ImportSession(into: store, model: .poi, options: options)
        let error = #expect(throws: StoreError.self) {
          try Self.read(bytes, giving, pieceSize: pieceSize, into: &session)
        }
        #expect(error?.code == .unreadable)
        #expect(
          error?.message.contains(": " + content.1) == true, "\(pieceSize): \(error as Any)")
        _ = consume session
        #expect(try store.integer("SELECT count(*) FROM poikit_reject") == 0)
      }
    }
  }

  @Test(arguments: ["S", "PK", "BZ", "SQLit", "{", ""], [Giving.append, .source, .pipe])
  func `an input that only begins like another format is read as it is`(
    text: String, giving: Giving
  ) throws {
    for rest in ["", "\n\(ImportFixture.poi(1))"] {
      let bytes = Array((text + rest).utf8)
      let reports = try [1, max(bytes.count, 1)].map { pieceSize in
        var session = try ImportSession(checking: .poi)
        try Self.read(bytes, giving, pieceSize: pieceSize, into: &session)
        return try session.finish()
      }
      #expect(reports[0].counters == reports[1].counters)
    }
  }

  /// Counts the calls.
  struct CountingSource: ByteSource {
    var bytes: BytesSource
    var readByteCount = 0
    var restartCount = 0
    var name: String { bytes.name }
    var totalByteCount: Int? { bytes.totalByteCount }
    var consumedByteCount: Int { bytes.consumedByteCount }

    init(_ text: String) { bytes = BytesSource(Array(text.utf8)) }

    mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
      let start = bytes.consumedByteCount
      bytes.read(into: &output)
      readByteCount += bytes.consumedByteCount - start
    }

    mutating func restart() throws(InputError) -> Bool {
      restartCount += 1
      return bytes.restart()
    }
  }

  private static let manyPlaces = (1...9_000).map { ImportFixture.poi($0) }

  @Test(arguments: [
    (manyPlaces.joined(separator: "\n"), nil), ("[\(manyPlaces.joined(separator: ","))]", nil),
    (#"{"rows":[\#(manyPlaces.joined(separator: ","))]}"#, "/rows"),
  ])
  func `a source whose first bytes show where its records are is read once`(
    text: String, pointer: String?
  ) throws {
    var options = ImportOptions()
    options.pointer = pointer
    var session = try ImportSession(checking: .poi, options: options)
    var source = CountingSource(text)
    try session.importAll(from: &source)
    #expect(try session.finish().counters.read == 9_000)
    #expect(source.readByteCount == text.utf8.count && source.restartCount == 0)

    var inference = try ModelInference(options: options)
    source = CountingSource(text)
    try inference.read(from: &source)
    #expect(source.readByteCount == text.utf8.count && source.restartCount == 0)
    #expect(try inference.finish().contains("Inferred from the 9000 records"))
  }

  @Test func `a source that can restart is searched to its end for its records`() throws {
    let head = (0..<30_000).map { #""\#($0)":["no record"]"# }.joined(separator: ",")
    let text = #"{"head":{\#(head)},"rows":[\#(ImportFixture.poi(1))]}"#
    var session = try ImportSession(checking: .poi)
    var source = CountingSource(text)
    try session.importAll(from: &source)
    let report = try session.finish()
    #expect(report.counters.inserted == 1)
    #expect(report.inputs.map(\.pointer) == ["/rows"])
    #expect(source.restartCount == 2)
  }

  @Test(arguments: [nil, ""], [false, true])
  func `a source that was read before is read from its first byte if it can restart`(
    pointer: String?, goesBack: Bool
  ) throws {
    func read(_ source: inout some ByteSource) throws -> [Int] {
      _ = try [UInt8](capacity: 2) { output throws(InputError) in try source.read(into: &output) }
      var inference = try ModelInference(options: options)
      var imported = source
      try inference.read(from: &source)
      var session = try ImportSession(checking: .poi, options: options)
      try session.importAll(from: &imported)
      let inferred = try inference.finish()
      return try [session.finish().counters.read, inferred.contains("from the 2 records") ? 2 : 1]
    }
    var options = ImportOptions()
    options.pointer = pointer
    let poi = ImportFixture.poi(1)
    if goesBack {
      var source = CountingSource("[\(poi),\n\(poi)]")
      #expect(try read(&source) == [2, 2])
    } else {
      var pipe = ImportFixture.Pipe("1 [\(poi)]".utf8)
      #expect(try read(&pipe) == [1, 1])
    }
  }
}
