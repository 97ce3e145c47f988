internal import SQLiteKit

/// Finds the values that winners get where their losers are merged into them, one group after the
/// other.
///
/// A loser is read when its turn comes, and of a group there is never more in memory than one value
/// for each column, or its distinct elements.
///
/// The key, the timestamp, the tombstone and the identity stay the winner's, and so do references to
/// rows of its own table: the row that a loser refers to may itself be about to go. A winner that is
/// a removal stays as it is.
struct LoserMerge: ~Copyable {
  private let columns: [ContentColumn]
  private let tombstonePlace: Int?
  private let contentHash: @Sendable (Digest) -> Digest
  private var rows: Statement
  private var contents: ContentReader
  private var content = CanonicalContent()

  /// The winner of the group, and its values in the order of `columns`; none where it is a removal.
  private var winner: Int64 = 0
  private var values: [MergedValue] = []

  /// A merge of the rows of a table.
  ///
  /// - Parameters:
  ///   - layout: the table's layout, with the rules.
  ///   - schema: the table.
  ///   - contentHash: what is used instead of the digest of a content; itself but in tests.
  ///   - connection: the database.
  /// - Throws: `DeduplicationError` when the layout does not fit the database.
  init(
    _ layout: TableLayout, schema: TableSchema,
    contentHash: @escaping @Sendable (Digest) -> Digest, in connection: borrowing Connection
  ) throws(DeduplicationError) {
    let references = try TableReference.all(to: schema, in: connection)
      .filter { TableSchema.isSame($0.childTable, schema.name) }
    let fixed =
      layout.keyColumns + layout.identityColumns + references.flatMap(\.childColumns)
      + [layout.timestampColumn, layout.tombstoneColumn, schema.rowIDColumn].compactMap { $0 }
    let columns = layout.contentColumns.filter { column in
      !fixed.contains { TableSchema.isSame($0, column.name) }
    }
    let names = columns.map(\.name) + (layout.tombstoneColumn.map { [$0] } ?? [])
    let results = names.isEmpty ? ["1"] : names.map(Connection.quoteIdentifier)
    let rows = try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.prepare(
        """
        SELECT \(results.joined(separator: ", "))
        FROM main.\(Connection.quoteIdentifier(schema.name))
        WHERE \(Connection.quoteIdentifier(schema.rowIDName)) = ?1
        """)
    }
    let contents = try DeduplicationError.converting { () throws(SQLiteError) in
      try ContentReader(layout, schema: schema, rows: .one, in: connection)
    }
    self.columns = columns
    tombstonePlace = layout.tombstoneColumn.map { _ in columns.count }
    self.contentHash = contentHash
    self.rows = rows
    self.contents = contents
  }

  /// Begins a group.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func begin(_ winner: Int64) throws(SQLiteError) {
    self.winner = winner
    values.removeAll(keepingCapacity: true)
    try rows.bind(1, integer: winner)
    defer { rows.reset() }
    guard try rows.step() else { return }
    if let tombstonePlace, WinnerSelection.isTombstone(tombstonePlace, of: rows) { return }
    for (place, column) in columns.enumerated() {
      values.append(MergedValue(column.mergeRule, own: StoredValue(place, of: rows)))
    }
  }

  /// Merges a loser of the group; they come in the order of their places.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func add(_ loser: GroupLoser) throws(SQLiteError) {
    guard values.contains(where: { $0.isOpen(at: loser.place) }) else { return }
    var digest = Digest.zero
    if loser.isTied {
      try contents.read(loser.loser, into: &content)
      digest = contentHash(content.digest)
    }
    try rows.bind(1, integer: loser.loser)
    defer { rows.reset() }
    guard try rows.step() else { return }
    for place in values.indices where values[place].isOpen(at: loser.place) {
      guard let value = StoredValue(place, of: rows) else { continue }
      values[place].merge(value, place: loser.place, digest: digest)
    }
  }

  /// What the winner of the group gets after the last loser; nil where it has all already.
  func finish() -> RowFill? {
    let changes = zip(columns, values).compactMap { column, value in
      value.change.map { (column: column.name, value: $0) }
    }
    return changes.isEmpty ? nil : RowFill(row: winner, values: changes)
  }
}
