internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// The state of a run, committed with each batch. A resumed run produces the same store as an uninterrupted
/// one.
struct ImportCheckpoint {
  var progress = InputProgress()

  /// The number of inputs; nil if unknown before they end.
  var inputCount: Int?

  var policy = MergePolicy.append
  var ties = TieRule.digest

  /// How far the rows of a first import are; nil if records are merged as they are read.
  var appending: Appending?

  /// The progress of landed records; nil if no records have landed.
  var landing: LandingProgress?

  var isSnapshot = false

  /// The number of rows that the snapshot can remove, counted when the run began.
  var removableRowCount = 0

  /// The digest of the model's document. Landed records can be read only with the same model.
  var model: String?

  var counters = ImportReport.Counters()
  var batchCount = 0
  var keylessCount = 0
  var tiedCount = 0
  var keptOlderCount = 0
  var skippedCount = 0
  var rejectsByRule: [String: Int] = [:]
  var rejectsByAttribute: [String: [String: Int]] = [:]
  /// Whether a reject begins as an object, even if it is malformed.
  var rejectsObjects = false
  var unmappedMembers: [ExactText: Int] = [:]
  var otherUnmappedMemberCount = 0
  var keptMembers: [ExactText: KeptMember] = [:]

  /// The number of attributes with rejects that are counted for each rule.
  private static let attributeLimit = 100

  /// The record with the latest timestamp; nil if the model names no timestamp.
  var highest: LatestRecord?

  var digest = Digest.zero

  var json: JSONValue {
    .object([
      "version": .number(1),
      "inputCount": .number(inputCount),
      "begunInputs": .number(progress.begunInputCount),
      "finishedInputs": .number(progress.finishedInputCount),
      "position": .array(progress.position.fields.map { .number($0) }),
      "merge": .string(policy.rawValue),
      "ties": .string(ties.rawValue),
      "appending": appending?.json ?? .null,
      "landing": landing?.json ?? .null,
      "snapshot": .bool(isSnapshot),
      "removable": .number(removableRowCount),
      "model": .string(model),
      "counters": countersJSON(),
      "batches": .number(batchCount),
      "keyless": .number(keylessCount),
      "tied": .number(tiedCount),
      "keptOlder": .number(keptOlderCount),
      "skipped": .number(skippedCount),
      "rejects": .counts(rejectsByRule.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      "rejectsByAttribute": .counts(nested: rejectsByAttribute),
      "rejectsObjects": .bool(rejectsObjects),
      "unmapped": .counts(
        unmappedMembers.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }),
      "otherUnmapped": .number(otherUnmappedMemberCount),
      "kept": .object(
        keptMembers.sorted { $0.key < $1.key }.map { pointer, kept in
          JSONValue.Member(
            name: pointer.text, value: .array([.number(kept.count), .string(kept.example)]))
        }),
      "highest": highest?.json ?? .null,
      "digest": .array([.number(digest.high), .number(digest.low)]),
    ])
  }

  /// The counters as the store's run keeps them.
  ///
  /// - Parameters:
  ///   - isRefused: whether the run is a snapshot whose removals were refused.
  ///   - archivedCount: the number of rows that a snapshot archived.
  func countersJSON(isRefused: Bool = false, archivedCount: Int? = nil) -> JSONValue {
    var counts = counters.byName.map { ($0.name, $0.count) }
    if isRefused { counts.append(("refused", 1)) }
    if let archivedCount { counts.append(("archived", archivedCount)) }
    return .counts(counts)
  }

