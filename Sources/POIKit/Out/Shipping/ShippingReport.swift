public import POIRecords

/// What a shipped store holds.
public struct ShippingReport: Sendable, Hashable {
  /// A table of records.
  public struct Table: Sendable, Hashable {
    /// The name.
    public let name: String

    /// The number of rows.
    public let rowCount: Int

    /// The digest of the table.
    public let digest: Digest
  }

  /// The tables of records, by name.
  public let tables: [Table]

  /// The size of the file.
  public let byteCount: Int
}
