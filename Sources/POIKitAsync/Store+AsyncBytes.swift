public import POIKit

extension Store {
  /// How many bytes are gathered of a sequence of single bytes.
  private static var chunkSize: Int { 1 << 16 }

  /// Imports records from bytes that arrive one by one, such as the body of a response. The work is done
  /// on threads of the cooperative pool, between the arrivals of bytes.
  ///
  /// - Parameters:
  ///   - bytes: the JSON text, not compressed.
  ///   - name: the name of the input in reports, rejects and messages.
  ///   - byteCount: the number of bytes, if it is known; for the progress.
  ///   - progress: receives the progress after each batch.
  /// - Returns: what became of the records. If the task is cancelled, its `ending` is `stopped`.
  /// - Throws: `StoreError`, or what the sequence throws. Records that arrived before are committed, and
  ///   an import with `ImportOptions.isResuming` and all bytes again continues after them.
  @concurrent
  @discardableResult
  public func importRecords<Bytes: AsyncSequence & Sendable>(
    from bytes: Bytes, named name: String, byteCount: Int? = nil, model: Model = .poi,
    options: ImportOptions = ImportOptions(), validators: [any RecordValidator] = [],
    progress: AsyncStream<StoreProgress>.Continuation? = nil
  ) async throws -> ImportReport where Bytes.Element == UInt8 {
    defer { progress?.finish() }
    var session = try AsyncImport(self, name, byteCount, model, options, validators, progress)
    var chunk: [UInt8] = []
    chunk.reserveCapacity(Self.chunkSize)
    var iterator = bytes.makeAsyncIterator()
    while session.wantsBytes {
      do {
        while chunk.count < Self.chunkSize, let byte = try await iterator.next() {
          chunk.append(byte)
        }
      } catch {
        // What arrived before the error is kept.
        try session.append(chunk)
        return try session.stop(after: error)
      }
      if chunk.isEmpty { break }
      try session.append(chunk)
      chunk.removeAll(keepingCapacity: true)
    }
    return try session.finish()
  }

  /// Imports records from bytes that arrive in chunks, such as `Data` or `[UInt8]`; otherwise the same
  /// as the form for single bytes.
  @concurrent
  @discardableResult
  public func importRecords<Chunks: AsyncSequence & Sendable>(
    from chunks: Chunks, named name: String, byteCount: Int? = nil, model: Model = .poi,
    options: ImportOptions = ImportOptions(), validators: [any RecordValidator] = [],
    progress: AsyncStream<StoreProgress>.Continuation? = nil
  ) async throws -> ImportReport where Chunks.Element: Sequence<UInt8> {
    defer { progress?.finish() }
    var session = try AsyncImport(self, name, byteCount, model, options, validators, progress)
    var iterator = chunks.makeAsyncIterator()
    while session.wantsBytes {
      let chunk: Chunks.Element?
      do { chunk = try await iterator.next() } catch { return try session.stop(after: error) }
      guard let chunk else { break }
      try session.append(Array(chunk))
    }
    return try session.finish()
  }
}
