internal import POIRecords
internal import SQLiteKit

/// Reads timestamps of any of the kinds that a column may hold, and sees that it holds one kind.
///
/// A text is read as RFC 3339 with or without a zone, as SQLite's functions write it, or as a date
/// alone; without a zone UTC is meant. A text that is none of these, and a blob, count as a missing
/// timestamp.
struct TimestampReader {
  private let column: String

  /// The first row found with a number, and with a text.
  private var numberRow: Int64?
  private var textRow: Int64?

  /// How many values were neither null nor a timestamp.
  private(set) var unreadableCount = 0

  /// That of them in the row of the lowest id.
  private(set) var firstUnreadable: DeduplicationPlan.UnreadableTimestamp?

  /// A reader of the column called `column`.
  init(column: String) {
    self.column = column
  }

  /// Whether the timestamps read so far were texts, so that they are in microseconds.
  var readsTexts: Bool { textRow != nil }

  /// The timestamp in a column of the statement's current row, or nil if it has none.
  ///
  /// - Parameters:
  ///   - place: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - rowID: the id of that row, for the message.
  /// - Throws: `DeduplicationError` when the column holds both texts and numbers.
  mutating func read(
    _ place: Int, of statement: borrowing Statement, rowID: Int64
  ) throws(DeduplicationError) -> RowTimestamp? {
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
      guard let instant = Instant(rfc3339: text, defaultOffsetMinutes: 0) ?? Instant(date: text)
      else {
        found(unreadable: JSONText.quoted(String.excerpt(of: text)), rowID)
        return nil
      }
      return RowTimestamp(instant.microseconds)
    case .blob:
      found(unreadable: "a blob", rowID)
      return nil
    }
  }

  /// - Parameter value: what the column holds, computed where it is to be kept.
  private mutating func found(unreadable value: @autoclosure () -> String, _ rowID: Int64) {
    unreadableCount += 1
    guard firstUnreadable.map({ rowID < $0.row }) ?? true else { return }
    firstUnreadable = DeduplicationPlan.UnreadableTimestamp(row: rowID, value: value())
  }

  private mutating func found(numberRow rowID: Int64) throws(DeduplicationError) {
    guard numberRow == nil else { return }
    numberRow = rowID
    try checkKinds()
  }

  private func checkKinds() throws(DeduplicationError) {
    guard let numberRow, let textRow else { return }
    throw DeduplicationError(
      .mixedTimestamps,
      """
      the timestamp column '\(column)' holds a number in row \(numberRow) and a text in row \
      \(textRow): make them one kind, so that they can be compared
      """)
  }
}
