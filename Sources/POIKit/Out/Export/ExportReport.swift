public import POIRecords

/// What an export wrote.
public struct ExportReport: Sendable, Hashable {
  /// The table or view.
  public var table: String

  /// The number of records.
  public var recordCount = 0

  /// The number of bytes.
  public var byteCount = 0

  /// The sum of the digests of the rows; nil if the records are not whole or not in the form that their model reads, or if
  /// the table has no model.
  public var digest: Digest?

  /// The sum of the digests of the records, as an import of them gets it; nil if they were not checked, or if some of
  /// them are removals.
  public var importDigest: Digest?

  /// Whether the check found that an import of the export gives other records: a program stored a value that its
  /// attribute cannot have, or a time is outside the years that its pattern can name.
  public var hasChangedValues: Bool { importDigest != nil && importDigest != digest }

  /// The number of records that the model refuses, if they were checked. Another program wrote their rows.
  public var refusedRecordCount = 0

  /// The row id of the first record that the model refuses, and what is wrong with it; nil if they were not checked.
  public var firstRefusal: Refusal?

  /// The number of texts that were not UTF-8. Their invalid bytes were written as U+FFFD.
  public var repairedTextCount = 0

  /// Whether all rows were written; false if the program stopped the export.
  public var isFinished = true

  /// A record that the model refuses.
  public struct Refusal: Sendable, Hashable {
    /// The row id.
    public let row: Int64

    /// What is wrong, at least one issue.
    public let issues: [Issue]
  }

  init(table: String) { self.table = table }
}
