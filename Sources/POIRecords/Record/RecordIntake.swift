package import JSONStreaming

/// Decodes elements of the reader into a batch, as records or rejects.
package struct RecordIntake: ~Copyable {
  var decoder: RecordDecoder
  package var batch: RecordBatch
  private let batchCapacity: Int
  private var digester: RecordDigester

  /// Whether accepted records keep their bytes, for the case that the table refuses them.
  package var keepsRawRecords = false

  /// Whether records may lack required attributes outside the key. They keep their bytes, for the case that
  /// the merge finds no row.
  package var acceptsPartialRecords: Bool {
    get { decoder.acceptsPartialRecords }
    set { decoder.acceptsPartialRecords = newValue }
  }

  /// What the validators asked of the records; nil without validators.
  package let questions: RecordQuestions?

  /// What the model would have to accept so that rejects fit.
  package private(set) var misfits: Misfits

  private var rejectLines = RejectLineDetector()

  private let limits: ReadingLimits

  /// The slots of the attributes in the key that may be null.
  private let nullableKeySlots: [Int]

  /// - Parameters:
  ///   - latestTimestamp: records with a later timestamp are rejected.
  ///   - expectedBatchSize: in records; a batch grows if needed.
  package init(
    model: Model, limits: ReadingLimits, validators: [any RecordValidator],
    latestTimestamp: Instant? = nil, expectedBatchSize: Int = BatchPace.smallestSize
  ) {
    self.limits = limits
    misfits = Misfits(of: model)
    decoder = RecordDecoder(
      model: model, validators: validators, latestTimestamp: latestTimestamp)
    questions = validators.isEmpty ? nil : decoder.questions
    batchCapacity = min(expectedBatchSize, BatchPace.largestSize)
    batch = RecordBatch(decoder.layout, recordCapacity: batchCapacity)
    digester = RecordDigester(model)
    nullableKeySlots = (model.groupsNullKeys ? [] : model.key).compactMap { name in
      model.attributes.firstIndex { $0.name.isExactly(name) && !$0.isColumnNotNull }
    }
  }

  /// A new batch of the same capacity.
  package func emptyBatch() -> RecordBatch {
    RecordBatch(decoder.layout, recordCapacity: batchCapacity)
  }

  /// Completes the counts of the batch: its unmapped members, and its records without a key.
  package mutating func completeCounts() {
    if !nullableKeySlots.isEmpty {
      batch.keylessCount = (0..<batch.recordCount).count { record in
        nullableKeySlots.contains { batch[record, $0].isNull }
      }
    }
    decoder.moveKept(to: &batch.keptMembers)
    decoder.moveTally(
      to: &batch.unmappedMembers, otherCount: &batch.otherUnmappedMemberCount)
  }

  /// Begins a new input.
  ///
  /// - Parameter isOfTexts: whether all values are texts, as in delimited text.
  package mutating func beginInput(ofTexts isOfTexts: Bool = false) {
    rejectLines = RejectLineDetector()
    decoder.isOfRows = isOfTexts
  }

  /// The steps to the values of columns that are not members of their own name, by the names of the columns.
  package var columnPlaces: [[UInt8]: [String]] { decoder.layout.columnPlaces }

  /// Adds the current element of `reader`.
  package mutating func addElement(of reader: inout ElementReader) {
    if rejectLines.isRejectLine(JSONElement(reader)) { return addRejectLine(of: &reader) }
    var origin = RecordOrigin(index: reader.elementIndex, byteOffset: reader.elementByteOffset)
    if keepsRawRecords {
      (origin.line, origin.column) = reader.location(ofByteOffset: origin.byteOffset)
      origin.raw = copyRaw(of: reader)
      if let name = reader.memberName {
        origin.member = batch.copyToArena(reader.tape.text(of: name))
      }
    }
    if decode(JSONElement(reader), origin: origin) {
      if decoder.isPartial, !keepsRawRecords {
        let raw = copyRaw(of: reader)
        let member = reader.memberName.map { batch.copyToArena(reader.tape.text(of: $0)) }
        keepOrigin(of: &reader, raw: raw, member: member)
      }
      return
    }
    misfits.note(JSONElement(reader), rejectedBy: decoder.issues)
    rejectElement(of: &reader, issues: decoder.issues)
  }

  /// Adds the current, malformed element of `reader` as a reject.
  package mutating func addReject(_ malformation: Malformation, of reader: inout ElementReader) {
    var issue = Issue(malformation, ofElementAt: reader.elementByteOffset)
    if reader.isCut {
      issue.message += "; only its first \(reader.elementBytes.count) bytes are kept"
    }
    rejectElement(of: &reader, issues: [issue])
  }

  private mutating func addRejectLine(of reader: inout ElementReader) {
    guard let line = RejectLine(JSONElement(reader)) else {
      return rejectElement(
        of: &reader,
        issues: Self.flaw("the reject line holds no record in \"raw\" or \"raw_base64\""))
    }
    let issues = decode(line, of: &reader)
    if !issues.isEmpty {
      let origin = origin(of: &reader)
      reject(batch.copyToArena(line.raw.span), origin: origin, member: line.member, issues: issues)
    }
  }

  private static func flaw(_ message: String) -> [Issue] {
    [Issue(rule: "reject-line", attribute: nil, message: message)]
  }

  /// Decodes the record in a reject line and returns its issues. The record gets the position of its reject
  /// line.
  private mutating func decode(_ line: RejectLine, of reader: inout ElementReader) -> [Issue] {
    let isMember = line.member != nil || line.holdsMember
    var inner = ElementReader(
      shape: isMember ? .container(JSONPointer(tokens: [])) : .sequence, limits: limits)
    if isMember { inner.append([UInt8(ascii: "{")].span) }
    if let member = line.member { inner.append(Array("\(JSONText.quoted(member)):".utf8).span) }
    inner.append(line.raw.span)
    if isMember { inner.append([UInt8(ascii: "}")].span) }
    inner.finish()
    do throws(ReadingError) {
      switch try inner.next() {
      case .element:
        var origin = RecordOrigin(
          index: reader.elementIndex, byteOffset: reader.elementByteOffset)
        if keepsRawRecords {
          origin = self.origin(of: &reader)
          origin.raw = batch.copyToArena(line.raw.span)
          if let member = line.member { origin.member = batch.copyToArena(member.utf8Span.span) }
        }
        let arenaStart = batch.arena.count
        guard decode(JSONElement(inner), origin: origin) else { return decoder.issues }
        guard RecordIntake.isAtEnd(&inner) else {
          batch.removeLast(arenaStart: arenaStart)
          return Self.flaw(
            "the reject line's record is followed by something; one line holds one record")
        }
        if decoder.isPartial, !keepsRawRecords {
          let raw = batch.copyToArena(line.raw.span)
          let member = line.member.map { batch.copyToArena($0.utf8Span.span) }
          keepOrigin(of: &reader, raw: raw, member: member)
        }
        return []
      case .malformed(let malformation):
        // The offset must not count the name that was added in front.
        let nameByteCount = line.member.map { JSONText.quoted($0).utf8.count + 1 } ?? 0
        return [Issue(malformation, ofElementAt: inner.elementByteOffset + nameByteCount)]
      case .end, .needsInput:
        return Self.flaw("the reject line's record is empty")
      }
    } catch {
      return [Issue(rule: "syntax", attribute: nil, message: error.message)]
    }
  }

  private static func isAtEnd(_ reader: inout ElementReader) -> Bool {
    if case .end? = try? reader.next() { true } else { false }
  }

  private mutating func decode(_ element: JSONElement, origin: RecordOrigin) -> Bool {
    guard decoder.decode(element, origin: origin, into: &batch) else { return false }
    let record = batch.recordCount - 1
    batch.addDigestOfLastRecord(
      batch.origins[record].isDeletion ? .zero : digester.digest(record: record, of: batch))
    return true
  }

  private mutating func keepOrigin(
    of reader: inout ElementReader, raw: Range<Int>, member: Range<Int>?
  ) {
    var origin = origin(of: &reader)
    origin.raw = raw
    origin.member = member
    batch.keepOriginOfLastRecord(origin)
  }

  private func origin(of reader: inout ElementReader) -> RecordOrigin {
    var origin = RecordOrigin(index: reader.elementIndex, byteOffset: reader.elementByteOffset)
    (origin.line, origin.column) = reader.location(ofByteOffset: origin.byteOffset)
    return origin
  }

  private mutating func rejectElement(of reader: inout ElementReader, issues: [Issue]) {
    let origin = origin(of: &reader)
    let member = reader.memberName.map { String(copying: reader.tape.text(of: $0)) }
    reject(copyRaw(of: reader), origin: origin, member: member, issues: issues)
  }

  /// Copies the bytes of the current element; a whole row as JSON.
  private mutating func copyRaw(of reader: borrowing ElementReader) -> Range<Int> {
    guard decoder.isOfRows, !reader.elementTokens.isEmpty else {
      return batch.copyToArena(reader.elementBytes)
    }
    var text = GrowableBuffer<UInt8>()
    let element = JSONElement(reader)
    decoder.append(rowAt: element.start, of: element, to: &text)
    return batch.copyToArena(text.span)
  }

  private mutating func reject(
    _ raw: Range<Int>, origin: RecordOrigin, member: String?, issues: [Issue]
  ) {
    var origin = origin
    origin.raw = raw
    batch.reject(Reject(origin: origin, member: member, issues: issues))
  }
}
