internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// The format of a decoded record in a landing table:
///
/// 1. the numbers of its origin: input, index, byte, line, column;
/// 2. its raw bytes;
/// 3. a byte: 1 if the name of its member is kept, which follows, else 0;
/// 4. a byte: 1 if it is a removal that becomes no row, else 0;
/// 5. its digest;
/// 6. for each slot its kind in a byte, with the upper bit set for a default, and its value;
/// 7. for each relation to many the number of its rows, and of each row the parts from 4 on.
///
/// Integers, reals and the halves of digests have 8 bytes, little-endian. Other numbers have 7 bits
/// in each byte, the least significant first, with the upper bit set if more follow. A text, and
/// raw bytes, are a length and the bytes.
enum LandedRecord {
  /// The bit that marks the kind of a default.
  private static let defaultBit: UInt8 = 0x80

  /// Appends a record of a batch.
  ///
  /// - Parameter input: the 0-based number of its input.
  static func append(
    record: Int, of batch: borrowing RecordBatch, input: Int,
    to bytes: inout GrowableBuffer<UInt8>
  ) {
    let origin = batch.origins[record]
    append(count: input, to: &bytes)
    append(count: origin.index, to: &bytes)
    append(count: origin.byteOffset, to: &bytes)
    append(count: origin.line, to: &bytes)
    append(count: origin.column, to: &bytes)
    append(count: origin.raw.count, to: &bytes)
    bytes.append(bytes: batch.arena.span.extracting(origin.raw))
    if let member = origin.member {
      bytes.append(1)
      append(count: member.count, to: &bytes)
      bytes.append(bytes: batch.arena.span.extracting(member))
    } else {
      bytes.append(0)
    }
    append(record: record, of: batch, to: &bytes)
  }

  private static func append(
    record: Int, of batch: borrowing RecordBatch, to bytes: inout GrowableBuffer<UInt8>
  ) {
    bytes.append(batch.origins[record].isDeletion ? 1 : 0)
    let digest = batch.digest(of: record)
    append(digest.high, to: &bytes)
    append(digest.low, to: &bytes)
    for slot in 0..<batch.slotCount {
      let value = batch[record, slot]
      bytes.append(value.kind.rawValue | (value.isDefault ? defaultBit : 0))
      switch value.kind {
      case .absent, .null, .related: break
      case .integer: append(UInt64(bitPattern: value.integer), to: &bytes)
      case .real: append(value.real.bitPattern, to: &bytes)
      case .text:
        append(count: value.textCount, to: &bytes)
        bytes.append(bytes: batch.arena.span.extracting(value.textRange))
      }
    }
    for relation in batch.children {
      let rows = relation.rows(ofParent: record)
      append(count: rows.count, to: &bytes)
      for row in rows { append(record: row, of: relation.rows, to: &bytes) }
    }
  }

  /// Reads a record and appends it to a batch.
  ///
  /// - Parameter inputCount: the number of inputs.
  /// - Throws: `SQLiteError` when the bytes are not a landed record; then the batch must not be
  ///   used.
  static func read(_ bytes: Span<UInt8>, inputCount: Int, into batch: inout RecordBatch) throws {
    var position = 0
    let input = try count(bytes, at: &position)
    guard input < inputCount else { throw LandingTable.damage }
    let index = try count(bytes, at: &position)
    var origin = RecordOrigin(index: index, byteOffset: try count(bytes, at: &position))
    origin.inputIndex = input
    origin.line = try count(bytes, at: &position)
    origin.column = try count(bytes, at: &position)
    origin.raw = try text(bytes, at: &position, keptIn: &batch)
    if try byte(bytes, at: &position) == 1 {
      origin.member = try text(bytes, at: &position, keptIn: &batch)
    }
    try read(bytes, at: &position, origin: origin, into: &batch)
    guard position == bytes.count else { throw LandingTable.damage }
  }

  private static func read(
    _ bytes: Span<UInt8>, at position: inout Int, origin: RecordOrigin,
    into batch: inout RecordBatch
  ) throws {
    var origin = origin
    origin.isDeletion = try byte(bytes, at: &position) == 1
    let high = try number(bytes, at: &position)
    let digest = Digest(high: high, low: try number(bytes, at: &position))
    let record = batch.beginRecord()
    for slot in 0..<batch.slotCount {
      let kind = try byte(bytes, at: &position)
      switch ValueSlot.Kind(rawValue: kind & ~defaultBit) {
      case .absent: break
      case .null: batch[record, slot] = .null
      case .related: batch[record, slot] = .related
      case .integer:
        batch[record, slot] = .integer(Int64(bitPattern: try number(bytes, at: &position)))
      case .real:
        let real = Double(bitPattern: try number(bytes, at: &position))
        guard !real.isNaN else { throw LandingTable.damage }
        batch[record, slot] = .real(real)
      case .text:
        batch[record, slot] = .text(try text(bytes, at: &position, keptIn: &batch))
      case nil: throw LandingTable.damage
      }
      if kind & defaultBit != 0 { batch[record, slot] = batch[record, slot].asDefault }
    }
    for relation in batch.children {
      for _ in 0..<(try count(bytes, at: &position)) {
        let origin = RecordOrigin(index: 0, byteOffset: 0)
        try read(bytes, at: &position, origin: origin, into: &relation.rows)
      }
    }
    batch.accept(origin)
    batch.addDigestOfLastRecord(digest)
  }

  /// Appends a number in 8 bytes.
  static func append(_ number: UInt64, to bytes: inout GrowableBuffer<UInt8>) {
    unsafe bytes.appendUnchecked(room: 8) { end in
      unsafe UnsafeMutableRawPointer(end).storeBytes(of: number.littleEndian, as: UInt64.self)
      return unsafe end + 8
    }
  }

  /// Reads a number of 8 bytes.
  ///
  /// - Throws: `SQLiteError` when there are fewer.
  static func number(_ bytes: Span<UInt8>, at position: inout Int) throws -> UInt64 {
    guard bytes.count - position >= 8 else { throw LandingTable.damage }
    defer { position += 8 }
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
  }

  private static func append(count: Int, to bytes: inout GrowableBuffer<UInt8>) {
    var rest = UInt64(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads a number with 7 bits in each byte. It has at most 8 bytes, so that sums cannot overflow.
  private static func count(_ bytes: Span<UInt8>, at position: inout Int) throws -> Int {
    var count = 0
    var shift = 0
    while shift < 8 * 7 {
      let byte = try byte(bytes, at: &position)
      count |= Int(byte & 0x7F) &<< shift
      if byte < 0x80 { return count }
      shift += 7
    }
    throw LandingTable.damage
  }

  private static func byte(_ bytes: Span<UInt8>, at position: inout Int) throws -> UInt8 {
    guard position < bytes.count else { throw LandingTable.damage }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a text, or raw bytes.
  ///
  /// - Returns: its range in the arena of the batch.
  private static func text(
    _ bytes: Span<UInt8>, at position: inout Int, keptIn batch: inout RecordBatch
  ) throws -> Range<Int> {
    let count = try count(bytes, at: &position)
    guard count <= bytes.count - position else { throw LandingTable.damage }
    defer { position += count }
    return batch.copyToArena(bytes.extracting(position..<position + count))
  }
}

/// The stored row that a record probably matches, before it is searched.
enum MergeTarget {
  case unknown
  /// Probably one of the next rows.
  case next
  /// Probably the row with this id.
  case row(Int64)
  /// Probably no row.
  case none
}
