internal import SQLiteKit

/// The times of marks, in tables whose rows say when each of their attributes was changed.
extension RowRemoval {
  private static var times: SQL { SQL(name: PropertyTimes.column) }

  /// Makes the time of a mark in the listed rows the timestamp of its row, so that no older record
  /// takes it away, and keeps what the rows said of their times for a run to be undone.
  func dateMark(
    _ column: String, under run: Int64, in connection: Connection
  ) throws(SQLiteError) {
    guard try PropertyTimes.isKept(in: schema.name, of: connection) else { return }
    let times = RowRemoval.times
    var rows = try connection.prepare(
      """
      SELECT g.row, t.\(times) FROM \(RowRemoval.list) AS g
      CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row WHERE t.\(times) IS NOT NULL
      """)
    var remembering = try connection.prepare(
      """
      INSERT INTO main.poikit_moved (run, table_name, row_id, column_name, old_value)
      VALUES (\(run), \(literal: schema.name), ?1, \(literal: PropertyTimes.column), ?2)
      """)
    var update = try connection.prepare(
      "UPDATE \(quotedTable) SET \(times) = ?2 WHERE \(rowID) = ?1")
    while try rows.step() {
      let former = rows.text(1)
      let text = try PropertyTimes.text(settingTimeOf: column, in: former, from: nil)
      guard text != former else { continue }
      try remembering.bind(1, integer: rows.integer(0))
      try remembering.bind(2, text: former)
      try remembering.run()
      try update.bind(1, integer: rows.integer(0))
      try update.bind(2, text: text)
      try update.run()
    }
  }

  /// The column that a run marked rows in, where the rows say when each of their attributes was
  /// changed.
  static func datedMark(
    of run: UndoableRun, in connection: Connection
  ) throws(SQLiteError) -> String? {
    guard try PropertyTimes.isKept(in: run.table, of: connection) else { return nil }
    return try connection.text(
      """
      SELECT column_name FROM main.poikit_moved
      WHERE run = \(run.id) AND column_name <> \(literal: PropertyTimes.column)
        AND old_value IS NOT new_value LIMIT 1
      """)
  }

  /// The rows whose mark is not of the time any more that the run gave it: that of their timestamps
  /// then.
  static func redatedRows(
    of run: UndoableRun, mark: String, in connection: Connection
  ) throws(SQLiteError) -> [Int64] {
    let timestamp = try connection.text(
      """
      SELECT column_name FROM main.poikit_moved
      WHERE run = \(run.id)
        AND column_name NOT IN (\(literal: PropertyTimes.column), \(literal: mark)) LIMIT 1
      """)
    guard let timestamp else { return [] }
    var found: [Int64] = []
    var rows = try connection.prepare(
      """
      SELECT m.row_id, m.old_value, t.\(times), t.\(name: timestamp)
      FROM (
        SELECT row_id, old_value FROM main.poikit_moved
        WHERE run = \(run.id) AND column_name = \(literal: timestamp)) AS m
      CROSS JOIN main.\(name: run.table) AS t ON t.\(StoreSchema.idColumn) = m.row_id
      """)
    while try rows.step() {
      let former = rows.isNull(1) ? PropertyTime.untimed : .at(rows.integer(1))
      let rowTime = rows.isNull(3) ? PropertyTime.untimed : .at(rows.integer(3))
      let text = rows.isNull(2) ? nil : rows.text(2)
      let times = try PropertyTimes(text, and: [mark], rowTime: rowTime)
      if times[mark] != former { found.append(rows.integer(0)) }
    }
    return found
  }

  /// Fits the times that are kept of marked rows to what was changed since, before a run is undone:
  /// the time of the mark goes back, the others stay.
  static func fitTimes(
    to run: UndoableRun, in connection: Connection
  ) throws(SQLiteError) {
    guard let column = try datedMark(of: run, in: connection) else { return }
    var rows = try connection.prepare(
      """
      SELECT m.rowid, m.old_value, t.\(times)
      FROM (
        SELECT rowid, row_id, old_value FROM main.poikit_moved
        WHERE run = \(run.id) AND column_name = \(literal: PropertyTimes.column)) AS m
      CROSS JOIN main.\(name: run.table) AS t ON t.\(StoreSchema.idColumn) = m.row_id
      """)
    var update = try connection.prepare(
      "UPDATE main.poikit_moved SET old_value = ?2 WHERE rowid = ?1")
    while try rows.step() {
      let former = rows.text(1)
      let text = rows.isNull(2) ? nil : rows.text(2)
      // What nothing changed since comes back as it was.
      guard try text != PropertyTimes.text(settingTimeOf: column, in: former, from: nil) else {
        continue
      }
      try update.bind(1, integer: rows.integer(0))
      try update.bind(
        2, text: PropertyTimes.text(settingTimeOf: column, in: text, from: former))
      try update.run()
    }
  }
}
