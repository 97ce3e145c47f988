public import POIKit
public import POIRecords

/// How tables are synchronised.
public struct SyncOptions: Sendable {
  /// The number of records that a page should have, at least 1.
  public var pageSize = 10_000
  /// The greatest number of records in a request, at least 1.
  public var pushSize = 1_000
  /// The greatest number of rows that the server may remove in a cycle, of those at its beginning; nil for all.
  public var removalLimit: ImportOptions.Limit?
  /// Returns the time at the end of a cycle.
  public var clock: @Sendable () -> Instant = SystemClock.now

  /// The options with their defaults.
  public init() {}
}