  /// Reads a stored checkpoint; nil if the text is not a checkpoint or contradicts itself.
  ///
  /// - Parameter inputs: the inputs that the run has begun, stored beside it.
  init?(_ text: String, inputs: [ImportReport.Input]) {
    guard let json = JSONValue.stored(text), json["version"]?.integer == 1,
      !inputs.isEmpty, ImportCheckpoint.count(json["begunInputs"]) == inputs.count,
      let finished = ImportCheckpoint.count(json["finishedInputs"]), finished <= inputs.count,
      let position = json["position"]?.elements, let counters = json["counters"],
      let batches = ImportCheckpoint.count(json["batches"]),
      let digest = json["digest"]?.elements,
      let rejects = ImportCheckpoint.counts(json["rejects"]),
      let unmapped = ImportCheckpoint.counts(json["unmapped"]),
      let otherUnmapped = ImportCheckpoint.count(json["otherUnmapped"]),
      let removable = ImportCheckpoint.count(json["removable"]),
      let policy = json["merge"]?.string.flatMap(MergePolicy.init),
      digest.count == 2, let high = ImportCheckpoint.unsigned(digest[0]),
      let low = ImportCheckpoint.unsigned(digest[1]),
      let readingPosition = ReadingPosition(fields: position.compactMap(ImportCheckpoint.unsigned)),
      readingPosition.byteOffset <= RunRecord.greatestCount,
      readingPosition.elementCount <= RunRecord.greatestCount
    else { return nil }
    progress.input = inputs.last
    progress.begunInputCount = inputs.count
    inputCount = ImportCheckpoint.count(json["inputCount"])
    progress.finishedInputCount = finished
    progress.position = readingPosition
    self.policy = policy
    appending = Appending(json["appending"])
    landing = LandingProgress(json["landing"])
    isSnapshot = json["snapshot"] == .bool(true)
    removableRowCount = removable
    model = json["model"]?.string
    for counter in ImportReport.Counters.all {
      // A checkpoint of an older version lacks these.
      let missing: JSONValue? = ["elsewhere", "kept"].contains(counter.key) ? .number(0) : nil
      guard let count = ImportCheckpoint.count(counters[counter.key] ?? missing) else {
        return nil
      }
      self.counters[keyPath: counter.value] = count
    }
    guard self.counters.areBalanced else { return nil }
    batchCount = batches
    for (rule, count) in rejects { rejectsByRule[rule.text] = count }
    ties = json["ties"]?.string.flatMap(TieRule.init) ?? .digest
    tiedCount = ImportCheckpoint.count(json["tied"]) ?? 0
    keptOlderCount = ImportCheckpoint.count(json["keptOlder"]) ?? 0
    keylessCount = ImportCheckpoint.count(json["keyless"]) ?? 0
    skippedCount = ImportCheckpoint.count(json["skipped"]) ?? 0
    for member in json["rejectsByAttribute"]?.members ?? [] {
      for (attribute, count) in ImportCheckpoint.counts(member.value) ?? [:] {
        rejectsByAttribute[member.name, default: [:]][attribute.text] = count
      }
    }
    rejectsObjects = json["rejectsObjects"] == .bool(true)
    unmappedMembers = unmapped
    otherUnmappedMemberCount = otherUnmapped
    for member in json["kept"]?.members ?? [] {
      guard let parts = member.value.elements, parts.count == 2,
        let count = ImportCheckpoint.count(parts[0]), let example = parts[1].string
      else { return nil }
      keptMembers[ExactText(member.name)] = KeptMember(count: count, example: example)
    }
    highest = json["highest"].flatMap(LatestRecord.init)
    self.digest = Digest(high: high, low: low)
  }

  init() {}

  /// The checkpoint after a batch that was read.
  ///
  /// - Parameters:
  ///   - progress: the progress of the inputs at the end of the batch.
  ///   - isLanded: whether its records landed.
  func advanced(
    by batch: borrowing RecordBatch, _ progress: InputProgress, isLanded: Bool
  ) -> ImportCheckpoint {
    var next = self
    next.progress = progress
    next.counters.read += batch.readCount
    next.counters.elsewhere += batch.elsewhereCount
    if isLanded {
      next.landing = landing ?? LandingProgress()
      next.counters.landed += batch.recordCount
    } else {
      next.countRows(of: batch)
    }
    next.countRejects(of: batch)
    next.keylessCount += batch.keylessCount
    next.skippedCount += batch.skippedCount
    if !batch.isEmpty { next.batchCount += 1 }
    for (pointer, count) in batch.unmappedMembers {
      next.unmappedMembers[pointer, default: 0] += count
    }
    next.otherUnmappedMemberCount += batch.otherUnmappedMemberCount
    next.keptMembers.merge(batch.keptMembers) { $0.adding($1) }
    return next
  }

  /// The checkpoint after a batch of landed records was merged.
  func advanced(byMerging batch: borrowing RecordBatch) -> ImportCheckpoint {
    var next = self
    next.counters.landed -= batch.recordCount
    next.countRows(of: batch)
    next.countRejects(of: batch)
    next.batchCount += 1
    return next
  }

