internal import POIRecords
internal import POISQLite

/// Merges records into a table with an enforced key: finds the stored row, decides by the policy, and writes.
///
/// The statements are prepared once for the run.
struct MergeWriter: ~Copyable {
  private let policy: MergePolicy
  private let ties: TieRule
  private let choosePolicy: ImportOptions.PolicyChoice?
  private let questions = RecordQuestions()
  let table: RowWriter.Table
  /// What a new record must have.
  var requirements: RecordLayout
  private let key: EnforcedKey
  let ranking: RecordRanking

  /// The slots that are merged one by one: attributes and relations to many.
  private let mergedSlots: [Int]

  /// The slots that a merge takes from the record.
  private var takenSlots: [Int] = []

  /// Nil if the model does not keep unmapped members.
  private let unmapped: UnmappedMembers?

  /// The rows that records in the order of the table meet next; nil if there is no window.
  var window: RowWindow?

  /// Whether a record with the content of its row is unchanged, whatever the policy makes of others.
  private let keepsSame: Bool

  private var finding: Statement
  private var reading: Statement
  var stored: StoredRow
  var storedDigest = Digest.zero
  private var storedDigester: RecordDigester
  private var recordDigester: RecordDigester
  private var storedValue = CanonicalContent()
  private var recordValue = CanonicalContent()
  private var times: PropertyTimes
  private var places: PlaceLog?
  private var conflicts = MergeConflicts()
  var deletedRowIDs: [Int64] = []

  /// The row that the last record became or met, if it is still there.
  var rowID: Int64?

