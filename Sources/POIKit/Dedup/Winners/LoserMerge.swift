internal import POIRecords
internal import POISQLite

/// Merges the values of losers into their winners, one group after the other.
///
/// Each loser is read at most once. For a group the memory holds one value for each column, or its
/// distinct elements.
///
/// These values of a winner do not change:
///
/// - key, timestamp, tombstone and identity;
/// - references to rows of its own table, because the row that a loser refers to may be a loser
///   too;
/// - all values of a winner that is a removal.
///
/// A value that breaks a rule of the model is left out. If the table keeps the time of each
/// attribute, a merged value keeps its time.
struct LoserMerge: ~Copyable {
  private let columns: [(name: String, mergeRule: MergeRule)]
  private let tombstonePlace: Int?
  private let presencePlace: Int
  private let presenceColumns: [String]

  /// The index of the timestamp in the times; nil if the table keeps no times.
  private let timePlace: Int?
  private var check: FillCheck?
  private var rows: Statement

  /// The winner of the group, nil between two groups; and its values in the order of `columns`, empty if it
  /// is a removal.
  private var winner: Int64?
  private var values: [MergedValue] = []

  private var presentColumns: Set<String> = []

  /// Merges the unmapped members; nil if the model keeps none.
  private var members: LoserMembers?

  /// The timestamp of the winner, and the stored times of its values.
  private var rowTime = PropertyTime.untimed
  private var times: String?

  /// The number of values left out since the last `resetRefusedCount`.
  private var refusedCount = 0

  init(_ layout: TableLayout, schema: TableSchema) throws {
    let references = try TableReference.all(to: schema)
      .filter { TableSchema.isSame($0.childTable, schema.name) }
    let fixed =
      layout.keyColumns + layout.identityColumns + references.flatMap(\.childColumns)
      + [
        layout.timestampColumn, layout.tombstoneColumn, layout.model.tombstoneAttributeColumn,
        schema.rowIDColumn,
      ].compactMap { $0 }
    let columns = layout.content.columns.filter { !TableSchema.contains(fixed, $0) }.map { name in
      let attribute = layout.content.attributes.first { $0.column.isExactly(name) }
      return (name: name, mergeRule: attribute?.mergeRule ?? .newest)
    }
    let mergedNames = columns.map(\.name)
    let presenceColumns =
      layout.ownModel.map { FillCheck.fixedColumns(of: $0, besides: mergedNames) } ?? []
    let timeColumns = try Self.timeColumns(of: layout, in: schema.connection)
    let names =
      mergedNames + (layout.tombstoneColumn.map { [$0] } ?? []) + presenceColumns
      + timeColumns
    let results: [SQL] = names.isEmpty ? ["1"] : names.map(SQL.init(name:))
    let rows = try schema.connection.prepare(
      """
      SELECT \(results.joined(separator: ", "))
      FROM main.\(name: schema.name)
      WHERE \(name: schema.rowIDName) = ?1
      """)
    self.columns = columns
    tombstonePlace = layout.tombstoneColumn.map { _ in columns.count }
    presencePlace = columns.count + (layout.tombstoneColumn == nil ? 0 : 1)
    self.presenceColumns = presenceColumns
    timePlace = timeColumns.isEmpty ? nil : presencePlace + presenceColumns.count
    check = layout.ownModel.map { FillCheck($0, columns: mergedNames) }
    self.rows = rows
    members = layout.ownModel.flatMap { LoserMembers($0, columns: mergedNames) }
  }

  /// The columns with the times of a row's attributes; empty if the table does not keep them, or
  /// the timestamp is not the timestamp of the model.
  private static func timeColumns(
    of layout: TableLayout, in connection: Connection
  ) throws -> [String] {
    guard let model = layout.ownModel, let name = model.timestamp,
      let timestamp = layout.timestampColumn, model.attribute(named: name)?.column == timestamp,
      try PropertyTimes.isKept(in: layout.table, of: connection)
    else { return [] }
    return [timestamp, PropertyTimes.column]
  }

