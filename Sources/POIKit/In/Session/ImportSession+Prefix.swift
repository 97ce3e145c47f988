internal import JSONStreaming
internal import POIFiles

extension ImportSession {
  /// Holds back the first bytes of the input until its format is known.
  ///
  /// - Returns: the number of `bytes` held back.
  mutating func holdPrefix(of bytes: Span<UInt8>) throws(StoreError) -> Int {
    guard var first = prefix.take() else { return 0 }
    let count = min(Compression.longestMagicByteCount - first.count, bytes.count)
    for index in 0..<count { first.append(bytes[index]) }
    prefix = first
    if !ContentPrefix.isUndecided(first) { try releasePrefix() }
    return count
  }

  /// Reads the first bytes of the input that were held back.
  mutating func releasePrefix() throws(StoreError) {
    guard let first = prefix.take() else { return }
    do { try ContentPrefix.check(first, ofInputNamed: inputName) } catch {
      throw fail(StoreError(error))
    }
    try process(first.span)
  }
}
