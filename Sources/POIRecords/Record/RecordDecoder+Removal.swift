internal import JSONStreaming

/// Records that say that theirs was removed.
extension RecordDecoder {
  /// What the decoder must know of a model's tombstone.
  struct RemovalPlan {
    /// The slot of the attribute that says so; -1 where only a null record does.
    let slot: Int
    /// Whether a null in the place of a record is a removal.
    let isNullRecord: Bool
    /// Whether a removal is no row.
    let deletes: Bool
    /// The slots of the key: a removal that deletes must have them.
    let keySlots: [Int]
    /// The slots that matter in a removal that deletes.
    let relevantSlots: [Int]

    init?(_ model: Model) {
      guard let tombstone = model.tombstone else { return nil }
      func slots(_ names: [String]) -> [Int] {
        names.compactMap { name in model.attributes.index(named: name) }
      }
      slot = slots([tombstone.attribute].compactMap { $0 }).first ?? -1
      isNullRecord = tombstone.isNullRecord
      deletes = tombstone.removal == .delete
      keySlots = slots(model.key)
      relevantSlots = keySlots + slots([model.timestamp, tombstone.attribute].compactMap { $0 })
    }

    /// Whether the record that is being decoded is a removal that becomes no row.
    func isDeletion(_ record: Int, in batch: borrowing RecordBatch) -> Bool {
      guard deletes, slot >= 0 else { return false }
      let value = batch[record, slot]
      return value.kind == .integer && value.integer != 0
    }
  }

  /// Decodes a null in the place of a record: the removal of the record that its member names.
  mutating func decodeNullRecord(
    _ element: JSONElement, _ plan: RemovalPlan, origin: RecordOrigin, into batch: inout RecordBatch
  ) -> Bool {
    let arenaStart = batch.arena.count
    let record = batch.beginRecord()
    decodeMemberName(element, record: record, batch: &batch)
    if !plan.deletes { batch[record, plan.slot] = .integer(1) }
    return end(record, plan.deletes, origin: origin, arenaStart: arenaStart, batch: &batch)
  }

  /// Keeps the record that was decoded if nothing is wrong with it.
  ///
  /// - Parameter isDeletion: whether it is a removal that becomes no row; only what a removal is
  ///   known by is looked at then.
  mutating func end(
    _ record: Int, _ isDeletion: Bool, origin: RecordOrigin, arenaStart: Int,
    batch: inout RecordBatch
  ) -> Bool {
    if isDeletion { checkDeletion(record: record, batch: batch) }
    guard issues.isEmpty else {
      limitIssues()
      batch.discard(arenaStart: arenaStart)
      return false
    }
    var origin = origin
    origin.isDeletion = isDeletion
    batch.accept(origin)
    return true
  }

  private mutating func checkDeletion(record: Int, batch: borrowing RecordBatch) {
    guard let plan = removalPlan else { return }
    let paths = plan.relevantSlots.map { layout.fields[$0].path }
    dropIssues { issue in issue.attribute.map { !paths.contains($0) } ?? false }
    for slot in plan.keySlots where batch[record, slot].isNull {
      let path = layout.fields[slot].path
      guard !issues.contains(where: { $0.attribute == path }) else { continue }
      report("required", path, "a removal must name its record by the key")
    }
  }
}