  /// Counts the rows that were appended by what merging would have made of their records.
  mutating func count(_ outcomes: MergeCounts) {
    counters.inserted -= outcomes.updated + outcomes.unchanged + outcomes.stale
    counters.updated += outcomes.updated
    counters.unchanged += outcomes.unchanged
    counters.stale += outcomes.stale
    tiedCount += outcomes.tied
    appending?.isCounted = true
  }

  private mutating func countRows(of batch: borrowing RecordBatch) {
    counters.inserted += batch.insertedCount
    counters.updated += batch.merged.updated
    counters.unchanged += batch.merged.unchanged
    counters.stale += batch.merged.stale
    counters.ignored += batch.merged.ignored
    counters.removals += batch.merged.removals
    counters.kept += batch.merged.kept
    keptOlderCount += batch.merged.keptOlder
    tiedCount += batch.merged.tied
    digest += batch.digestChange
  }

  private mutating func countRejects(of batch: borrowing RecordBatch) {
    counters.rejected += batch.rejects.count
    for reject in batch.rejects {
      let issue = reject.issues[0]
      rejectsByRule[issue.rule, default: 0] += 1
      if let attribute = issue.attribute {
        let known = rejectsByAttribute[issue.rule] ?? [:]
        if known[attribute] != nil || known.count < ImportCheckpoint.attributeLimit {
          rejectsByAttribute[issue.rule, default: [:]][attribute, default: 0] += 1
        }
      }
      let raw = reject.origin.raw
      if !raw.isEmpty, batch.arena[raw.lowerBound] == UInt8(ascii: "{") { rejectsObjects = true }
    }
  }

  private static func counts(_ json: JSONValue?) -> [ExactText: Int]? {
    guard let members = json?.members else { return nil }
    var counts: [ExactText: Int] = [:]
    for member in members {
      guard let count = ImportCheckpoint.count(member.value) else { return nil }
      counts[ExactText(member.name)] = count
    }
    return counts
  }

  private static func count(_ json: JSONValue?) -> Int? {
    guard let count = json?.integer, (0...RunRecord.greatestCount).contains(count) else {
      return nil
    }
    return count
  }

  private static func unsigned(_ json: JSONValue) -> UInt64? {
    if case .number(let lexeme) = json { UInt64(lexeme) } else { nil }
  }
}

/// The progress of a first import, whose records become rows before its duplicates are removed.
struct Appending {
  /// The greatest row id before the run; 0 unless an abandoned import left rows.
  let boundary: Int64

  /// Whether the outcomes of the records are counted. Then duplicates may be removed.
  var isCounted = false

  init(after boundary: Int64) { self.boundary = boundary }

  var json: JSONValue { .object(["after": .number(Int(boundary)), "counted": .bool(isCounted)]) }

  /// Reads the progress from JSON; nil if it is null.
  init?(_ json: JSONValue?) {
    guard let boundary = json?["after"]?.integer else { return nil }
    self.boundary = Int64(boundary)
    isCounted = json?["counted"] == .bool(true)
  }
}

/// The progress of a run whose records land before they are merged.
struct LandingProgress {
  /// The greatest row id of the table when merging began; nil while records still land.
  var boundary: Int64?

  init() {}

  var json: JSONValue { .object(["boundary": boundary.map { .number($0) } ?? .null]) }

  /// Reads the progress from JSON; nil if it is null.
  init?(_ json: JSONValue?) {
    guard let members = json?.members, !members.isEmpty else { return nil }
    boundary = json?["boundary"]?.integer.map(Int64.init)
  }
}

extension ReadingPosition {
  /// The position as numbers, in the order of a stored checkpoint.
  fileprivate var fields: [UInt64] { [UInt64(byteOffset), UInt64(elementCount), inputHash, state] }

  fileprivate init?(fields: [UInt64]) {
    guard fields.count == 4, let byteOffset = Int(exactly: fields[0]),
      let elementCount = Int(exactly: fields[1])
    else { return nil }
    self.init(
      byteOffset: byteOffset, elementCount: elementCount, inputHash: fields[2], state: fields[3])
  }
}
