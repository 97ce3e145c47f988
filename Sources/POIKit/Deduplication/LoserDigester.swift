internal import SQLiteKit

/// Computes the digests of the losers that stand in a temporary table. A class, because the copyable
/// value that keeps it for a run cannot hold what it is made of.
final class LoserDigester {
  private var reader: ContentReader
  private var content = CanonicalContent()

  /// - Throws: `SQLiteError` when the layout does not fit the database.
  init(
    _ layout: TableLayout, _ schema: TableSchema, _ pairTable: String,
    in connection: borrowing Connection
  ) throws(SQLiteError) {
    reader = try ContentReader(layout, schema: schema, rows: .losers(of: pairTable), in: connection)
  }

  /// Adds the digests of the losers that are in the table now.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  func addDigests(to sum: inout TableDigest) throws(SQLiteError) {
    try reader.addDigests(to: &sum, by: &content)
  }
}
