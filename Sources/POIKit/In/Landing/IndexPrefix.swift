internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// The first 128 bits of a key in the order of the SQLite index that enforces it.
///
/// Landed records are sorted by it and merged with one pass over the index. Equal keys have equal
/// prefixes; different keys may have the same prefix. Unlike `SortKey` it keeps the order of the
/// values, and so it cannot tell long texts apart by their ends.
///
/// It does not always give the order of the index: not for texts and numbers in one column, and not
/// for keys with related rows. Then merging is slower, but correct.
struct IndexPrefix: BitwiseCopyable, Comparable {
  let high: UInt64
  let low: UInt64

  static func < (left: IndexPrefix, right: IndexPrefix) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }
}

extension IndexPrefix {
  /// The prefix of the key in the first `columnCount` columns of a statement's current row.
  init(columnCount: Int, of statement: borrowing Statement) {
    let first = IndexPrefix.words(0, of: statement)
    let low = columnCount > 1 ? IndexPrefix.words(1, of: statement).0 : first.1
    self.init(high: first.0, low: low)
  }

  /// The prefix of a record's key; nil if a part of the key is null.
  ///
  /// - Parameter canonicalKey: memory to compute the hash of a key that is enforced by its hash.
  init?(
    _ key: EnforcedKey, of record: Int, in batch: borrowing RecordBatch,
    hashedBy canonicalKey: inout CanonicalKey
  ) {
    for slot in key.slots where batch[record, slot].isNull { return nil }
    if key.slots.contains(where: { batch[record, $0].kind == .related }) {
      // The row ids of related rows are not known yet.
      self.init(high: 0, low: 0)
    } else if key.isHashed {
      _ = canonicalKey.read(key, of: record, in: batch, relatedRowID: { _ in nil })
      let hash = canonicalKey.hash.digest
      // The first bytes of the hash column are the least significant ones.
      self.init(high: hash.low.byteSwapped, low: hash.high.byteSwapped)
    } else {
      let first = IndexPrefix.words(of: batch[record, key.slots[0]], in: batch)
      let low =
        key.slots.count > 1
        ? IndexPrefix.words(of: batch[record, key.slots[1]], in: batch).0 : first.1
      self.init(high: first.0, low: low)
    }
  }

  private static func words(
    of value: ValueSlot, in batch: borrowing RecordBatch
  ) -> (UInt64, UInt64) {
    switch value.kind {
    case .absent, .null, .related: (0, 0)
    case .integer: words(RowTimestamp(value.integer))
    case .real: words(RowTimestamp(value.real))
    case .text: words(batch.arena.span.extracting(value.textRange))
    }
  }

  private static func words(_ column: Int, of statement: borrowing Statement) -> (UInt64, UInt64) {
    switch statement.value(column) {
    case .integer(let integer): words(RowTimestamp(integer))
    case .real(let real): words(RowTimestamp(real))
    case .text(let bytes), .blob(let bytes): words(bytes)
    case .null: (0, 0)
    }
  }

  /// Numbers have the order of timestamps.
  private static func words(_ number: RowTimestamp) -> (UInt64, UInt64) {
    (UInt64(bitPattern: number.whole) ^ 1 << 63, number.fraction)
  }

  private static func words(_ bytes: Span<UInt8>) -> (UInt64, UInt64) {
    (word(bytes, from: 0), word(bytes, from: 8))
  }

  private static func word(_ bytes: Span<UInt8>, from start: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<8 {
      word <<= 8
      if start + offset < bytes.count { word |= UInt64(bytes[start + offset]) }
    }
    return word
  }
}
