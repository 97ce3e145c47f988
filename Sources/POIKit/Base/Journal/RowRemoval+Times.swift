internal import POISQLite

/// The times of marks, in tables that keep the time of each attribute.
extension RowRemoval {
  /// Sets the time of a mark in the listed rows to the row's timestamp, so that no older record
  /// removes the mark. The journal keeps the old times for undo.
  func setMarkTime(
    of column: String, under run: Int64, in connection: Connection
  ) throws {
    guard try PropertyTimes.isKept(in: schema.name, of: connection) else { return }
    let times = SQL(name: PropertyTimes.column)
    var rows = try connection.prepare(
      """
      SELECT g.row, t.\(times) FROM \(RowRemoval.listTable) AS g
      CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row WHERE t.\(times) IS NOT NULL
      """)
    var remembering = try connection.prepare(
      """
      \(Journal.insertion)
      VALUES (\(run), \(literal: schema.name), ?1, \(literal: PropertyTimes.column),
        \(literal: Journal.Kind.companion.rawValue), ?2, ?3)
      """)
    var update = try connection.prepare(
      "UPDATE \(quotedTable) SET \(times) = ?2 WHERE \(rowID) = ?1")
    while try rows.step() {
      let former = rows.text(1)
      let text = PropertyTimes.text(settingTimeOf: column, in: former, from: nil)
      guard text != former else { continue }
      try remembering.bind(1, integer: rows.integer(0))
      try remembering.bind(2, text: former)
      try remembering.bind(3, text: text)
      try remembering.run()
      try update.bind(1, integer: rows.integer(0))
      try update.bind(2, text: text)
      try update.run()
    }
  }
}
