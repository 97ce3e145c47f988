internal import POIRecords
internal import SQLiteKit

/// Finds the values that winners get where their losers are merged into them, one group after the
/// other.
///
/// A loser is read when its turn comes, and of a group there is never more in memory than one value
/// for each column, or its distinct elements.
///
/// The key, the timestamp, the tombstone and the identity stay the winner's, and so do references to
/// rows of its own table: the row that a loser refers to may itself be about to go. A winner that is
/// a removal stays as it is. Values with which the winner would break a rule of the model are left out.
///
/// In a table that says when each attribute was changed, what a winner gets keeps its time.
struct LoserMerge: ~Copyable {
  private let columns: [ContentColumn]
  private let tombstonePlace: Int?
  private let presencePlace: Int
  private let presenceColumns: [String]
  /// Where the timestamp stands, and behind it the times; nothing where the table keeps no times.
  private let timePlace: Int?
  private var check: FillCheck?
  private var rows: Statement

  /// The winner of the group, and its values in the order of `columns`; none where it is a removal.
  private var winner: Int64 = 0
  private var values: [MergedValue] = []

  /// The fixed columns in which the winner has a value, of those that the check asks for.
  private var presentColumns: Set<String> = []

  /// When the winner's values were set, and what it says of that.
  private var rowTime = PropertyTime.untimed
  private var times: String?

  /// How many values were left out since it was asked for last.
  private var refusedCount = 0

  /// A merge of the rows of a table.
  ///
  /// - Parameters:
  ///   - layout: the table's layout, with the rules.
  ///   - schema: the table.
  ///   - connection: the database.
  /// - Throws: `DeduplicationError` when the layout does not fit the database.
  init(
    _ layout: TableLayout, schema: TableSchema, in connection: Connection
  ) throws(DeduplicationError) {
    let references = try TableReference.all(to: schema, in: connection)
      .filter { TableSchema.isSame($0.childTable, schema.name) }
    let fixed =
      layout.keyColumns + layout.identityColumns + references.flatMap(\.childColumns)
      + [
        layout.timestampColumn, layout.tombstoneColumn, layout.model?.tombstoneAttributeColumn,
        schema.rowIDColumn,
      ].compactMap { $0 }
    let columns = layout.contentColumns.filter { column in
      !fixed.contains { TableSchema.isSame($0, column.name) }
    }
    let mergedNames = columns.map(\.name)
    let presenceColumns =
      layout.model.map { FillCheck.fixedColumns(of: $0, besides: mergedNames) } ?? []
    let timeColumns = try DeduplicationError.converting { () throws(SQLiteError) in
      try Self.timeColumns(of: layout, in: connection)
    }
    let names =
      mergedNames + (layout.tombstoneColumn.map { [$0] } ?? []) + presenceColumns
      + timeColumns
    let results: [SQL] = names.isEmpty ? ["1"] : names.map(SQL.init(name:))
    let rows = try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.prepare(
        """
        SELECT \(results.joined(separator: ", "))
        FROM main.\(name: schema.name)
        WHERE \(name: schema.rowIDName) = ?1
        """)
    }
    self.columns = columns
    tombstonePlace = layout.tombstoneColumn.map { _ in columns.count }
    presencePlace = columns.count + (layout.tombstoneColumn == nil ? 0 : 1)
    self.presenceColumns = presenceColumns
    timePlace = timeColumns.isEmpty ? nil : presencePlace + presenceColumns.count
    check = layout.model.map { FillCheck($0, columns: mergedNames) }
    self.rows = rows
  }

  /// The columns that say when the attributes of a row were changed: by the timestamp of the model, and
  /// only where the table keeps that.
  private static func timeColumns(
    of layout: TableLayout, in connection: Connection
  ) throws(SQLiteError) -> [String] {
    guard let model = layout.model, let name = model.timestamp,
      let timestamp = layout.timestampColumn, model.attribute(named: name)?.column == timestamp,
      try PropertyTimes.isKept(in: layout.table, of: connection)
    else { return [] }
    return [timestamp, PropertyTimes.column]
  }

  /// Begins a group.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func begin(_ winner: Int64) throws(SQLiteError) {
    self.winner = winner
    values.removeAll(keepingCapacity: true)
    try rows.bind(1, integer: winner)
    guard try rows.step() else { return }
    try readWinner()
    try rows.reset()
  }

  /// Takes the values of the winner, which is at hand.
  private mutating func readWinner() throws(SQLiteError) {
    if let tombstonePlace, WinnerSelection.isTombstone(tombstonePlace, of: rows) { return }
    presentColumns = []
    for (number, column) in presenceColumns.enumerated()
    where !rows.isNull(presencePlace + number) {
      presentColumns.insert(column)
    }
    let times = try readTimes()
    for (place, column) in columns.enumerated() {
      values.append(
        try MergedValue(
          column.mergeRule, own: StoredValue(place, of: rows), time: times?[column.name] ?? .never))
    }
  }

  /// When the values of the row at hand were set; nothing where the table does not keep that.
  private mutating func readTimes() throws(SQLiteError) -> PropertyTimes? {
    guard let timePlace else { return nil }
    rowTime = rows.isNull(timePlace) ? .untimed : .at(rows.integer(timePlace))
    times = rows.isNull(timePlace + 1) ? nil : rows.text(timePlace + 1)
    return try PropertyTimes(times, and: columns.map(\.name), rowTime: rowTime)
  }

  /// Merges a loser of the group; they come in the order of their places.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func add(_ loser: GroupLoser) throws(SQLiteError) {
    guard values.contains(where: { $0.isOpen(at: loser.place) }) else { return }
    try rows.bind(1, integer: loser.loser)
    guard try rows.step() else { return }
    let (winnerTime, winnerTimes) = (rowTime, times)
    let times = try readTimes()
    (rowTime, self.times) = (winnerTime, winnerTimes)
    for place in values.indices where values[place].isOpen(at: loser.place) {
      guard let value = StoredValue(place, of: rows) else { continue }
      try values[place].merge(
        value, of: loser, time: times?[columns[place].name] ?? .never)
    }
    try rows.reset()
  }

  /// What the winner of the group gets after the last loser; nil where it has all already.
  ///
  /// - Throws: `SQLiteError` when there is no memory to look at the values.
  mutating func finish() throws(SQLiteError) -> RowFill? {
    if !values.isEmpty {
      refusedCount += try check?.leaveOut(from: &values, presentColumns: presentColumns) ?? 0
    }
    let changes = zip(columns, values).compactMap { column, value in
      value.change.map { (column: column.name, value: $0) }
    }
    return changes.isEmpty
      ? nil : RowFill(row: winner, values: changes, times: try changedTimes(changes.map(\.column)))
  }

  /// What the winner says of its times when some of its columns have changed; nil where that stays.
  private func changedTimes(_ changed: [String]) throws(SQLiteError) -> String? {
    guard timePlace != nil else { return nil }
    var all = try PropertyTimes(times, and: changed, rowTime: rowTime)
    for (column, value) in zip(columns, values) where changed.contains(column.name) {
      all[column.name] = value.time
    }
    let text = all.text(rowTime: rowTime)
    return text == times ? nil : text ?? "{}"
  }

  /// How many values were left out since this was asked for last.
  mutating func takeRefusedCount() -> Int {
    defer { refusedCount = 0 }
    return refusedCount
  }
}
