public import JSONStreaming

/// The records and rejects that are written in one transaction.
///
/// Slots hold the values, one arena holds the text. `removeAll` keeps the memory of both.
@usableFromInline
package struct RecordBatch: ~Copyable {
  @usableFromInline package let slotCount: Int

  /// The bytes of a record, not counting its text.
  private let recordByteCount: Int

  /// `slotCount` slots for each record.
  @usableFromInline var slots: GrowableBuffer<ValueSlot>

  @usableFromInline package private(set) var origins: GrowableBuffer<RecordOrigin>

  /// The text of the slots and the raw bytes of the rejects.
  package var arena: GrowableBuffer<UInt8>

  package private(set) var rejects: [Reject] = []

  /// The approximate bytes of the rejects, not counting their text.
  private var rejectByteCount = 0

  @usableFromInline var digests: GrowableBuffer<Digest>

  /// The change of the table's digest when the batch is written.
  package private(set) var digestChange = Digest.zero

  /// The rows of each relation to many.
  package let children: [ChildRecords]
  private let hasChildren: Bool

  /// The counts of unmapped members, by JSON pointer.
  package var unmappedMembers: [ExactText: Int] = [:]

  /// The values that are kept beside their columns, by JSON pointer.
  package var keptMembers: [ExactText: KeptMember] = [:]

  /// The number of records in which an attribute of the key is null or missing.
  package var keylessCount = 0

  /// The number of texts that are not JSON and were skipped between records.
  package var skippedCount = 0

  /// The number of unmapped members that were not counted by name.
  package var otherUnmappedMemberCount = 0

  /// - Parameter recordCapacity: the expected number of records; the batch grows if needed.
  package init(_ layout: RecordLayout, recordCapacity: Int) {
    slotCount = layout.slotCount
    recordByteCount =
      slotCount * MemoryLayout<ValueSlot>.stride + MemoryLayout<RecordOrigin>.stride
      + MemoryLayout<Digest>.stride
    slots = GrowableBuffer(minimumCapacity: recordCapacity * max(slotCount, 1))
    origins = GrowableBuffer(minimumCapacity: recordCapacity)
    // 256 bytes of text for each record.
    arena = GrowableBuffer(minimumCapacity: recordCapacity << 8)
    digests = GrowableBuffer(minimumCapacity: recordCapacity)
    children = layout.relations.map { ChildRecords($0.layout) }
    hasChildren = !children.isEmpty
  }

  /// The number of rejects that were decoded without an issue and then refused by the table.
  private(set) var refusedCount = 0

  /// The number of records that were read and left out, because they belong to another shard.
  package private(set) var elsewhereCount = 0

  package private(set) var merged = MergeCounts()

  /// The number of records that were decoded without an issue.
  @inlinable package var recordCount: Int { origins.count }

  /// The number of records read into the batch, accepted or not.
  package var readCount: Int { origins.count + rejects.count - refusedCount + elsewhereCount }

  /// The number of records that become new rows.
  package var insertedCount: Int { origins.count - refusedCount - merged.total }

  package var byteCount: Int {
    @inline(__always)
    get {
      let ownCount = arena.count + recordCount * recordByteCount + rejectByteCount
      return hasChildren ? ownCount + childByteCount : ownCount
    }
  }

  private var childByteCount: Int {
    @inline(never)
    get { children.reduce(0) { $0 + $1.byteCount } }
  }

  package var isEmpty: Bool { readCount == 0 }

  package subscript(record: Int, slot: Int) -> ValueSlot {
    @inlinable get { slots[record &* slotCount &+ slot] }
    @inlinable set { slots[record &* slotCount &+ slot] = newValue }
  }

  /// The timestamp of a record, in microseconds since 1970; nil if it has none. A date is the start of its
  /// day in UTC.
  ///
  /// - Parameter slot: the slot of the timestamp; nil if the model has none.
  @inline(__always)
  package func timestamp(of record: Int, slot: Int?) -> Int64? {
    guard let slot else { return nil }
    let value = self[record, slot]
    return value.kind == .integer ? value.integer : timestamp(of: value)
  }

  @inline(never)
  private func timestamp(of value: ValueSlot) -> Int64? {
    value.kind == .text
      ? Instant(timestamp: arena.span.extracting(value.textRange))?.microseconds : nil
  }

  /// Whether a record has the values of a record of another batch with the same layout, so that its content is the
  /// same: `absent` is `null`, and numbers have one type. Relations to many are not compared.
  package func hasSameValues(
    _ record: Int, as row: Int, of other: borrowing RecordBatch
  ) -> Bool {
    for slot in 0..<slotCount where !hasSameValue(record, as: row, of: other, slot: slot) {
      return false
    }
    return true
  }

  /// Whether the value of one slot is the same.
  @inline(__always)
  package func hasSameValue(
    _ record: Int, as row: Int, of other: borrowing RecordBatch, slot: Int
  ) -> Bool {
    let (value, stored) = (self[record, slot], other[row, slot])
    switch (value.kind, stored.kind) {
    case (.text, .text):
      return value.textCount == stored.textCount
        && arena.span.extracting(value.textRange).hasSameBytes(
          as: other.arena.span.extracting(stored.textRange))
    case (.integer, .real): return Double(exactly: value.integer) == stored.real
    case (.real, .integer): return Double(exactly: stored.integer) == value.real
    case (.integer, .integer), (.real, .real): return value.bits == stored.bits
    case (.related, .related): return true
    default: return value.isNull && stored.isNull
    }
  }

  /// Begins a record with all slots absent and returns its index; `accept` or `discard` ends it.
  package mutating func beginRecord() -> Int {
    let record = origins.count
    slots.append(repeating: .absent, count: slotCount)
    return record
  }

  /// Keeps the current record.
  @inline(__always)
  package mutating func accept(_ origin: RecordOrigin) {
    origins.append(origin)
    if hasChildren { endParent() }
  }

  @inline(never)
  private func endParent() {
    for child in children { child.endParent() }
  }

  /// Removes the current record, and its text from `arenaStart` on.
  mutating func discard(arenaStart: Int) {
    slots.truncate(to: origins.count * slotCount)
    arena.truncate(to: arenaStart)
    if hasChildren { for child in children { child.truncate(toParents: origins.count) } }
  }

  /// Removes the record accepted last, and its text from `arenaStart` on.
  mutating func removeLast(arenaStart: Int) {
    truncate(to: origins.count - 1, arenaStart: arenaStart)
  }

  /// Leaves out the record accepted last, whose text begins at `arenaStart`.
  package mutating func leaveOutLast(arenaStart: Int) {
    removeLast(arenaStart: arenaStart)
    elsewhereCount += 1
  }

  /// Removes all records except the first `recordCount`, whose text ends at `arenaStart`.
  mutating func truncate(to recordCount: Int, arenaStart: Int) {
    for record in recordCount..<digests.count { digestChange -= digests[record] }
    digests.truncate(to: min(digests.count, recordCount))
    origins.truncate(to: recordCount)
    discard(arenaStart: arenaStart)
  }

  /// Adds the digest of the last record.
  package mutating func addDigestOfLastRecord(_ digest: Digest) {
    digests.append(digest)
    digestChange += digest
  }

  /// Adds a reject for a record that the table refused. Its slots remain, but it no longer counts.
  package mutating func refuse(record: Int, because issues: [Issue]) {
    refusedCount += 1
    digestChange -= digests[record]
    let origin = origins[record]
    let isKept = !origin.raw.isEmpty
    var issues = issues
    if !isKept {
      issues[0].message +=
        "; its bytes were not kept when it was read: it begins after byte \(origin.byteOffset) of the "
        + "input"
    }
    rejects.append(
      Reject(
        origin: origin,
        member: origin.member.map { String(copying: arena.span.extracting($0)) },
        issues: issues, hasLocation: isKept))
  }

  /// Replaces the origin of the last record by one with its place and bytes.
  mutating func keepOriginOfLastRecord(_ origin: RecordOrigin) {
    var origin = origin
    origin.isDeletion = origins[recordCount - 1].isDeletion
    origins[recordCount - 1] = origin
  }

  @inlinable
  package func digest(of record: Int) -> Digest { digests[record] }

  /// Replaces the digest of a record of which a value was written in another form.
  package mutating func replaceDigest(of record: Int, by digest: Digest) {
    digestChange -= digests[record]
    digestChange += digest
    digests[record] = digest
  }

  /// Counts a record that is not inserted. `addDigestOfLastRecord` counted its digest as an insertion; this
  /// replaces that by the change from `former` to `digest`.
  package mutating func countOutcome(
    record: Int, _ outcome: MergeOutcome, replacing former: Digest = .zero,
    by digest: Digest = .zero
  ) {
    merged.add(outcome)
    digestChange -= digests[record]
    digestChange -= former
    digestChange += digest
  }

  /// Counts a record that differs from the stored one and is neither newer nor older.
  package mutating func countTie() { merged.addTie() }

  /// Counts a kept row that is older than the record.
  package mutating func countOlder() { merged.addOlder() }

  /// Copies a slot from a record of another batch with the same layout.
  package mutating func copy(
    slot: Int, from record: Int, of other: borrowing RecordBatch, to target: Int
  ) {
    let value = other[record, slot]
    guard value.kind == .text else {
      self[target, slot] = value
      return
    }
    let range = copyToArena(other.arena.span.extracting(value.textRange))
    self[target, slot] = .text(range)
  }

  mutating func reject(_ reject: Reject) {
    rejects.append(reject)
    rejectByteCount += reject.issues.reduce(MemoryLayout<Reject>.stride) { count, issue in
      count + MemoryLayout<Issue>.stride + issue.message.utf8.count
    }
  }

  /// Copies bytes into the arena and returns their range.
  package mutating func copyToArena(_ bytes: Span<UInt8>) -> Range<Int> {
    let start = arena.count
    arena.append(copying: bytes)
    return start..<arena.count
  }

  /// Removes all records and keeps the capacity.
  package mutating func removeAll() {
    slots.removeAll()
    origins.removeAll()
    arena.removeAll()
    if !rejects.isEmpty { rejects.removeAll(keepingCapacity: true) }
    rejectByteCount = 0
    refusedCount = 0
    elsewhereCount = 0
    merged = MergeCounts()
    digests.removeAll()
    digestChange = .zero
    for child in children { child.removeAll() }
    if !unmappedMembers.isEmpty { unmappedMembers.removeAll(keepingCapacity: true) }
    if !keptMembers.isEmpty { keptMembers.removeAll(keepingCapacity: true) }
    otherUnmappedMemberCount = 0
    (keylessCount, skippedCount) = (0, 0)
  }
}

