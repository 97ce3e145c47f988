internal import JSONStreaming

extension RecordDecoder {
  /// How the decoder recognizes and checks removals.
  ///
  /// A removal marks the row or deletes it; one that deletes is called a deletion.
  ///
  /// A class, because each property of the decoder costs much time to compile (6.3.1).
  final class RemovalPlan {
    /// The slot of the attribute that marks a removal; nil if only a null record is a removal.
    let slot: Int?
    /// Whether null in place of a record is a removal.
    let acceptsNullRecord: Bool
    /// Whether a removal deletes the row instead of marking it.
    let deletes: Bool
    let keySlots: [Int]
    /// The slots that are checked in a deletion.
    let relevantSlots: [Int]
    /// The member that marks a removal by being true.
    let member: [UInt8]?
    /// Whether it marks the current record.
    var isMarked = false

    init?(_ model: Model) {
      guard model.tombstone != nil || model.removalMember != nil else { return nil }
      let tombstone = model.tombstone
      slot = model.attributes.index(named: tombstone?.attribute)
      acceptsNullRecord = tombstone?.acceptsNullRecord == true
      deletes = tombstone?.removal == .delete
      member = model.removalMember.map { Array($0.utf8) }
      keySlots = model.key.compactMap { model.attributes.index(named: $0) }
      relevantSlots =
        keySlots
        + [model.timestamp, tombstone?.attribute].compactMap { model.attributes.index(named: $0) }
        + (model.versionSlot.map { [$0] } ?? [])
    }

    func isDeletion(_ record: Int, in batch: borrowing RecordBatch) -> Bool {
      if isMarked { return true }
      guard deletes, let slot else { return false }
      let value = batch[record, slot]
      return value.kind == .integer && value.integer != 0
    }
  }

  /// Decodes a null in place of a record: it removes the record named by the member.
  mutating func decodeNullRecord(
    _ element: JSONElement, _ plan: RemovalPlan, origin: RecordOrigin, into batch: inout RecordBatch
  ) -> Bool {
    let arenaStart = batch.arena.count
    let record = batch.beginRecord()
    decodeMemberName(element, record: record, batch: &batch)
    if !plan.deletes, let slot = plan.slot { batch[record, slot] = .integer(1) }
    return acceptOrDiscard(
      record, isDeletion: plan.deletes, origin: origin, arenaStart: arenaStart, batch: &batch)
  }

  /// Drops the issues of attributes that a deletion does not use. At the limit they stay, because issues of
  /// the relevant attributes may be missing.
  mutating func checkDeletion(record: Int, batch: borrowing RecordBatch) {
    guard let plan = removalPlan, issues.count < Issue.limit else { return }
    let paths = plan.relevantSlots.map { layout.fields[$0].path }
    issues.removeAll { issue in issue.attribute.map { !paths.contains($0) } ?? false }
    for slot in plan.keySlots where batch[record, slot].isNull {
      reportMissing(
        layout.fields[slot].path, "a removal must name its record by the key", as: "required")
    }
  }
}
