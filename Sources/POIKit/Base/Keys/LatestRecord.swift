internal import POIRecords

/// The latest record of an import, by timestamp and then by key: how far its source was read.
///
/// A request for newer records names its timestamp and its key, so it keeps the values of the key
/// and not an encoding of them.
struct LatestRecord: Sendable, Equatable {
  /// Microseconds since 1970 UTC.
  let timestamp: Int64

  /// The values of the key's attributes: numbers, texts and nulls.
  let key: [JSONValue]
}

extension LatestRecord {
  /// Reads the value of `json`, or returns nil if it is another value.
  init?(_ json: JSONValue) {
    guard let timestamp = json["timestamp"]?.integer, Instant.range.contains(Int64(timestamp)),
      let key = json["key"]?.elements
    else { return nil }
    self.init(timestamp: Int64(timestamp), key: key)
  }

  /// The form that a checkpoint stores.
  var json: JSONValue {
    .object(["timestamp": .number(Int(timestamp)), "key": .array(key)])
  }
}

extension LatestRecord: Comparable {
  /// In a key nulls come first, then numbers in their order, then texts in the order of their
  /// bytes.
  static func < (left: LatestRecord, right: LatestRecord) -> Bool {
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
  /// The place of the value's kind in the order of keys.
  fileprivate var keyRank: Int {
    switch self {
    case .null: 0
    case .number: 1
    default: 2
    }
  }
}
