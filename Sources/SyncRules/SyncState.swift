/// What a device knows of one record. It follows from the row, its tombstone, and the log of local changes.
public struct SyncState: Sendable, Hashable {
  /// The record, or its removal; nil if the device never heard of it.
  public var value: SyncValue?
  /// The server's version of the value, or the one from which local changes began; nil without one.
  public var version: String?
  /// Whether there are local changes.
  public var isLocal = false
  /// Whether there are changes that the last request does not have.
  public var isEdited = false
  /// Whether a request ever carried the first of the changes.
  public var wasSent = false
  /// Whether the server refused the last request with it, and nothing changed since.
  public var isRefused = false

  /// The state of a record without local changes.
  public init(value: SyncValue? = nil, version: String? = nil) {
    (self.value, self.version) = (value, version)
  }
}
