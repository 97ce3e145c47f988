internal import POIRecords
internal import POISQLite

/// The times that local changes get, in SQL.
struct ChangeClock {
  /// The column of the timestamp.
  let column: String

  /// The least difference between two times of the records, in microseconds.
  private let unit: Int64

  /// The clock of a model; nil if its timestamp is no instant, or a part of the key.
  init?(_ model: Model) {
    guard let attribute = model.timestamp.flatMap(model.attribute(named:)),
      !model.key.containsExactly(attribute.name), case .instant(let notation) = attribute.storage
    else { return nil }
    column = attribute.column
    unit = notation.unit
  }

  /// The clock's time, but later than another time, which may be NULL.
  func time(after other: SQL) -> SQL {
    "max(\(now), coalesce(\(next(after: other)), \(now)))"
  }

  /// The next time after another one, which may be NULL.
  func next(after other: SQL) -> SQL { "(\(other) / \(unit) + 1) * \(unit)" }

  /// The clock's time in microseconds since 1970, in whole milliseconds or units of the records.
  private var now: SQL {
    let milliseconds: SQL = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"
    return unit <= 1_000 ? milliseconds : "(\(milliseconds)) / \(unit) * \(unit)"
  }
}
