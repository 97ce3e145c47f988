public import POIKit

extension Store {
  /// How many bytes are gathered of a sequence of single bytes.
  private static var chunkSize: Int { 1 << 16 }

  /// Imports records from bytes that arrive one by one, such as the body of a response.
  ///
  /// - Parameters:
  ///   - bytes: the JSON text, not compressed.
  ///   - name: what reports, rejects and messages call the input.
  ///   - byteCount: the number of bytes, if it is known; for the progress.
  ///   - progress: receives the progress after each batch.
  /// - Returns: what became of the records. If the task is cancelled, its `ending` is `stopped`.
  /// - Throws: `StoreError`, or what the sequence throws. The records that had arrived before are committed,
  ///   and an import with `ImportOptions.isResuming` and all bytes again continues behind them.
  @concurrent
  public func importRecords<Bytes: AsyncSequence & Sendable>(
    from bytes: Bytes, named name: String, byteCount: Int? = nil, model: Model = .poi,
    options: ImportOptions = ImportOptions(), validators: [any RecordValidator] = [],
    progress: AsyncStream<StoreProgress>.Continuation? = nil
  ) async throws -> ImportReport where Bytes.Element == UInt8 {
    var chunk: [UInt8] = []
    chunk.reserveCapacity(Self.chunkSize)
    var session = try AsyncImport(
      self, name, byteCount, model, options, validators, progress)
    do {
      for try await byte in bytes {
        chunk.append(byte)
        guard chunk.count == Self.chunkSize else { continue }
        guard try session.append(chunk) else { break }
        chunk.removeAll(keepingCapacity: true)
      }
      _ = try session.append(chunk)
    } catch {
      return try session.stop(after: error)
    }
    return try session.finish()
  }

  /// Imports records from bytes that arrive in chunks, such as `Data` or `[UInt8]`; see the form for
  /// single bytes.
  @concurrent
  public func importRecords<Chunks: AsyncSequence & Sendable>(
    from chunks: Chunks, named name: String, byteCount: Int? = nil, model: Model = .poi,
    options: ImportOptions = ImportOptions(), validators: [any RecordValidator] = [],
    progress: AsyncStream<StoreProgress>.Continuation? = nil
  ) async throws -> ImportReport where Chunks.Element: Sequence<UInt8> {
    var session = try AsyncImport(
      self, name, byteCount, model, options, validators, progress)
    do {
      for try await chunk in chunks {
        guard try session.append(Array(chunk)) else { break }
      }
    } catch {
      return try session.stop(after: error)
    }
    return try session.finish()
  }
}
