import POIKitAsync
import POITestSupport
import Testing

/// The operations of a store as `async` functions.
@Suite struct StoreAsyncTests {
  private struct Place: Codable, Sendable {
    var identifier: String
    var name: String
    var latitude = 52.0
    var longitude = 13.0
  }

  private static func places(_ count: Int) -> [Place] {
    (0..<count).map {
      let digits = String($0)
      let padded = String(repeating: "0", count: 12 - digits.count) + digits
      return Place(identifier: "1975DB51-5A45-4FD6-AC54-\(padded)", name: "place \($0)")
    }
  }

  /// JSON text in pieces, which may end with an error.
  private struct Pieces: AsyncSequence, Sendable {
    var pieces: [[UInt8]]
    var breaksOff = false
    /// Cancels its task before this piece.
    var cancellation: Int?

    struct Broken: Error {}

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: Pieces
      var place = 0

      mutating func next() async throws -> [UInt8]? {
        await Task.yield()
        if place == rest.cancellation { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        guard place < rest.pieces.count else {
          if rest.breaksOff { throw Broken() }
          return nil
        }
        defer { place += 1 }
        return rest.pieces[place]
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self) }
  }

  private static func text(_ count: Int, from start: Int = 0) -> [UInt8] {
    places(count)[start...].flatMap { place in
      Array(
        #"{"identifier":"\#(place.identifier)","name":"\#(place.name)","latitude":52,"longitude":13}"#
          .utf8) + [10]
    }
  }

  @Test func `a source is imported beside the caller, and its progress is a sequence that ends`()
    async throws
  {
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.batchSize = 10
    let (updates, progress) = AsyncStream.makeStream(of: StoreProgress.self)
    let source = ImportSource.bytes(Self.text(95))
    async let report = store.importRecords(from: source, options: options, progress: progress)
    var counts: [Int] = []
    for await update in updates { counts.append(update.counters.read) }
    #expect(counts == counts.sorted() && counts.count >= 9, "\(counts)")
    #expect(try await report.counters.inserted == 95)
    #expect(try await store.rows(as: Place.self, limit: 2).map(\.name) == ["place 0", "place 1"])
    #expect(try await store.digest() == Self.digest(of: 95))
  }

  private static func digest(of count: Int) throws -> TableDigest {
    let store = try Store.inMemory()
    _ = try store.importRecords(from: .bytes(text(count)))
    return try store.digest()
  }

  @Test func `bytes are imported as they arrive, one by one or in pieces`() async throws {
    let text = Self.text(700)
    let store = try Store.inMemory()
    let bytes = AsyncStream<UInt8> { stream in
      for byte in text { stream.yield(byte) }
      stream.finish()
    }
    let report = try await store.importRecords(
      from: bytes, named: "response", byteCount: text.count)
    #expect(report.counters.inserted == 700)
    #expect(report.inputs.map(\.name) == ["response"])

    let pieces = Pieces(
      pieces: stride(from: 0, to: text.count, by: 997).map {
        Array(text[$0..<min($0 + 997, text.count)])
      })
    _ = try await store.importRecords(from: pieces, named: "again")
    let deduplicated = try await store.deduplicate(by: ["identifier"])
    #expect(deduplicated.changes.removedRowCount == 700)
    #expect(try await store.undo().restoredRowCount == 700)
    #expect(try await store.plan(by: ["identifier"])?.loserCount == 700)
  }

