internal import POIRecords
internal import SQLiteKit

/// Reads the timestamps of a column, which may be numbers or texts but not both.
///
/// A text is RFC 3339 with or without a zone, the format of SQLite's functions, or a date alone.
/// Without a zone it is in UTC. Any other text, and a blob, counts as a missing timestamp.
struct TimestampReader {
  private let column: String

  /// The first row with a number, and the first row with a text.
  private var numberRow: Int64?
  private var textRow: Int64?

  /// The number of values that are neither NULL nor a timestamp.
  private(set) var unreadableCount = 0

  /// The one of these values with the lowest row id.
  private(set) var firstUnreadable: DeduplicationPlan.UnreadableTimestamp?

  init(column: String) {
    self.column = column
  }

  /// Whether the timestamps so far are texts, and so in microseconds.
  var readsTexts: Bool { textRow != nil }

  /// The timestamp in a column of the statement's current row, or nil if it has none.
  ///
  /// - Parameters:
  ///   - place: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - rowID: the id of that row, for messages.
  /// - Throws: `StoreFailure` when the column holds both texts and numbers.
  mutating func read(
    _ place: Int, of statement: borrowing Statement, rowID: Int64
  ) throws -> RowTimestamp? {
    switch statement.columnType(place) {
    case .null:
      return nil
    case .integer:
      try found(numberRow: rowID)
      return RowTimestamp(statement.integer(place))
    case .real:
      try found(numberRow: rowID)
      return RowTimestamp(statement.real(place))
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

  private mutating func found(numberRow rowID: Int64) throws {
    guard numberRow == nil else { return }
    numberRow = rowID
    try checkKinds()
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
