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
