internal import JSONStreaming
internal import POIRecords
internal import SQLiteKit

/// The beginning of a key, as the entries of the index that enforces it are ordered: keys whose
/// prefixes differ stand in the order of these.
///
/// Equal keys have equal prefixes; different keys may have too. It is what landed records are sorted
/// by, so where it does not say the order of the index (texts and numbers in one column, keys with
/// related rows), merging is slower and nothing else.
struct KeyPrefix: BitwiseCopyable, Comparable {
  private(set) var high: UInt64 = 0
  private(set) var low: UInt64 = 0

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  static func < (left: KeyPrefix, right: KeyPrefix) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }

  /// The prefix of the key that `columnCount` columns of a statement's current row hold, from the
  /// first on.
  init(columnCount: Int, of statement: borrowing Statement) {
    high = KeyPrefix.words(0, of: statement).0
    low =
      columnCount > 1 ? KeyPrefix.words(1, of: statement).0 : KeyPrefix.words(0, of: statement).1
  }

  /// The prefix of a record's key; nothing where a part of it is null.
  init?(
    _ key: EnforcedKey, of record: Int, in batch: borrowing RecordBatch,
    hashedBy compactKey: inout CompactKey?
  ) {
    for slot in key.slots where batch[record, slot].isNull { return nil }
    // The row ids of related rows are not known yet.
    if key.slots.contains(where: { batch[record, $0].kind == .related }) { return }
    if let hash = compactKey?.digest(record: record, of: batch, relatedRowID: { _ in nil }) {
      (high, low) = (hash.low.byteSwapped, hash.high.byteSwapped)
      return
    }
    let first = KeyPrefix.words(of: batch[record, key.slots[0]], in: batch)
    high = first.0
    low =
      key.slots.count > 1 ? KeyPrefix.words(of: batch[record, key.slots[1]], in: batch).0 : first.1
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

  private static func words(
    _ column: Int, of statement: borrowing Statement
  ) -> (UInt64, UInt64) {
    switch statement.value(column) {
    case .integer(let integer): words(RowTimestamp(integer))
    case .real(let real): words(RowTimestamp(real))
    case .text(let bytes), .blob(let bytes): words(bytes)
    case .null: (0, 0)
    }
  }

  /// Numbers order as timestamps do.
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