/// The place that a record came from, and how it is treated.
@usableFromInline
package struct RecordOrigin: BitwiseCopyable {
  /// 0-based number of the record in its input, including rejected records.
  package var index: Int
  /// 0-based offset of its first byte.
  package var byteOffset: Int
  /// 0-based; known only for rejected records and if raw records are kept.
  package var line = 0
  /// 0-based, in bytes; known if `line` is known.
  package var column = 0
  /// Whether the record is a removal without a row of its own.
  package var isDeletion = false
  /// The 0-based number of the input; nil for the current input.
  package var inputIndex: Int?
  /// The record's bytes in the batch's arena; empty if raw records are not kept.
  package var raw: Range<Int> {
    get { rawStart..<(rawStart + rawCount) }
    set { (rawStart, rawCount) = (newValue.lowerBound, newValue.count) }
  }

  /// The name of the member that held the record, in the batch's arena directly after `raw`.
  package var member: Range<Int>? {
    get { hasMember ? raw.upperBound..<raw.upperBound + Int(memberCount) : nil }
    set {
      precondition(newValue.map { $0.lowerBound == raw.upperBound } ?? true)
      hasMember = newValue != nil
      memberCount = UInt32(newValue?.count ?? 0)
    }
  }

  private var hasMember = false
  private var memberCount: UInt32 = 0
  private var rawStart = 0
  private var rawCount = 0

  package init(index: Int, byteOffset: Int) {
    self.index = index
    self.byteOffset = byteOffset
  }
}

