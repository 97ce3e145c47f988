internal import POIRecords

/// The record of an import that was changed last, by timestamp and then by key: how far its source
/// was read.
struct HighestRecord: Sendable, Equatable {
  /// The timestamp, in microseconds since 1970.
  let timestamp: Int64

  /// The values of the key's attributes: numbers, texts and nulls.
  let key: [JSONValue]

  init(timestamp: Int64, key: [JSONValue]) {
    self.timestamp = timestamp
    self.key = key
  }

  /// Reads what `json` wrote; nothing where it did not.
  init?(_ json: JSONValue) {
    guard let timestamp = json["timestamp"]?.integer, Instant.range.contains(Int64(timestamp)),
      let key = json["key"]?.elements
    else { return nil }
    self.init(timestamp: Int64(timestamp), key: key)
  }

  /// The record as a checkpoint keeps it.
  var json: JSONValue {
    .object(["timestamp": .number(Int(timestamp)), "key": .array(key)])
  }
}

extension HighestRecord: Comparable {
  /// Numbers of a key come in their order, texts in that of their bytes, behind numbers.
  static func < (left: HighestRecord, right: HighestRecord) -> Bool {
    guard left.timestamp == right.timestamp else { return left.timestamp < right.timestamp }
    for (left, right) in zip(left.key, right.key) {
      switch (left, right) {
      case (.number(let left), .number(let right)):
        guard let left = NumberText.number(left), let right = NumberText.number(right) else {
          continue
        }
        let order = left.compare(right)
        if order != 0 { return order < 0 }
      case (.string(let left), .string(let right)):
        guard left.utf8.elementsEqual(right.utf8) else {
          return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
      default:
        guard left.keyRank == right.keyRank else { return left.keyRank < right.keyRank }
      }
    }
    return false
  }
}

extension JSONValue {
  /// How a value's kind stands among the kinds that a key has.
  fileprivate var keyRank: Int {
    switch self {
    case .null: 0
    case .number: 1
    default: 2
    }
  }
}
