internal import POIRecords
internal import POISQLite

/// The digest of a table while losers are removed: the digest that an import remembered, minus the digests of
/// the losers.
///
/// With 120,000 losers in 1,000,000 rows this saves a second of processor time.
final class RemainingDigest {
  private(set) var digest: Digest

  private let layout: TableLayout
  private let schema: TableSchema
  private var reader: RowReader?

  /// Reads the remembered digest; nil if it is missing, or if removing losers may change other rows of the
  /// table.
  ///
  /// - Parameters:
  ///   - references: the foreign keys that refer to the table.
  ///   - connection: the database, which no other program changes until the removal begins.
  init?(
    _ layout: TableLayout, schema: TableSchema, references: [TableReference],
    in connection: Connection
  ) throws {
    guard layout.isToolkitTable, layout.content.relations.isEmpty, references.isEmpty,
      try Trigger.ofApp(in: connection).isEmpty,
      let digest = try RememberedDigest(layout).read(in: connection)
    else { return nil }
    self.digest = digest
    self.layout = layout
    self.schema = schema
  }

  /// Subtracts the digests of listed rows before they are deleted. The first call deletes the remembered
  /// digest.
  ///
  /// - Parameters:
  ///   - list: a table with the ids of the rows in the column `loser`.
  ///   - connection: the database, in the transaction that deletes the rows.
  func subtract(rowsListedIn list: SQL, in connection: Connection) throws {
    if reader == nil { try RememberedDigest(layout).forget(in: connection) }
    let reader =
      try self.reader
      ?? RowReader(layout, schema: schema, rows: .listed(in: list), in: connection)
    self.reader = reader
    digest -= try reader.digest().digest
  }
}