  @Test func `bytes that break off keep what came, and the rest follows with all bytes again`()
    async throws
  {
    let store = try Store.inMemory()
    var pieces = Pieces(pieces: [Self.text(30), Array(Self.text(40, from: 30).dropLast(9))])
    pieces.breaksOff = true
    let broken = pieces
    await #expect(throws: Pieces.Broken.self) {
      try await store.importRecords(from: broken, named: "response")
    }
    #expect(try store.rows().count == 39)
    var options = ImportOptions()
    options.isResuming = true
    let whole = Pieces(pieces: [Self.text(40)])
    let report = try await store.importRecords(from: whole, named: "response", options: options)
    #expect(report.resumedAt == 39)
    #expect(try await store.digest() == Self.digest(of: 40))
  }

  @Test func `a cancelled task stops at a batch boundary, and the import can be resumed`()
    async throws
  {
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.batchSize = 10
    let texts = [Self.text(25), Self.text(50, from: 25), Self.text(75, from: 50)]
    let cancelled = Pieces(pieces: texts, cancellation: 2)
    let task = Task { [options] in
      try await store.importRecords(from: cancelled, named: "response", options: options)
    }
    let report = try await task.value
    #expect(report.ending == .stopped)
    #expect(report.counters.read < 75)
    options.isResuming = true
    _ = try await store.importRecords(
      from: Pieces(pieces: texts), named: "response", options: options)
    #expect(try await store.digest() == Self.digest(of: 75))
  }

  @Test func `a cancelled task stops an import and a deduplication on a thread`() async throws {
    let store = try Store.inMemory()
    let source = ImportSource.bytes(Self.text(2_000) + Self.text(2_000))
    var options = ImportOptions()
    options.batchSize = 10
    let importing = Task { [options] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await store.importRecords(from: source, options: options)
    }
    let report = try await importing.value
    #expect(report.ending == .stopped)
    #expect(report.counters.read < 4_000)
    options.isResuming = true
    _ = try await store.importRecords(from: source, options: options)
    var bySize = DeduplicationOptions()
    bySize.batchSize = 10
    let deduplicating = Task { [bySize] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await store.deduplicate(by: ["identifier"], options: bySize)
    }
    #expect(try await !deduplicating.value.isFinished)
    #expect(try await store.deduplicate(by: ["identifier"]).isFinished)
    #expect(try await store.digest() == Self.digest(of: 2_000))
  }

  /// Single bytes. The task is cancelled before the byte `cancellation`; with `breaksOff`, an error follows the
  /// last one; without an end, the sequence waits for more.
  private struct Bytes: AsyncSequence, Sendable {
    var bytes: [UInt8]
    var cancellation: Int?
    var breaksOff = false
    var hasEnd = true

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: Bytes
      var place = 0

      mutating func next() async throws -> UInt8? {
        if place == rest.cancellation { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        guard place < rest.bytes.count else {
          if rest.breaksOff { throw Pieces.Broken() }
          guard rest.hasEnd else { fatalError("more bytes are read than the import wants") }
          return nil
        }
        defer { place += 1 }
        return rest.bytes[place]
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self) }
  }

  @Test(arguments: [1_000, 65_535, 65_536, 70_000])
  func `a cancelled task reads no byte twice, and its import can be resumed`(cancellation: Int)
    async throws
  {
    let store = try Store.inMemory()
    let text = Self.text(1_000)
    let cancelled = Bytes(bytes: text, cancellation: cancellation)
    let task = Task { try await store.importRecords(from: cancelled, named: "response") }
    let report = try await task.value
    #expect(report.ending == .stopped)
    var options = ImportOptions()
    options.isResuming = report.counters.read > 0
    _ = try await store.importRecords(
      from: Bytes(bytes: text), named: "response", options: options)
    #expect(try await store.digest() == Self.digest(of: 1_000))
  }

  @Test func `single bytes that break off are kept, and a limit ends the waiting for more`()
    async throws
  {
    let store = try Store.inMemory()
    let broken = Bytes(bytes: Self.text(50), breaksOff: true)
    await #expect(throws: Pieces.Broken.self) {
      try await store.importRecords(from: broken, named: "response")
    }
    #expect(try await store.digest() == Self.digest(of: 50))

    let other = try Store.inMemory()
    var options = ImportOptions()
    options.recordLimit = 100
    let endless = Bytes(bytes: Self.text(1_000), hasEnd: false)
    let report = try await other.importRecords(from: endless, named: "feed", options: options)
    #expect(report.counters.read == 100)
  }

  @Test func `the progress ends if the import cannot begin, and errors say what was committed`()
    async throws
  {
    let store = try Store.inMemory()
    let (updates, progress) = AsyncStream.makeStream(of: StoreProgress.self)
    var options = ImportOptions()
    options.isResuming = true
    let resuming = options
    let bytes = Bytes(bytes: Self.text(5))
    _ = try await store.importRecords(from: bytes, named: "response")
    let error = await #expect(throws: StoreError.self) {
      try await store.importRecords(
        from: bytes, named: "response", options: resuming, progress: progress)
    }
    #expect(error?.code == .cannotResume)
    for await _ in updates {}

    options = ImportOptions()
    options.batchSize = 10
    let batched = options
    let damaged = Bytes(bytes: Array("{\"pois\":[".utf8) + Self.text(25).map { $0 == 10 ? 44 : $0 })
    let cut = await #expect(throws: StoreError.self) {
      try await store.importRecords(from: damaged, named: "page", options: batched)
    }
    #expect(cut?.importReport?.counters.inserted == 25, "\(String(describing: cut))")
  }

  @Test func `an error is the store's, and ends the progress`() async throws {
    let store = try Store.inMemory()
    let (updates, progress) = AsyncStream.makeStream(of: StoreProgress.self)
    let error = await #expect(throws: StoreError.self) {
      try await store.importRecords(from: .file("/no/such/file"), progress: progress)
    }
    #expect(error?.code == .noInput)
    for await _ in updates {}
  }
}
