internal import POIRecords
internal import SQLiteKit

/// Computes the digest of a table with two threads: the second one begins while the caller does
/// other work, and then the caller helps.
///
/// Both threads must see the same rows. So during the life of the value the caller's connection is
/// in a transaction in which no other connection can write, and in which the caller has changed no
/// rows.
///
/// The digest takes longer than any other pass over a table: 0.65 s for 1,000,000 rows, as long as
/// the index of their key. In parallel with the index it takes no extra time. A digest computed
/// while rows are sorted, minus that of the losers, was slower because losers had to be read again.
struct SharedDigest: ~Copyable {
  private let layout: TableLayout
  private let schema: TableSchema
  private let portions: RowPortions
  private var helper: DigestHelper?

  /// Begins to compute the digest.
  ///
  /// - Parameters:
  ///   - layout: the table's layout.
  ///   - schema: the table.
  ///   - jobCount: the number of threads; with 1 there is no second thread.
  ///   - connection: the database. A second thread reads only a file, and only if the table is
  ///     large.
  /// - Throws: `SQLiteError` when the database cannot be read.
  init(
    _ layout: TableLayout, schema: TableSchema, jobCount: Int,
    in connection: Connection
  ) throws {
    self.layout = layout
    self.schema = schema
    portions = try RowPortions(of: schema, in: connection)
    if jobCount > 1, portions.count > 1, connection.path != ":memory:" {
      // If the system gives no thread, the caller computes the whole digest.
      helper = try? DigestHelper(
        beside: connection, layout, schema: schema, portions: portions)
    }
  }

  /// Adds the remaining portions, and waits for the second thread.
  ///
  /// - Returns: the digest, or nil if the second thread failed.
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func finish(in connection: Connection) throws -> TableDigest? {
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
