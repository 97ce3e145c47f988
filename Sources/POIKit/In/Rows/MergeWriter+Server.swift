internal import JSONStreaming
internal import POIRecords
internal import POISQLite
internal import SyncRules

/// Records of the server of a synchronised table.
extension MergeWriter {
  /// Takes a record of the server, or a removal, by the rules of synchronisation.
  mutating func take(
    _ record: Int, of batch: inout RecordBatch, _ names: InputNames, by rows: inout RowWriter,
    target: MergeTarget, _ changes: VersionedChanges, _ tombstones: inout TombstoneWriter
  ) throws {
    rowID = nil
    var target = target
    if case .next = target, let met = try window?.find(record, of: batch) { target = .row(met) }
    let hasRow = try find(record, of: batch, by: &rows, target: target)
    let entries = try changes.entries(of: record, in: batch)
    let own = try state(
      entries, hasRow: hasRow, removal: hasRow ? nil : tombstones.find(record, of: batch))
    let isRemoval = batch.origins[record].isDeletion
    let version = table.schema.model.versionSlot.map { batch.text(of: record, slot: $0) } ?? ""
    let value = SyncValue(
      time: batch.timestamp(of: record, slot: ranking.timestampSlot),
      isRemoved: isRemoval || ranking.isTombstone(record, in: batch),
      digest: isRemoval ? 0 : UInt128(batch.digest(of: record)))
    switch SyncRules.step(own, .found(version: version, value)).1 {
    case .adopt:
      if entries != nil { try changes.settle(record, in: batch) }
      if isRemoval {
        if hasRow { try deleteStored(by: &rows) }
        try tombstones.remember(record, of: batch)
        batch.countOutcome(record: record, .removal, replacing: hasRow ? storedDigest : .zero)
      } else if hasRow {
        try adopt(record, of: &batch, by: &rows)
      } else {
        try insert(record, of: &batch, names, by: &rows)
        try tombstones.forget(record, of: batch)
      }
    case .rebase:
      try changes.rebase(record, in: batch, onto: version)
      batch.countOutcome(record: record, .kept)
    default: batch.countOutcome(record: record, .unchanged)
    }
  }

  /// What the store knows of the key of a record.
  ///
  /// - Parameters:
  ///   - hasRow: whether it has a row, which is loaded.
  ///   - removal: its tombstone.
  private mutating func state(
    _ entries: VersionedChanges.Entries?, hasRow: Bool, removal: (time: Int64?, version: String?)?
  ) throws -> SyncState {
    var state = SyncState()
    if hasRow {
      try digestStored()
      rowID = stored.rowID
      state.value = SyncValue(
        time: stored.batch.timestamp(of: 0, slot: ranking.timestampSlot),
        isRemoved: ranking.isTombstone(0, in: stored.batch), digest: UInt128(storedDigest))
      if let slot = table.schema.model.versionSlot, !stored.batch[0, slot].isNull {
        state.version = stored.batch.text(of: 0, slot: slot)
      }
    } else if let removal {
      state.value = SyncValue(time: removal.time, isRemoved: true, digest: 0)
      state.version = removal.version
    } else if let entries, entries.wasThere {
      // What a deduplication removed has no tombstone.
      state.value = SyncValue(time: entries.time, isRemoved: true, digest: 0)
    }
    guard let entries, state.value != nil else { return state }
    (state.version, state.isLocal) = (entries.base, true)
    return state
  }

  private mutating func adopt(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    guard compareContent(of: record, of: batch) == 0 else {
      return try replace(record, of: &batch, by: &rows)
    }
    window?.forgetRow()
    try rows.update(stored.rowID, to: record, of: batch)
    batch.countOutcome(record: record, .unchanged)
  }

  private mutating func deleteStored(by rows: inout RowWriter) throws {
    window?.forgetRow()
    try rows.delete(stored.rowID)
    deletedRowIDs.append(stored.rowID)
    rowID = nil
  }
}

extension RecordBatch {
  /// The text of a slot that has one.
  fileprivate func text(of record: Int, slot: Int) -> String {
    String(copying: arena.span.extracting(self[record, slot].textRange))
  }
}

extension UInt128 {
  fileprivate init(_ digest: Digest) {
    self = UInt128(digest.high) << 64 | UInt128(digest.low)
  }
}
