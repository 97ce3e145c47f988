internal import POIRecords
internal import SQLiteKit

/// Merges records into a table with an enforced key: finds the stored row, decides by the policy, and writes.
///
/// The statements are prepared once for the run.
struct MergeWriter: ~Copyable {
  private let policy: MergePolicy
  private let ties: TieRule
  private let choosePolicy: ImportOptions.PolicyChoice?
  private let table: RowWriter.Table
  private let key: EnforcedKey
  private let ranking: RecordRanking

  /// The slots that are merged: attributes, unmapped members and relations to many.
  private let mergedSlots: [Int]

  /// Merges the unmapped members under policies by attribute; nil if the model does not keep them.
  private let unmapped: UnmappedMembers?

  private var finding: Statement
  private var reading: Statement
  private var stored: StoredRow
  private var storedDigest = Digest.zero
  private var storedDigester: RecordDigester
  private var recordDigester: RecordDigester
  private var storedValue = CanonicalContent()
  private var recordValue = CanonicalContent()
  private var times: PropertyTimes
  private var places: PlaceLog?
  private var conflicts = MergeConflicts()
  private var deletedRowIDs: [Int64] = []

  /// A writer for a policy; nil for `append`.
  ///
  /// - Parameters:
  ///   - ties: decides between records that tie under `newest`.
  ///   - choosePolicy: chooses another policy for each record that meets a row.
  init?(
    _ policy: MergePolicy, ties: TieRule, choosePolicy: ImportOptions.PolicyChoice?,
    _ table: RowWriter.Table,
    connection: Connection
  ) throws {
    guard policy != .append, let key = table.key else { return nil }
    let schema = table.schema
    var conditions: [SQL] = key.columns.enumerated().map {
      "t.\(name: $0.element) = ?\($0.offset + 1)"
    }
    if key.isHashed {
      conditions.append("t.\(name: KeyEnforcer.hashColumn) = ?\(conditions.count + 1)")
    }
    let finding = try connection.prepare(
      StoredRow.query(table, where: conditions.joined(separator: " AND ")))
    let stored = try StoredRow(schema, connection: connection)
    let reading = try connection.prepare(
      StoredRow.query(table, where: "t.\(StoreSchema.idColumn) = ?1"))
    let places = policy == .error ? try PlaceLog(connection: connection) : nil
    self.policy = policy
    self.ties = ties
    self.choosePolicy = choosePolicy
    self.table = table
    self.key = key
    ranking = RecordRanking(schema.model, ties: ties)
    mergedSlots =
      Array(0..<schema.layout.attributeCount) + (schema.layout.unmappedSlot.map { [$0] } ?? [])
      + schema.layout.relations.map(\.slot)
    unmapped = UnmappedMembers(schema.layout)
    self.finding = finding
    self.reading = reading
    self.stored = stored
    storedDigester = RecordDigester(schema.model)
    recordDigester = RecordDigester(schema.model)
    times = PropertyTimes(
      columns: schema.model.attributes.map(\.column)
        + (schema.model.unmappedColumn.map { [$0] } ?? []) + schema.model.relations.map(\.name))
    self.places = places
  }

  /// Merges one record of a batch, and notes the outcome in the batch.
  ///
  /// - Parameters:
  ///   - names: the names of the inputs.
  ///   - rows: writes into the table.
  ///   - target: the row that the record probably matches, to shorten the search.
  /// - Throws: `SQLiteError`. After a constraint violation the record's row is unchanged; the caller must
  ///   roll back to its savepoint to remove new rows of relations.
  mutating func merge(
    record: Int, of batch: inout RecordBatch, _ names: InputNames, by rows: inout RowWriter,
    target: MergeTarget
  ) throws {
    let missing =
      policy == .objectTrump ? table.schema.layout.missingAttributes(of: record, in: batch) : []
    if case .none = target, !rows.mayRefuseInPart, missing.isEmpty {
      do {
        return try insert(record, of: batch, names, by: &rows)
      } catch let error as SQLiteError where error.isUniqueViolation {
        // If another row has the key, it is found now.
        guard try find(record, of: batch, by: &rows, target: .unknown) else { throw error }
      }
    }
    guard try find(record, of: batch, by: &rows, target: target) else {
      guard missing.isEmpty else {
        return batch.refuse(
          record: record,
          because: missing.map {
            Issue(
              rule: "required", attribute: $0,
              message: "the attribute is missing, and no row has the key")
          })
      }
      return try insert(record, of: batch, names, by: &rows)
    }
    switch chosenPolicy(for: record, of: batch) {
    case .append: preconditionFailure("appending needs no look at stored rows")
    case .newest: try replaceIfNewer(record, of: &batch, by: &rows)
    case .overwrite: try overwrite(record, of: &batch, by: &rows)
    case .objectTrump:
      try beginMerge()
      let members = unmapped?.trumped(stored.batch, by: record, of: batch)
      for slot in mergedSlots where batch[record, slot].isNamed {
        stored.copy(slot: slot, from: record, of: batch)
      }
      if let members { stored.setUnmapped(members) }
      try writeMerged(record, of: &batch, by: &rows)
    case .storeTrump:
      try beginMerge()
      let members = unmapped?.completed(stored.batch, by: record, of: batch)
      let kept = unmapped?.keptSlots(of: stored.batch) ?? []
      for slot in mergedSlots
      where stored.batch[0, slot].isNull && batch[record, slot].isNamed
        && !batch[record, slot].isNull && !kept.contains(slot)
      {
        stored.copy(slot: slot, from: record, of: batch)
      }
      if let members { stored.setUnmapped(members) }
      try writeMerged(record, of: &batch, by: &rows)
    case .newestByProperty: try mergeNewerProperties(record, of: &batch, by: &rows)
    case .rollback: batch.countOutcome(record: record, .ignored)
    case .error: try noteConflict(record, of: batch, names)
    }
  }

