public import POIRecords

/// A record that an import refused, as the store keeps it.
public struct Reject: Sendable, Hashable {
  /// The run that refused it.
  public let run: Int64

  /// The name of the input that it is in.
  public let input: String

  /// Its number in the input, from 1.
  public let record: Int

  /// The offset of its first byte in the decompressed input.
  public let byteOffset: Int

  /// The line that it begins in, from 1.
  public let line: Int

  /// The column that it begins in, from 1.
  public let column: Int

  /// What the rules found, at least one issue.
  public let issues: [Issue]

  /// The record as it was in the input; of one beyond the size limits, its beginning.
  public let bytes: [UInt8]
}
