/// What a device does.
public enum SyncEffect: Sendable, Hashable {
  /// Nothing.
  case nothing
  /// It sends the value, and the version from which its changes began.
  case send
  /// It takes over the server's value and version, and its local changes end.
  case adopt
  /// The changes that were sent end, and the record has the server's version.
  case settle
  /// The local changes began from the version of the new state.
  case rebase
  /// The record, without local changes before, becomes one.
  case offer
  /// The local changes end: no server heard of the record.
  case forget
  /// The record stays as it is until it is changed here or there.
  case keep
}