  private func chosenPolicy(for record: Int, of batch: borrowing RecordBatch) -> MergePolicy {
    guard let choosePolicy else { return policy }
    let layout = table.schema.layout
    let chosen = choosePolicy(
      RecordView(of: 0, in: stored.batch, layout), RecordView(of: record, in: batch, layout))
    precondition(
      chosen != .append && chosen != .newestByProperty, "\(chosen) cannot be chosen for one record")
    return chosen
  }

  /// Whether the last record wins, whatever its timestamp.
  var ignoresTime: Bool { policy == .overwrite }

  /// Whether a record whose key was removed comes back, and the removal is forgotten.
  var forgetsRemovals: Bool { ignoresTime || ties == .later }

  /// Deletes the row of a removal if the removal wins by the policy, and notes the outcome in the batch.
  ///
  /// Removals name the enforced key of the table.
  mutating func remove(
    record: Int, of batch: inout RecordBatch, _ names: InputNames, by rows: inout RowWriter,
    target: MergeTarget
  ) throws -> MergeOutcome {
    guard try find(record, of: batch, by: &rows, target: target) else {
      batch.countOutcome(record: record, .removal)
      return .removal
    }
    var outcome = MergeOutcome.removal
    switch policy {
    case .append: preconditionFailure("appending needs no look at stored rows")
    case .newest, .newestByProperty:
      if ranking.rank(of: record, in: batch, isRemoval: true)
        < ranking.rank(of: 0, in: stored.batch)
      {
        outcome = .stale
      }
    case .objectTrump, .overwrite: break
    case .storeTrump, .rollback: outcome = .ignored
    case .error:
      try noteConflict(record, of: batch, names)
      return .ignored
    }
    if outcome == .removal {
      try digestStored()
      try rows.delete(stored.rowID)
      deletedRowIDs.append(stored.rowID)
      batch.countOutcome(record: record, .removal, replacing: storedDigest)
    } else {
      batch.countOutcome(record: record, outcome)
    }
    return outcome
  }

  /// Returns the conflicting records of the batch, and forgets them.
  mutating func resetConflicts() -> MergeConflicts {
    defer { conflicts = MergeConflicts() }
    return conflicts
  }

  /// Returns the rows deleted since the last call.
  mutating func resetDeletedRowIDs() -> [Int64] {
    defer { deletedRowIDs.removeAll(keepingCapacity: true) }
    return deletedRowIDs
  }

  /// Loads the stored row with the key of a record.
  ///
  /// - Returns: false if there is no such row, or if a part of the key is NULL.
  private mutating func find(
    _ record: Int, of batch: borrowing RecordBatch, by rows: inout RowWriter, target: MergeTarget
  ) throws -> Bool {
    for slot in key.slots where batch[record, slot].isNull { return false }
    if case .row(let rowID) = target {
      try reading.bind(1, integer: rowID)
      if try stored.load(&reading), hasKey(of: record, in: batch) { return true }
    }
    try rows.bindKey(key, of: record, in: batch, to: &finding)
    return try stored.load(&finding)
  }

  private mutating func hasKey(of record: Int, in batch: borrowing RecordBatch) -> Bool {
    key.slots.allSatisfy { slot in
      table.schema.layout.append(slot, of: 0, in: stored.batch, to: &storedValue)
      table.schema.layout.append(slot, of: record, in: batch, to: &recordValue)
      return storedValue.hasSameBytes(as: recordValue)
    }
  }

  /// Computes the digest of the stored row before it is changed.
  private mutating func digestStored() throws {
    try stored.loadRelations()
    storedDigest = storedDigester.digest(record: 0, of: stored.batch)
  }

  /// Prepares the stored row for values of a record. References to missing related rows become null.
  private mutating func beginMerge() throws {
    try digestStored()
    stored.clearMissingRelations()
  }