  private mutating func begin(_ winner: Int64) throws {
    self.winner = winner
    values.removeAll(keepingCapacity: true)
    try rows.bind(1, integer: winner)
    guard try rows.step() else { return }
    try readWinner()
    try rows.reset()
  }

  private mutating func readWinner() throws {
    if let tombstonePlace, WinnerSelection.isTombstone(tombstonePlace, of: rows) { return }
    members?.begin(rows)
    presentColumns = []
    for (number, column) in presenceColumns.enumerated()
    where !rows.isNull(presencePlace + number) {
      presentColumns.insert(column)
    }
    let times = readTimes()
    for (place, column) in columns.enumerated() {
      values.append(
        MergedValue(
          column.mergeRule, own: StoredValue(place, of: rows), time: times?[column.name] ?? .never))
    }
  }

  /// Reads the times of the values in the current row; nil if the table does not keep them.
  private mutating func readTimes() -> PropertyTimes? {
    guard let timePlace else { return nil }
    rowTime =
      switch rows.value(timePlace) {
      case .integer(let integer): .at(integer)
      case .text(let text): Instant(timestamp: text).map { .at($0.microseconds) } ?? .untimed
      case .null, .real, .blob: .untimed
      }
    times = rows.isNull(timePlace + 1) ? nil : rows.text(timePlace + 1)
    return PropertyTimes(
      times, and: columns.map(\.name), unmapped: members?.column, rowTime: rowTime)
  }

  /// Merges a loser into its winner. The losers of a group are added in the order of their places.
  mutating func add(_ loser: GroupLoserEntry) throws {
    if winner != loser.winner { try begin(loser.winner) }
    guard !values.isEmpty,
      members != nil || values.contains(where: { $0.isOpen(at: loser.place) })
    else { return }
    try rows.bind(1, integer: loser.loser)
    guard try rows.step() else { return }
    let (winnerTime, winnerTimes) = (rowTime, times)
    let times = readTimes()
    (rowTime, self.times) = (winnerTime, winnerTimes)
    members?.merge(rows, of: loser, times: times)
    for place in values.indices
    where values[place].isOpen(at: loser.place) && members?.isFixed(place) != true {
      guard let value = StoredValue(place, of: rows) else { continue }
      values[place].merge(value, of: loser, time: times?[columns[place].name] ?? .never)
    }
    try rows.reset()
  }

  /// Ends a group after its last loser.
  ///
  /// - Returns: the values to write to the winner, or nil if none changes.
  mutating func finish() -> WinnerUpdate? {
    guard let winner else { return nil }
    self.winner = nil
    if !values.isEmpty {
      refusedCount += check?.leaveOut(from: &values, presentColumns: presentColumns) ?? 0
    }
    var changes = zip(columns, values).compactMap { column, value in
      value.change.map { (column: column.name, value: $0) }
    }
    if let members, !values.isEmpty, let text = members.change(beside: values) {
      changes.append((column: members.column, value: text))
    }
    return changes.isEmpty
      ? nil : WinnerUpdate(row: winner, values: changes, times: changedTimes(changes.map(\.column)))
  }

  /// The stored times of the winner after some of its columns have changed, or nil if they stay.
  private func changedTimes(_ changed: [String]) -> String? {
    guard timePlace != nil else { return nil }
    var all = PropertyTimes(times, and: changed, unmapped: members?.column, rowTime: rowTime)
    members?.addTimes(to: &all.members)
    for (column, value) in zip(columns, values) where changed.contains(column.name) {
      all[column.name] = value.time
    }
    let text = all.text(rowTime: rowTime)
    return text == times ? nil : text ?? "{}"
  }

  /// Returns how many values were left out since the last call.
  mutating func resetRefusedCount() -> Int {
    defer { refusedCount = 0 }
    return refusedCount
  }
}
