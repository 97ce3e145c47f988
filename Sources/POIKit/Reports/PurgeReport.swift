internal import POIRecords

/// What purging removals took out of a store.
public struct PurgeReport: Sendable, Hashable {
  /// The rows that were marked as removed, and are gone now.
  public let rowCount: Int

  /// The removals that were remembered, and are forgotten now.
  public let rememberedCount: Int

  /// The digest of the table afterwards.
  public let digest: Digest
}
