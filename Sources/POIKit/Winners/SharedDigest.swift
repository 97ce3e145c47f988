internal import POIRecords
internal import SQLiteKit

/// The digest of a table of which none is remembered, while the caller does something else: a
/// second thread begins to add it up, and the caller takes over its share when it is done.
///
/// Both threads must see the same rows. So over the life of the value the caller's connection is in
/// a transaction that lets nobody else write, and the caller itself has changed none of them in it.
///
/// The digest of a table takes longer than any other pass over it: 0.65 s for 1,000,000 rows, as
/// much as creating the index of their key, beside which it costs no time. A digest taken while
/// rows are sorted, less that of the losers, was slower: losers had to be read once more.
struct SharedDigest: ~Copyable {
  private let layout: TableLayout
  private let schema: TableSchema
  private let portions: RowPortions
  private var helper: DigestHelper?

  /// Begins to add up the digest.
  ///
  /// - Parameters:
  ///   - layout: the table's layout.
  ///   - schema: the table.
  ///   - jobCount: with 1 there is no second thread.
  ///   - connection: the database; only a file is read by a second thread, and only if it is worth
  ///     it.
  /// - Throws: `SQLiteError` when the database cannot be read.
  init(
    _ layout: TableLayout, schema: TableSchema, jobCount: Int,
    in connection: Connection
  ) throws(SQLiteError) {
    self.layout = layout
    self.schema = schema
    portions = try RowPortions(of: schema, in: connection)
    if jobCount > 1, portions.count > 1, connection.path != ":memory:" {
      // Without one, which the system may refuse, the caller adds up all of it.
      helper = try? DigestHelper(
        beside: connection, layout, schema: schema, portions: portions)
    }
  }

  /// Adds up what nobody has added up yet, and waits for the second thread.
  ///
  /// - Returns: the digest, or nil if the second thread failed.
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func finish(in connection: Connection) throws(SQLiteError) -> TableDigest? {
    var sum = TableDigest.empty
    var reader = try ContentReader(layout, schema: schema, rows: .range, in: connection)
    var content = CanonicalContent()
    while let rows = portions.next() {
      try reader.select(rows)
      try reader.addDigests(to: &sum, by: &content)
    }
    guard let helper = helper.take() else { return sum }
    return helper.finish().map { sum + $0 }
  }
}