  /// A writer for a policy; nil for `append`.
  ///
  /// - Parameters:
  ///   - ties: decides between records that tie under `newest`.
  ///   - choosePolicy: chooses another policy for each record that meets a row.
  ///   - windowBlockSize: see `RowWindow`.
  init?(
    _ policy: MergePolicy, ties: TieRule, choosePolicy: ImportOptions.PolicyChoice?,
    _ table: RowWriter.Table, windowBlockSize: Int, connection: Connection
  ) throws {
    guard policy != .append, let key = table.key else { return nil }
    let schema = table.schema
    var conditions: [SQL] = key.columns.enumerated().map {
      "t.\(name: $0.element) \(key.groupsNull ? "IS" : "=") ?\($0.offset + 1)"
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
    let window = try RowWindow(
      table, blockSize: policy == .error ? 0 : windowBlockSize, connection: connection)
    self.window = window
    keepsSame =
      [.newest, .overwrite, .objectTrump, .storeTrump].contains(policy) && choosePolicy == nil
      && schema.layout.relations.isEmpty
    self.policy = policy
    self.ties = ties
    self.choosePolicy = choosePolicy
    self.table = table
    requirements = schema.layout
    self.key = key
    ranking = RecordRanking(schema.model, ties: ties)
    mergedSlots =
      Array(0..<schema.layout.attributeCount) + schema.layout.relations.map(\.slot)
    unmapped = UnmappedMembers(schema.layout)
    self.finding = finding
    self.reading = reading
    self.stored = stored
    storedDigester = RecordDigester(schema.model)
    recordDigester = RecordDigester(schema.model)
    times = PropertyTimes(
      columns: schema.model.attributes.map(\.column) + schema.model.relations.map(\.name),
      unmapped: schema.model.unmappedColumn)
    self.places = places
  }

  /// Merges one record of a batch, and notes the outcome in the batch.
  ///
  /// - Parameters:
  ///   - names: the names of the inputs.
  ///   - rows: writes into the table.
  ///   - target: the row that the record probably matches, to shorten the search.
  ///   - local: what the log of local changes has of the key. A changed row stays, and one whose changes were
  ///     discarded is replaced, whatever the policy.
  /// - Returns: whether a stored row with other content stayed for that reason.
  /// - Throws: `SQLiteError`. After a constraint violation the record's row is unchanged; the caller must
  ///   roll back to its savepoint to remove new rows of relations.
  mutating func merge(
    record: Int, of batch: inout RecordBatch, _ names: InputNames, by rows: inout RowWriter,
    target: MergeTarget, local: LocalChanges.Mark
  ) throws -> Bool {
    rowID = nil
    var target = target
    if case .next = target, let met = try window?.find(record, of: batch) {
      if local == .none, keepsSame, window?.hasSameValues(record, of: batch) == true {
        rowID = met
        batch.countOutcome(record: record, .unchanged)
        return false
      }
      target = .row(met)
    }
    let missing =
      policy == .objectTrump ? requirements.missingAttributes(of: record, in: batch) : []
    if case .none = target, !rows.mayRefuseInPart, missing.isEmpty,
      !key.groupsNull || !key.hasNull(record, in: batch)
    {
      do {
        try insert(record, of: &batch, names, by: &rows)
        return false
      } catch let error as SQLiteError where error.isUniqueViolation {
        // If another row has the key, it is found now.
        guard try find(record, of: batch, by: &rows, target: .unknown) else { throw error }
      }
    }
    guard try find(record, of: batch, by: &rows, target: target) else {
      guard missing.isEmpty else {
        batch.refuse(
          record: record,
          because: missing.map {
            Issue(
              rule: "required", attribute: $0,
              message: "the attribute is missing, and no row has the key")
          })
        return false
      }
      try insert(record, of: &batch, names, by: &rows)
      return false
    }
    rowID = stored.rowID
    if local == .change { return try keep(record, of: &batch) }
    var policy = try chosenPolicy(for: record, of: batch)
    // A record that may be partial replaces what it names, whatever the times.
    if local == .discard, policy != .objectTrump { policy = .overwrite }
    switch policy {
    case .append: preconditionFailure("appending needs no look at stored rows")
    case .newest: try replaceIfNewer(record, of: &batch, by: &rows)
    case .overwrite: try overwrite(record, of: &batch, by: &rows)
    case .objectTrump, .storeTrump: try mergeProperties(policy, record, of: &batch, by: &rows)
    case .newestByProperty: try mergeNewerProperties(record, of: &batch, by: &rows)
    case .rollback: batch.countOutcome(record: record, .ignored)
    case .error: try noteConflict(record, of: batch, names)
    }
    return false
  }

  /// Keeps a row with local changes.
  ///
  /// - Returns: whether the record has another content.
  private mutating func keep(_ record: Int, of batch: inout RecordBatch) throws -> Bool {
    try digestStored()
    let isSame = compareContent(of: record, of: batch) == 0
    batch.countOutcome(record: record, isSame ? .unchanged : .kept)
    if !isSame, ranking.rank(of: 0, in: stored.batch) < ranking.rank(of: record, in: batch) {
      batch.countOlder()
    }
    return !isSame
  }

  private func chosenPolicy(
    for record: Int, of batch: borrowing RecordBatch
  ) throws -> MergePolicy {
    guard let choosePolicy else { return policy }
    let layout = table.schema.layout
    let chosen = choosePolicy(
      RecordView(of: 0, in: stored.batch, layout, questions),
      RecordView(of: record, in: batch, layout, questions))
    if let flaw = questions.flaw(of: table.schema.model) { throw StoreFailure(.noSuchColumn, flaw) }
    if chosen == .append || chosen == .newestByProperty {
      throw StoreFailure(
        .invalidOptions, "choosePolicy returned \(chosen), which cannot be chosen for one record")
    }
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
    target: MergeTarget, local: LocalChanges.Mark
  ) throws -> MergeOutcome {
    rowID = nil
    var target = target
    if case .next = target, let met = try window?.find(record, of: batch) { target = .row(met) }
    guard try find(record, of: batch, by: &rows, target: target) else {
      batch.countOutcome(record: record, .removal)
      return .removal
    }
    rowID = stored.rowID
    if local == .change {
      batch.countOutcome(record: record, .kept)
      return .kept
    }
    var outcome = MergeOutcome.removal
    switch policy {
    case .append: preconditionFailure("appending needs no look at stored rows")
    case .newest, .newestByProperty:
      if local == .none,
        ranking.rank(of: record, in: batch, isRemoval: true)
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
      window?.forgetRow()
      try rows.delete(stored.rowID)
      deletedRowIDs.append(stored.rowID)
      rowID = nil
      batch.countOutcome(record: record, .removal, replacing: storedDigest)
    } else {
      batch.countOutcome(record: record, outcome)
    }
    return outcome
  }

  /// Finds the row of a record that changes nothing.
  mutating func meet(
    _ record: Int, of batch: borrowing RecordBatch, by rows: inout RowWriter, target: MergeTarget
  ) throws {
    rowID = try find(record, of: batch, by: &rows, target: target) ? stored.rowID : nil
  }

  /// Whether the records meet the rows in their order, so that they need not land.
  var followsRows: Bool {
    mutating get { window?.isLost == false }
  }

  /// Follows a change by another program.
  mutating func follow(_ facts: SchemaFacts) {
    if facts.changesOtherRows { window = nil } else { window?.forgetRows() }
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
  /// - Returns: false if there is no such row, or if the record has no key.
  mutating func find(
    _ record: Int, of batch: borrowing RecordBatch, by rows: inout RowWriter, target: MergeTarget
  ) throws -> Bool {
    if key.isMissing(of: record, in: batch) { return false }
    if case .row(let rowID) = target {
      try reading.bind(1, integer: rowID)
      if try stored.load(&reading), hasKey(of: record, in: batch) { return true }
    }
    try rows.bindKey(key, of: record, in: batch, to: &finding)
    let isFound = try stored.load(&finding)
    if case .next = target { window?.noteSearch(found: isFound ? stored.rowID : nil) }
    return isFound
  }

  private mutating func hasKey(of record: Int, in batch: borrowing RecordBatch) -> Bool {
    key.slots.allSatisfy { slot in
      table.schema.layout.append(slot, of: 0, in: stored.batch, to: &storedValue)
      table.schema.layout.append(slot, of: record, in: batch, to: &recordValue)
      return storedValue.hasSameBytes(as: recordValue)
    }
  }

  /// Computes the digest of the stored row before it is changed.
  mutating func digestStored() throws {
    try stored.loadRelations()
    storedDigest = storedDigester.digest(record: 0, of: stored.batch)
  }

  /// Prepares the stored row for values of a record. References to missing related rows become null.
  private mutating func beginMerge() throws {
    try digestStored()
    stored.clearMissingRelations()
  }

  mutating func insert(
    _ record: Int, of batch: inout RecordBatch, _ names: InputNames,
    by rows: inout RowWriter
  ) throws {
    var text: String?
    if policy == .newestByProperty {
      let time = ranking.time(of: record, in: batch)
      for (index, slot) in mergedSlots.enumerated() {
        times.times[index] = batch[record, slot].isNamed ? time : .never
      }
      times.members = PropertyTimes.Members()
      text = times.text(rowTime: time)
      sortMembers(of: record, in: &batch)
    }
    let inserted = try rows.insert(record: record, of: batch, times: text)
    rowID = inserted
    if places != nil { try places?.add(batch.place(of: record, names), of: inserted) }
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
  mutating func compareContent(of record: Int, of batch: borrowing RecordBatch) -> Int {
    let digest = batch.digest(of: record)
    if digest != storedDigest { return storedDigest < digest ? 1 : -1 }
    _ = recordDigester.digest(record: record, of: batch)
    return recordDigester.compareContent(with: storedDigester)
  }

  mutating func replace(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    window?.forgetRow()
    try rows.update(stored.rowID, to: record, of: batch)
    try rows.replaceRelations(ofRow: stored.rowID, by: record, of: batch)
    try rows.checkReferences()
    batch.countOutcome(
      record: record, .updated, replacing: storedDigest, by: batch.digest(of: record))
  }

  /// Takes the values that a record names; under `store-trump` only values that the row lacks.
  private mutating func mergeProperties(
    _ policy: MergePolicy, _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    try beginMerge()
    let (own, other) = members(with: record, of: batch)
    takenSlots.removeAll(keepingCapacity: true)
    for slot in mergedSlots where batch[record, slot].isNamed {
      if policy == .storeTrump {
        guard stored.batch[0, slot].isNull, own?.replaces(slot) != true,
          !batch[record, slot].isNull || other?.replaces(slot) == true
        else { continue }
      }
      takenSlots.append(slot)
    }
    take(record, of: batch)
    if let unmapped, var own, var other {
      if policy == .storeTrump {
        unmapped.removeKept(from: &other, where: own.others)
        swap(&own.others, &other.others)
      } else {
        unmapped.removeKept(from: &own, where: other.others)
        // An empty object names no attribute, and replaces a value that is no object.
        for (slot, kept) in other.kept where kept.value.members?.isEmpty == true {
          if let former = own.kept[slot], former.depth == kept.depth { own.kept[slot] = kept }
        }
      }
      for slot in takenSlots { own.kept[slot] = other.kept[slot] }
      UnmappedMembers.merge(other.others, into: &own.others)
      stored.setUnmapped(unmapped.text(own))
    } else if let slot = unmapped?.slot, batch[record, slot].isNamed,
      policy == .objectTrump || stored.batch[0, slot].isNull
    {
      stored.copy(slot: slot, from: record, of: batch)
    }
    try writeMerged(record, of: &batch, by: &rows)
  }

  /// Takes each value that is newer, or as new and wins by `ties`. A default is older than all values that a record
  /// names. Unmapped members have times of their own.
  private mutating func mergeNewerProperties(
    _ record: Int, of batch: inout RecordBatch, by rows: inout RowWriter
  ) throws {
    try beginMerge()
    let recordTime = ranking.time(of: record, in: batch)
    let storedTime = ranking.time(of: 0, in: stored.batch)
    times.read(stored.times, rowTime: storedTime)
    let (own, other) = members(with: record, of: batch)
    takenSlots.removeAll(keepingCapacity: true)
    for (index, slot) in mergedSlots.enumerated() where batch[record, slot].kind != .absent {
      let time = batch[record, slot].isDefault ? .never : recordTime
      guard times.times[index] <= time else { continue }
      if times.times[index] == time, ties != .later {
        // The elements of an array win together.
        var order = 0
        for slot in unmapped?.arrays[slot] ?? [slot] where order == 0 {
          table.schema.layout.append(slot, of: 0, in: stored.batch, to: &storedValue)
          table.schema.layout.append(slot, of: record, in: batch, to: &recordValue)
          order = recordValue.compareBytes(with: storedValue)
        }
        let isTaken =
          order == 0
          ? unmapped?.isLess(own?.kept[slot], other?.kept[slot], for: slot) == true : order > 0
        guard isTaken else { continue }
      }
      takenSlots.append(slot)
      times.times[index] = time
    }
    take(record, of: batch)
    if let unmapped, var own, let other {
      for slot in takenSlots { own.kept[slot] = other.kept[slot] }
      takeMembers(other.others, named: recordTime, to: &own)
      unmapped.removeKept(from: &own, where: own.others)
      stored.setUnmapped(unmapped.text(own, isSorted: true))
    } else if let slot = unmapped?.slot, batch[record, slot].isNamed, storedTime <= recordTime {
      stored.copy(slot: slot, from: record, of: batch)
    }
    try writeMerged(
      record, of: &batch, by: &rows,
      times: times.text(rowTime: ranking.time(of: 0, in: stored.batch)),
      otherwise: recordTime < storedTime ? .stale : .unchanged)
  }

  private mutating func takeMembers(
    _ members: [JSONValue.Member], named recordTime: PropertyTime,
    to own: inout UnmappedMembers.Content
  ) {
    var memberTimes = PropertyTimes.Members()
    for member in own.others {
      memberTimes.times[ExactText(member.name)] = times.members[member.name]
    }
    for member in members {
      let name = ExactText(member.name)
      let stored = own.others[member.name]
      let time = stored == nil ? .never : memberTimes.times[name] ?? .never
      guard time <= recordTime else { continue }
      if time == recordTime, ties != .later, let stored {
        guard ExactText(stored.sorted.description) < ExactText(member.value.sorted.description)
        else {
          continue
        }
      }
      own.others[member.name] = member.value
      memberTimes.times[name] = recordTime
    }
    times.members = memberTimes
  }

  private mutating func take(_ record: Int, of batch: borrowing RecordBatch) {
    for slot in takenSlots { stored.copy(slot: slot, from: record, of: batch) }
  }

  /// The unmapped members of the stored row and of a record; nil if none has any, or if some cannot be read.
  private func members(
    with record: Int, of batch: borrowing RecordBatch
  ) -> (own: UnmappedMembers.Content?, other: UnmappedMembers.Content?) {
    guard let unmapped,
      stored.batch[0, unmapped.slot].kind == .text || batch[record, unmapped.slot].kind == .text,
      let own = unmapped.content(of: 0, in: stored.batch),
      let other = unmapped.content(of: record, in: batch)
    else { return (nil, nil) }
    return (own, other)
  }

  /// Sorts the unmapped members of a new record, so that the order of the deliveries does not show in the row.
  private mutating func sortMembers(of record: Int, in batch: inout RecordBatch) {
    guard let unmapped, batch[record, unmapped.slot].kind == .text,
      let content = unmapped.content(of: record, in: batch)
    else { return }
    let text = unmapped.text(content, isSorted: true)
    batch[record, unmapped.slot] = .text(batch.copyToArena(text.utf8Span.span))
    batch.replaceDigest(of: record, by: recordDigester.digest(record: record, of: batch))
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
    window?.forgetRow()
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

/// The positions of the records that became rows in this run, in a temporary table.
struct PlaceLog: ~Copyable {
  private var insertion: Statement
  private var lookup: Statement

  init(connection: Connection) throws {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_place (row INTEGER PRIMARY KEY, place TEXT NOT NULL);
      DELETE FROM temp.poikit_place;
      """)
    let insertion = try connection.prepare(
      "INSERT OR REPLACE INTO temp.poikit_place VALUES (?1, ?2)")
    let lookup = try connection.prepare("SELECT place FROM temp.poikit_place WHERE row = ?1")
    self.insertion = insertion
    self.lookup = lookup
  }

  mutating func add(_ place: String, of rowID: Int64) throws {
    try insertion.bind(1, integer: rowID)
    try insertion.bind(2, text: place)
    try insertion.run()
  }

  /// The position of the record that became a row; nil if the row is older than this run.
  mutating func place(of rowID: Int64) throws -> String? {
    try lookup.bind(1, integer: rowID)
    let place = try lookup.step() ? lookup.text(0) : nil
    try lookup.reset()
    return place
  }
}