  private mutating func insert(
    _ record: Int, of batch: borrowing RecordBatch, _ names: InputNames,
    by rows: inout RowWriter
  ) throws {
    var text: String?
    if policy == .newestByProperty {
      let time = ranking.time(of: record, in: batch)
      for (index, slot) in mergedSlots.enumerated() {
        times.times[index] = batch[record, slot].isNamed ? time : .never
      }
      text = times.text(rowTime: time)
    }
    let rowID = try rows.insert(record: record, of: batch, times: text)
    if places != nil { try places?.add(batch.place(of: record, names), of: rowID) }
  }
}

// MARK: - Policies

extension MergeWriter {
  /// Keeps the greater one by the winner rule, or the later one of equally new ones.
  private mutating func replaceIfNewer(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    let storedRank = ranking.rank(of: 0, in: stored.batch)
    let rank = ranking.rank(of: record, in: batch)
    guard storedRank <= rank else { return batch.countOutcome(record: record, .stale) }
    try digestStored()
    if storedRank == rank {
      let order = compareContent(of: record, of: batch)
      if order == 0 { return batch.countOutcome(record: record, .unchanged) }
      batch.countTie()
      guard order > 0 || ties == .later else { return batch.countOutcome(record: record, .stale) }
    }
    try replace(record, of: &batch, by: &rows)
  }

  private mutating func overwrite(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    try digestStored()
    if compareContent(of: record, of: batch) == 0 {
      return batch.countOutcome(record: record, .unchanged)
    }
    try replace(record, of: &batch, by: &rows)
  }

  /// Compares a record with the stored row by digest, and by content if the digests are equal.
  ///
  /// - Returns: 0 for the same content, positive if the record is greater.
  private mutating func compareContent(
    of record: Int, of batch: borrowing RecordBatch
  ) -> Int {
    let digest = batch.digest(of: record)
    if digest != storedDigest { return storedDigest < digest ? 1 : -1 }
    _ = recordDigester.digest(record: record, of: batch)
    return recordDigester.compareContent(with: storedDigester)
  }

  private mutating func replace(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    try rows.update(stored.rowID, to: record, of: batch)
    try rows.replaceRelations(ofRow: stored.rowID, by: record, of: batch)
    try rows.checkReferences()
    batch.countOutcome(
      record: record, .updated, replacing: storedDigest, by: batch.digest(of: record))
  }

  /// Replaces each attribute if the record's value is newer, or as new and wins by `ties`. A default is older than
  /// all values that a record names.
  private mutating func mergeNewerProperties(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    try beginMerge()
    let recordTime = ranking.time(of: record, in: batch)
    let storedTime = ranking.time(of: 0, in: stored.batch)
    times.read(stored.times, rowTime: storedTime)
    for (index, slot) in mergedSlots.enumerated() where batch[record, slot].kind != .absent {
      let time = batch[record, slot].isDefault ? .never : recordTime
      guard times.times[index] <= time else { continue }
      if times.times[index] == time {
        table.schema.layout.append(slot, of: 0, in: stored.batch, to: &storedValue)
        table.schema.layout.append(slot, of: record, in: batch, to: &recordValue)
        guard ties == .later || recordValue.compareBytes(with: storedValue) > 0 else { continue }
      }
      stored.copy(slot: slot, from: record, of: batch)
      times.times[index] = time
    }
    if let unmapped, let index = mergedSlots.firstIndex(of: unmapped.slot) {
      let newer = mergedSlots.indices.filter { times.times[$0] > times.times[index] }
      let members = unmapped.members(of: stored.batch, without: newer.map { mergedSlots[$0] })
      if let members { stored.setUnmapped(members) }
    }
    try writeMerged(
      record, of: &batch, by: &rows,
      times: times.text(rowTime: ranking.time(of: 0, in: stored.batch)),
      otherwise: recordTime < storedTime ? .stale : .unchanged)
  }

  /// Writes the merged row, if the merge changed it.
  ///
  /// - Parameter outcome: the outcome if it did not.
  private mutating func writeMerged(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter, times: String? = nil,
    otherwise outcome: MergeOutcome = .unchanged
  ) throws {
    let digest = storedDigester.digest(record: 0, of: stored.batch)
    guard digest != storedDigest || (policy == .newestByProperty && times != stored.times) else {
      return batch.countOutcome(record: record, outcome)
    }
    try rows.update(stored.rowID, to: 0, of: stored.batch, times: times)
    try rows.replaceRelations(
      ofRow: stored.rowID, by: record, of: batch, numbers: stored.copiedRelations)
    try rows.checkReferences()
    batch.countOutcome(record: record, .updated, replacing: storedDigest, by: digest)
  }

  private mutating func noteConflict(
    _ record: Int, of batch: borrowing RecordBatch, _ names: InputNames
  ) throws {
    let values = key.slots.map { slot in
      table.schema.layout.text(of: slot, of: record, in: batch)
    }
    conflicts.add(
      MergeConflicts.Conflict(
        key: values.joined(separator: ", "), place: batch.place(of: record, names),
        rowID: stored.rowID, rowPlace: try places?.place(of: stored.rowID)))
  }
}
