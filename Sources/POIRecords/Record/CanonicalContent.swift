internal import JSONStreaming
internal import POIPlatform

/// The canonical content of one row: bytes that are equal on every machine exactly if the rows have equal
/// values. `Reference/Digests.md` describes the format.
///
/// Reuse one value for many rows to avoid allocations.
package struct CanonicalContent: ~Copyable {
  private var buffer = GrowableBuffer<UInt8>(minimumCapacity: 1_024)

  package init() {}

  /// The hash of a column name; each field begins with it.
  package static func nameTag(_ name: String) -> UInt64 {
    MurmurHash3.digest(of: Array(name.utf8).span).low
  }

  /// Whether the field of column `left` comes before the field of `right`.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { buffer.span }
  }

  /// The hash of the bytes so far.
  package var digest: Digest {
    buffer.isEmpty ? CanonicalContent.emptyDigest : MurmurHash3.digest(of: buffer.span)
  }

  /// The digest of a row without values. It is not zero, so that the row counts in the table's sum.
  private static let emptyDigest = MurmurHash3.digest(of: [0].span)

  /// Compares bytewise with another row: negative if this row comes first, 0 if both are equal.
  package func compareBytes(with other: borrowing CanonicalContent) -> Int {
    let shared = min(bytes.count, other.bytes.count)
    let order = unsafe buffer.withUnsafeBufferPointer { left in
      unsafe other.buffer.withUnsafeBufferPointer { right in
        unsafe Int(memcmp(left.baseAddress!, right.baseAddress!, shared))
      }
    }
    return order == 0 ? bytes.count - other.bytes.count : order
  }

  package func hasSameBytes(as other: borrowing CanonicalContent) -> Bool {
    bytes.count == other.bytes.count && compareBytes(with: other) == 0
  }

  /// Clears the row and keeps the memory.
  package mutating func removeAll() {
    buffer.removeAll()
  }
}

/// Appending fields, in the order of the column names that `precedes` defines.
extension CanonicalContent {
  package mutating func append(integer: Int64, nameTag: UInt64) {
    unsafe appendFields(room: CanonicalFieldWriter.fieldByteLimit) { writer in
      var writer = unsafe writer
      unsafe writer.append(integer: integer, nameTag: nameTag)
      return unsafe writer
    }
  }

  /// Adds a real. NaN counts as NULL, as in SQLite.
  package mutating func append(real: Double, nameTag: UInt64) {
    unsafe appendFields(room: CanonicalFieldWriter.fieldByteLimit) { writer in
      var writer = unsafe writer
      unsafe writer.append(real: real, nameTag: nameTag)
      return unsafe writer
    }
  }

  package mutating func append(text: Span<UInt8>, nameTag: UInt64) {
    append(bytes: text, type: UInt8(ascii: "t"), nameTag: nameTag)
  }

  package mutating func append(blob: Span<UInt8>, nameTag: UInt64) {
    append(bytes: blob, type: UInt8(ascii: "b"), nameTag: nameTag)
  }

  /// Adds the rows of a relation to many; an empty array adds no bytes.
  package mutating func append(rows: TableDigest, nameTag: UInt64) {
    guard rows.rowCount > 0 else { return }
    append(littleEndian: nameTag)
    buffer.append(UInt8(ascii: "m"))
    append(littleEndian: UInt64(rows.rowCount))
    append(littleEndian: rows.digest.low)
    append(littleEndian: rows.digest.high)
  }

  /// Begins a related row and returns its start for `endRelated`; the fields of the row follow.
  package mutating func beginRelated(nameTag: UInt64) -> Int {
    unsafe appendFields(room: CanonicalFieldWriter.fieldByteLimit) { writer in
      var writer = unsafe writer
      _ = unsafe writer.beginRelated(nameTag: nameTag)
      return unsafe writer
    }
    return buffer.count
  }

  package mutating func endRelated(at start: Int) {
    let count = UInt32(buffer.count - start)
    for place in 0..<4 {
      buffer[start - 4 + place] = UInt8(truncatingIfNeeded: count >> UInt32(place * 8))
    }
  }

  /// Lets `body` write fields without bounds checks.
  ///
  /// - Parameters:
  ///   - room: the most bytes that `body` writes, computed from the writer's `fieldByteLimit`.
  ///   - body: receives a writer and returns it advanced. An `inout` parameter would not stay in a register.
  @unsafe
  @inline(__always)
  mutating func appendFields(room: Int, _ body: (CanonicalFieldWriter) -> CanonicalFieldWriter) {
    unsafe buffer.appendUnchecked(room: room) { start in
      unsafe body(CanonicalFieldWriter(at: start)).end.assumingMemoryBound(to: UInt8.self)
    }
  }

  private mutating func append(littleEndian word: UInt64) {
    for place in 0..<8 { buffer.append(UInt8(truncatingIfNeeded: word >> UInt64(place * 8))) }
  }

  private mutating func append(bytes: Span<UInt8>, type: UInt8, nameTag: UInt64) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe appendFields(room: CanonicalFieldWriter.fieldByteLimit + bytes.count) { writer in
        var writer = unsafe writer
        unsafe writer.append(bytes: bytes, type: type, nameTag: nameTag)
        return unsafe writer
      }
    }
  }
}
