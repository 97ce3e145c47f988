internal import Glibc
internal import JSONStreaming

/// The canonical content of one row: bytes that are equal if and only if two rows say the same, on
/// every machine. `Reference/Digests.md` of the documentation describes the format.
///
/// The value is reused for one row after the other, so that adding to it does not allocate.
package struct CanonicalContent: ~Copyable {
  private var buffer = GrowableBuffer<UInt8>(minimumCapacity: 1_024)

  package init() {}

  /// The hash of a column's name, which begins its field.
  package static func nameTag(_ name: String) -> UInt64 {
    MurmurHash3.digest(of: Array(name.utf8).span).low
  }

  /// The names of columns in the order of their fields.
  package static func fieldOrder(_ left: String, _ right: String) -> Bool {
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

  /// The digest of a row without any value, which must not be zero: it counts in a table's sum.
  private static let emptyDigest = MurmurHash3.digest(of: [0].span)

  /// Compares the bytes with those of another row: negative if they come first, 0 if they are equal.
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

  /// Forgets the row, and keeps the memory for the next one.
  package mutating func removeAll() {
    buffer.removeAll()
  }
}

/// Fields. They are added in the order of the column names; `name` is the name's tag.
extension CanonicalContent {
  package mutating func append(integer: Int64, name: UInt64) {
    unsafe appendFields(room: CanonicalFieldWriter.sizeLimit) { writer in
      var writer = unsafe writer
      unsafe writer.append(integer: integer, name: name)
      return unsafe writer
    }
  }

  /// Adds a real; not-a-number is null, as in SQLite.
  package mutating func append(real: Double, name: UInt64) {
    unsafe appendFields(room: CanonicalFieldWriter.sizeLimit) { writer in
      var writer = unsafe writer
      unsafe writer.append(real: real, name: name)
      return unsafe writer
    }
  }

  package mutating func append(text: Span<UInt8>, name: UInt64) {
    append(bytes: text, type: UInt8(ascii: "t"), name: name)
  }

  package mutating func append(blob: Span<UInt8>, name: UInt64) {
    append(bytes: blob, type: UInt8(ascii: "b"), name: name)
  }

  /// Adds the rows of a relation to many; no rows leave no trace.
  package mutating func append(rows: TableDigest, name: UInt64) {
    guard rows.rowCount > 0 else { return }
    append(littleEndian: name)
    buffer.append(UInt8(ascii: "m"))
    append(littleEndian: UInt64(rows.rowCount))
    append(littleEndian: rows.digest.low)
    append(littleEndian: rows.digest.high)
  }

  /// Begins a related row, whose fields follow, and returns its start for `endRelated`.
  package mutating func beginRelated(name: UInt64) -> Int {
    unsafe appendFields(room: CanonicalFieldWriter.sizeLimit) { writer in
      var writer = unsafe writer
      _ = unsafe writer.beginRelated(name: name)
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

  /// Lets `body` write fields without checks.
  ///
  /// - Parameters:
  ///   - room: how many bytes `body` may write, by the writer's `sizeLimit`.
  ///   - body: gets a writer, and returns it behind the last field. It is no `inout` parameter so
  ///     that it can stay in a register.
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

  private mutating func append(bytes: Span<UInt8>, type: UInt8, name: UInt64) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe appendFields(room: CanonicalFieldWriter.sizeLimit + bytes.count) { writer in
        var writer = unsafe writer
        unsafe writer.append(bytes: bytes, type: type, name: name)
        return unsafe writer
      }
    }
  }
}
