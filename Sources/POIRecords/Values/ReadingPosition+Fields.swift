internal import JSONStreaming

extension ReadingPosition {
  /// The position as numbers, in the order of a stored checkpoint.
  package var fields: [UInt64] { [UInt64(byteOffset), UInt64(elementCount), inputHash, state] }

  package init?(fields: [UInt64]) {
    guard fields.count == 4, let byteOffset = Int(exactly: fields[0]),
      let elementCount = Int(exactly: fields[1])
    else { return nil }
    self.init(
      byteOffset: byteOffset, elementCount: elementCount, inputHash: fields[2], state: fields[3])
  }
}
