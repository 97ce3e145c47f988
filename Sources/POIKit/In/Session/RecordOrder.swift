internal import JSONStreaming
internal import POIRecords

/// The order of the records of a source: by timestamp, then by key.
///
/// It compares records of a batch in place, as `LatestRecord` compares stored values.
struct RecordOrder {
  private let timestampSlot: Int
  private let keySlots: [Int]

  /// The order of a model's records, or nil if the model has no timestamp.
  init?(_ model: Model) {
    guard let slot = model.attributes.index(named: model.timestamp) else {
      return nil
    }
    timestampSlot = slot
    keySlots = model.key.compactMap { name in
      model.attributes.index(named: name)
    }
  }

  /// The latest record of a batch, or nil if no record has a timestamp.
  ///
  /// - Complexity: O(records)
  func latest(of batch: borrowing RecordBatch) -> LatestRecord? {
    var latest: (record: Int, time: Int64)?
    for record in 0..<batch.recordCount {
      guard let time = batch.timestamp(of: record, slot: timestampSlot) else { continue }
      if let found = latest {
        guard
          time > found.time
            || time == found.time && isKey(of: found.record, lessThanOf: record, in: batch)
        else { continue }
      }
      latest = (record, time)
    }
    return latest.map { (record, time) in
      LatestRecord(timestamp: time, key: keySlots.map { value($0, of: record, in: batch) })
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

  private func value(_ slot: Int, of record: Int, in batch: borrowing RecordBatch) -> JSONValue {
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
  /// The place of the value's kind in the order of keys: nulls, numbers, texts.
  fileprivate var keyRank: Int {
    switch kind {
    case .integer, .real: 1
    case .text: 2
    default: 0
    }
  }
}
