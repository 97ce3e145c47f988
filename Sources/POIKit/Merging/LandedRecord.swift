internal import JSONStreaming

/// The form in which a decoded record waits in a landing table: 1 in a byte if it is a removal that
/// becomes no row, else 0; its digest; each slot as its kind in a byte and its value; then for each
/// relation to many the number of its rows in 4 bytes and the rows in the same form. All numbers are
/// little-endian; a text is its length in 4 bytes and its UTF-8.
enum LandedRecord {
  /// Writes a record of a batch.
  static func append(
    record: Int, of batch: borrowing RecordBatch, to bytes: inout GrowableBuffer<UInt8>
  ) {
    bytes.append(batch.origins[record].isDeletion ? 1 : 0)
    let digest = batch.digest(of: record)
    append(digest.high, byteCount: 8, to: &bytes)
    append(digest.low, byteCount: 8, to: &bytes)
    for slot in 0..<batch.slotCount {
      let value = batch[record, slot]
      bytes.append(value.kind.rawValue)
      switch value.kind {
      case .absent, .null, .related: break
      case .integer: append(UInt64(bitPattern: value.integer), byteCount: 8, to: &bytes)
      case .real: append(value.real.bitPattern, byteCount: 8, to: &bytes)
      case .text:
        append(UInt64(value.textCount), byteCount: 4, to: &bytes)
        bytes.append(bytes: batch.arena.span.extracting(value.textRange))
      }
    }
    for relation in batch.children {
      let rows = relation.rows(ofParent: record)
      append(UInt64(rows.count), byteCount: 4, to: &bytes)
      for row in rows { append(record: row, of: relation.rows, to: &bytes) }
    }
  }

  /// Adds a record to a batch.
  ///
  /// - Parameter origin: where it came from; what it holds as raw bytes stands in the batch.
  static func read(_ bytes: Span<UInt8>, origin: RecordOrigin, into batch: inout RecordBatch) {
    var position = 0
    read(bytes, at: &position, origin: origin, into: &batch)
  }

  private static func read(
    _ bytes: Span<UInt8>, at position: inout Int, origin: RecordOrigin,
    into batch: inout RecordBatch
  ) {
    var origin = origin
    origin.isDeletion = bytes[position] == 1
    position += 1
    let high = number(bytes, at: &position, byteCount: 8)
    let digest = Digest(high: high, low: number(bytes, at: &position, byteCount: 8))
    let record = batch.beginRecord()
    for slot in 0..<batch.slotCount {
      let kind = ValueSlot.Kind(rawValue: bytes[position])
      position += 1
      switch kind {
      case .absent, nil: break
      case .null: batch[record, slot] = .null
      case .related: batch[record, slot] = .related
      case .integer:
        batch[record, slot] = .integer(
          Int64(bitPattern: number(bytes, at: &position, byteCount: 8)))
      case .real:
        batch[record, slot] = .real(
          Double(bitPattern: number(bytes, at: &position, byteCount: 8)))
      case .text:
        let count = Int(number(bytes, at: &position, byteCount: 4))
        let range = batch.keep(bytes.extracting(position..<position + count))
        batch[record, slot] = .text(range)
        position += count
      }
    }
    for relation in batch.children {
      for _ in 0..<number(bytes, at: &position, byteCount: 4) {
        let origin = RecordOrigin(index: 0, byteOffset: 0)
        read(bytes, at: &position, origin: origin, into: &relation.rows)
      }
    }
    batch.accept(origin)
    batch.add(digest)
  }

  private static func append(
    _ number: UInt64, byteCount: Int, to bytes: inout GrowableBuffer<UInt8>
  ) {
    unsafe bytes.appendUnchecked(room: 8) { end in
      unsafe UnsafeMutableRawPointer(end).storeBytes(of: number.littleEndian, as: UInt64.self)
      return unsafe end + byteCount
    }
  }

  private static func number(
    _ bytes: Span<UInt8>, at position: inout Int, byteCount: Int
  ) -> UInt64 {
    precondition(position + byteCount <= bytes.count)
    defer { position += byteCount }
    return unsafe bytes.withUnsafeBytes { bytes in
      byteCount == 8
        ? unsafe UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        : UInt64(
          unsafe UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
    }
  }
}