/// A rejected record.
package struct Reject {
  /// The position of the record, with its raw bytes.
  package var origin: RecordOrigin
  /// The name of the member that held the record, in an object of objects.
  package var member: String?
  /// At least one.
  package var issues: [Issue]
  /// False if line and column were not computed.
  var hasLocation = true

  /// The line as it is stored: 1-based, or 0 if unknown.
  package var line: Int { hasLocation ? origin.line + 1 : 0 }
  /// The column as it is stored: 1-based, or 0 if unknown.
  package var column: Int { hasLocation ? origin.column + 1 : 0 }
}

/// The number of accepted records that did not become new rows, by outcome.
package struct MergeCounts {
  package private(set) var updated = 0
  package private(set) var unchanged = 0
  package private(set) var stale = 0
  package private(set) var ignored = 0
  package private(set) var removals = 0
  package private(set) var kept = 0

  /// The kept ones whose stored rows are older.
  package private(set) var keptOlder = 0

  /// The updated and stale records that differ from the stored one with the same timestamp, or also without one.
  package private(set) var tied = 0

  package init() {}

  var total: Int { updated + unchanged + stale + ignored + removals + kept }

  package mutating func addTie() { tied += 1 }

  mutating func addOlder() { keptOlder += 1 }

  package mutating func add(_ outcome: MergeOutcome) {
    switch outcome {
    case .inserted: break
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    case .stale: stale += 1
    case .ignored: ignored += 1
    case .removal: removals += 1
    case .kept: kept += 1
    }
  }
}

/// The outcome of merging an accepted record.
package enum MergeOutcome: Hashable {
  /// The record became a new row.
  case inserted
  /// The record changed a stored row.
  case updated
  /// The stored row already has the same values and was not written.
  case unchanged
  /// The stored row is newer.
  case stale
  /// The policy keeps the stored row in any case.
  case ignored
  /// The record is a removal: it is remembered, and a stored row that loses against it is deleted.
  case removal
  /// The stored row has local changes.
  case kept
}

/// The values at one place that their column cannot hold, and that are kept with the unmapped members.
package struct KeptMember: Sendable, Equatable {
  package var count = 0

  /// The first one, as JSON; only its beginning if it is long.
  package var example: String

  package init(count: Int = 0, example: String) {
    self.count = count
    self.example = example
  }

  package func adding(_ later: KeptMember) -> KeptMember {
    KeptMember(count: count + later.count, example: example)
  }
}
