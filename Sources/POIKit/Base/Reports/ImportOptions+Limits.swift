package import JSONStreaming

extension ImportOptions.RecordLimits {
  /// Checks the limits.
  ///
  /// - Throws: `StoreError` with `invalidOptions` if a limit is out of its range.
  package func check() throws(StoreError) {
    let limits = [
      ("depth", depth, Self.depths), ("byteCount", byteCount, Self.byteCounts),
      ("stringByteCount", stringByteCount, Self.stringByteCounts),
      ("keysPerObject", keysPerObject, Self.keyCounts),
    ]
    for (name, limit, range) in limits where !range.contains(limit) {
      throw StoreError(
        .invalidOptions,
        "the limit \(name) of a record is \(limit); the range is \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
  }

  /// The limits for the reader of the input.
  package var readingLimits: ReadingLimits {
    var limits = ReadingLimits()
    limits.depth = depth
    limits.elementByteCount = byteCount
    limits.stringByteCount = stringByteCount
    limits.keysPerObject = keysPerObject
    limits.skipsInsertions = true
    limits.readsNaNAsNull = readsNaNAsNull
    return limits
  }
}
