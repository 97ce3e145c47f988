/// The first two rows of an array of arrays, which show whether the first one is a header.
struct RowSample {
  /// The most bytes of both.
  private static let byteLimit = 1 << 16

  private var bytes: [UInt8] = []
  private var firstEnd: Int?

  /// Appends a byte of the rows or between them; false if they are too long.
  mutating func append(_ byte: UInt8) -> Bool {
    bytes.append(byte)
    return bytes.count <= Self.byteLimit
  }

  /// Ends a row; returns whether the first one is a header, or nil if that is not known yet.
  mutating func endRow() -> Bool? {
    guard let firstEnd else {
      firstEnd = bytes.count
      return Self.texts(bytes[...]).isHeader ? nil : false
    }
    let first = Self.texts(bytes[..<firstEnd])
    let second = Self.texts(bytes[firstEnd...].drop { $0 != UInt8(ascii: "[") })
    return second.count == first.count && !second.areTexts
  }

  /// The number of elements of a row, whether all are texts, and whether these can be a header.
  private static func texts(
    _ row: ArraySlice<UInt8>
  ) -> (count: Int, areTexts: Bool, isHeader: Bool) {
    var tape = TapeBuffers()
    var open = GrowableBuffer<OpenContainer>(minimumCapacity: 8)
    let isSound = unsafe row.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      var scan = unsafe ElementScan(
        bytes: start, end: bytes.count, offset: 0, limits: ReadingLimits())
      return scan.member(at: 0, isNamed: false, onto: &tape, &open) != nil
    }
    guard isSound else { return (0, true, false) }
    var names: Set<[UInt8]> = []
    var areTexts = true
    for index in 1..<(tape.tokens.count - 1) {
      let token = tape.tokens[index]
      guard token.kind == .string else {
        areTexts = false
        break
      }
      let start = Int(token.first)
      let end = start + token.textByteCount
      names.insert(
        token.isCopied
          ? (start..<end).map { tape.copies[$0] }
          : Array(row[(row.startIndex + start)..<(row.startIndex + end)]))
    }
    let count = tape.tokens[0].elementCount
    return (count, areTexts, areTexts && count > 0 && names.count == count && !names.contains([]))
  }
}
