/// What happens to a record. A request that was lost, or whose answer was, is no event: it may always be sent again.
public enum SyncEvent: Sendable, Hashable {
  /// A program changed or removed the record here.
  case changed(SyncValue)
  /// A request is built.
  case requested
  /// The server has a version of the record: it was pulled, or it differs from the base of what was pushed.
  case found(version: String, SyncValue)
  /// The server took what was pushed.
  case accepted(version: String)
  /// The server does not have the record that was pushed as a change.
  case unknown
  /// The server refused what was pushed.
  case refused
  /// There is another server, or its records are new.
  case restarted
}
