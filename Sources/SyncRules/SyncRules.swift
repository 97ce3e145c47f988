/// What decides between two states of a record: the winner rule.
public struct SyncValue: Sendable, Hashable, Comparable {
  /// The time of the change, in microseconds since 1970; nil is before all others.
  public var time: Int64?
  /// Whether the record was removed. A removal beats a record of the same time.
  public var isRemoved: Bool
  /// The digest of the content; 0 for a removal.
  public var digest: UInt128

  /// A value.
  public init(time: Int64?, isRemoved: Bool, digest: UInt128) {
    (self.time, self.isRemoved, self.digest) = (time, isRemoved, digest)
  }

  /// Compares by time, then removal, then digest.
  public static func < (left: SyncValue, right: SyncValue) -> Bool {
    if left.time != right.time { return left.time ?? .min < right.time ?? .min }
    if left.isRemoved != right.isRemoved { return right.isRemoved }
    return left.digest < right.digest
  }
}

/// What a device knows of one record. It follows from the row, its tombstone, and the log of local changes.
public struct SyncState: Sendable, Hashable {
  /// The record, or its removal; nil if the device never heard of it.
  public var value: SyncValue?
  /// The server's version of the value, or the one from which local changes began; nil if there is none.
  public var version: String?
  /// Whether there are local changes.
  public var isLocal = false
  /// Whether there are changes after those of the last request.
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
  /// The local changes end: nobody heard of the record.
  case forget
  /// The record stays as it is until it is changed here or there.
  case keep
}

/// The rules of synchronisation.
public enum SyncRules {
  /// What follows when something happens to a record.
  public static func step(_ state: SyncState, _ event: SyncEvent) -> (SyncState, SyncEffect) {
    var next = state
    switch event {
    case .changed(let value):
      next.value = value
      (next.isLocal, next.isEdited, next.isRefused) = (true, true, false)
      return (next, .nothing)

    case .requested:
      guard state.isLocal, !state.isRefused else { return (state, .nothing) }
      if state.value?.isRemoved == true, state.version == nil, !state.wasSent {
        return (SyncState(value: state.value), .forget)
      }
      (next.isEdited, next.wasSent) = (false, true)
      return (next, .send)

    case .found(let version, let value):
      guard let own = state.value else {
        return value.isRemoved
          ? (state, .nothing) : (SyncState(value: value, version: version), .adopt)
      }
      // What the device knows, or began from, is no news.
      if version == state.version { return (state, .nothing) }
      if state.isLocal, value < own { return (rebased(state, onto: version), .rebase) }
      return (SyncState(value: value, version: version), .adopt)

    case .accepted(let version):
      guard state.isLocal else { return (state, .nothing) }
      next.version = version
      (next.isLocal, next.wasSent, next.isRefused) = (state.isEdited, state.isEdited, false)
      return (next, .settle)

    case .unknown:
      return state.isLocal ? (rebased(state, onto: nil), .rebase) : (state, .nothing)

    case .refused:
      guard state.isLocal, !state.isEdited else { return (state, .nothing) }
      next.isRefused = true
      return (next, .keep)

    case .restarted:
      guard let value = state.value else { return (state, .nothing) }
      if state.isLocal { return (rebased(state, onto: nil), .rebase) }
      if value.isRemoved, state.version == nil { return (state, .nothing) }
      next = rebased(state, onto: nil)
      next.isLocal = true
      return (next, .offer)
    }
  }

  /// A record with local changes that began from another version. From now on its removal is sent, too: the server may
  /// know the record.
  private static func rebased(_ state: SyncState, onto version: String?) -> SyncState {
    var next = state
    next.version = version
    (next.isEdited, next.wasSent, next.isRefused) = (true, true, false)
    return next
  }
}
