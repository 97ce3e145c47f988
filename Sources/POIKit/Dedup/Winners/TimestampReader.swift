internal import POIRecords
internal import POISQLite

/// Reads the timestamps of a column, which may be numbers or texts but not both.
///
/// A text is read as `Instant(timestamp:)` does, without a zone in UTC. Any other text, and a blob, counts as a missing
/// timestamp.
struct TimestampReader {
  private let column: String

  /// Whether the numbers are known to be microseconds.
  private let hasUnit: Bool

  /// The unit of the first number that can be an instant of our time, with that number and its row.
  private var unit: (unit: EpochUnit, number: String, rowID: Int64)?

  /// The first row with a number, and the first row with a text.
  private var numberRow: Int64?
  private var textRow: Int64?

  /// The number of values that are neither NULL nor a timestamp.
  private(set) var unreadableCount = 0

  /// The one of these values with the lowest row id.
  private(set) var firstUnreadable: DeduplicationPlan.UnreadableTimestamp?

  init(column: String, hasUnit: Bool) {
    self.column = column
    self.hasUnit = hasUnit
  }

  /// Whether the timestamps so far are texts, and so in microseconds.
  var readsTexts: Bool { textRow != nil }

  /// The timestamp in a column of the statement's current row, or nil if it has none.
  ///
  /// - Parameters:
  ///   - place: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - rowID: the id of that row, for messages.
  /// - Throws: `StoreFailure` when the column holds both texts and numbers, or numbers of two units.
  mutating func read(
    _ place: Int, of statement: borrowing Statement, rowID: Int64
  ) throws -> RowTimestamp? {
    switch statement.columnType(place) {
    case .null:
      return nil
    case .integer:
      let integer = statement.integer(place)
      try found(Double(integer), written: "\(integer)", rowID)
      return RowTimestamp(integer)
    case .real:
      let real = statement.real(place)
      try found(real, written: "\(real)", rowID)
      return RowTimestamp(real)
    case .text:
      if textRow == nil {
        textRow = rowID
        try checkKinds()
      }
      let text = statement.bytes(place)
      guard let instant = Instant(timestamp: text) else {
        found(unreadable: JSONText.quoted(String.excerpt(of: text)), rowID)
        return nil
      }
      return RowTimestamp(instant.microseconds)
    case .blob:
      found(unreadable: "a blob", rowID)
      return nil
    }
  }

  /// - Parameter value: the value of the column, computed only if it is kept.
  private mutating func found(unreadable value: @autoclosure () -> String, _ rowID: Int64) {
    unreadableCount += 1
    guard firstUnreadable.map({ rowID < $0.row }) ?? true else { return }
    firstUnreadable = DeduplicationPlan.UnreadableTimestamp(row: rowID, value: value())
  }

  private mutating func found(
    _ number: Double, written text: @autoclosure () -> String, _ rowID: Int64
  ) throws {
    if numberRow == nil {
      numberRow = rowID
      try checkKinds()
    }
    guard !hasUnit, let next = EpochUnit(of: number) else { return }
    guard let unit else {
      self.unit = (next, text(), rowID)
      return
    }
    guard unit.unit != next else { return }
    throw StoreFailure(
      .mixedTimestamps,
      """
      the timestamp column '\(column)' holds \(unit.unit.rawValue), \(unit.number) in row \(unit.rowID), and \
      \(next.rawValue), \(text()) in row \(rowID): make them one unit, so that they can be compared
      """)
  }

  private func checkKinds() throws {
    guard let numberRow, let textRow else { return }
    throw StoreFailure(
      .mixedTimestamps,
      """
      the timestamp column '\(column)' holds a number in row \(numberRow) and a text in row \
      \(textRow): make them one kind, so that they can be compared
      """)
  }
}
