internal import JSONStreaming
internal import POIRecords

/// How the records of a source follow one another: by timestamp, and by key where that is the same.
struct RecordOrder {
  private let timestampSlot: Int
  private let keySlots: [Int]

  /// The order of a model's records; nothing where it names no timestamp.
  init?(_ model: Model) {
    guard let slot = model.attributes.index(named: model.timestamp) else {
      return nil
    }
    timestampSlot = slot
    keySlots = model.key.compactMap { name in
      model.attributes.index(named: name)
    }
  }

  /// The last record of a batch in this order; nothing where none has a timestamp.
  ///
  /// - Complexity: O(records)
  func highest(of batch: borrowing RecordBatch) -> HighestRecord? {
    var highest: Int?
    for record in 0..<batch.recordCount where batch[record, timestampSlot].kind == .integer {
      guard let found = highest else {
        highest = record
        continue
      }
      let (time, other) = (
        batch[record, timestampSlot].integer, batch[found, timestampSlot].integer
      )
      if time > other || time == other && isKey(of: found, lessThanOf: record, in: batch) {
        highest = record
      }
    }
    return highest.map { record in
      HighestRecord(
        timestamp: batch[record, timestampSlot].integer,
        key: keySlots.map { value($0, of: record, in: batch) })
    }
  }

  private func isKey(
    of record: Int, lessThanOf other: Int, in batch: borrowing RecordBatch
  ) -> Bool {
    for slot in keySlots {
      let (left, right) = (batch[record, slot], batch[other, slot])
      let order: Int
      if let left = left.number, let right = right.number {
        order = left.compare(right)
      } else if left.kind == .text, right.kind == .text {
        order = RecordOrder.compare(
          batch.arena.span.extracting(left.textRange), batch.arena.span.extracting(right.textRange))
      } else {
        order = left.keyRank - right.keyRank
      }
      if order != 0 { return order < 0 }
    }
    return false
  }

  private static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index] ? -1 : 1
    }
    return left.count - right.count
  }

  private func value(
    _ slot: Int, of record: Int, in batch: borrowing RecordBatch
  ) -> JSONValue {
    let value = batch[record, slot]
    return switch value.kind {
    case .integer: .number(value.integer)
    case .real: .number("\(value.real)")
    case .text: .string(String(copying: batch.arena.span.extracting(value.textRange)))
    case .absent, .null, .related: .null
    }
  }
}

extension ValueSlot {
  /// How a value's kind stands among the kinds that a key has: nulls, numbers, texts.
  fileprivate var keyRank: Int {
    switch kind {
    case .integer, .real: 1
    case .text: 2
    default: 0
    }
  }
}
