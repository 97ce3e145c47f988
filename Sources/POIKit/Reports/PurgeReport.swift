internal import POIRecords

/// What purging tombstones removed from a store.
public struct PurgeReport: Sendable, Hashable {
  /// The number of deleted rows that were marked as removed.
  public let rowCount: Int

  /// The number of deleted tombstones.
  public let rememberedCount: Int

  /// The digest of the table afterwards.
  public let digest: Digest
}
