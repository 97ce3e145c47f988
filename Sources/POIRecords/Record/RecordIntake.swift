package import JSONStreaming

/// Takes elements from the reader, decodes them into the batch, and keeps those that are refused as
/// rejects.
package struct RecordIntake: ~Copyable {
  var decoder: RecordDecoder
  package var batch: RecordBatch
  private let batchCapacity: Int
  private var digester: RecordDigester

  /// Whether accepted records keep their bytes, because the table may still refuse them.
  package var keepsRawRecords = false

  private var rejectLines = RejectLineDetector()

  /// What a record may be at most.
  private let limits: ReadingLimits

  /// - Parameters:
  ///   - latestTimestamp: a record with a later timestamp is refused.
  ///   - batchSize: how many records the batch holds at most.
  package init(
    model: Model, limits: ReadingLimits, validators: [any RecordValidator],
    latestTimestamp: Instant? = nil, batchSize: Int = BatchPace.smallestSize
  ) {
    self.limits = limits
    decoder = RecordDecoder(
      model: model, validators: validators, latestTimestamp: latestTimestamp)
    batchCapacity = min(batchSize, BatchPace.largestSize)
    batch = RecordBatch(decoder.layout, recordCapacity: batchCapacity)
    digester = RecordDigester(model)
  }

  /// A batch of the same capacity.
  package func emptyBatch() -> RecordBatch {
    RecordBatch(decoder.layout, recordCapacity: batchCapacity)
  }

  /// Moves the counts of members that no attribute maps to the batch.
  package mutating func moveTally() {
    decoder.moveTally(
      to: &batch.unmappedMembers, others: &batch.otherUnmappedMemberCount)
  }

  /// Forgets what the first element of the input before has told.
  package mutating func beginInput() { rejectLines = RejectLineDetector() }

  /// Takes the element that `reader` stands on.
  ///
  /// - Throws: `ReadingError` when there is no memory to read the record inside a reject line.
  package mutating func addElement(of reader: inout ElementReader) throws(ReadingError) {
    var origin = RecordOrigin(index: reader.elementIndex, byteOffset: reader.elementByteOffset)
    if keepsRawRecords, !rejectLines.isRejectLine(JSONElement(reader)) {
      (origin.line, origin.column) = reader.location(ofByteOffset: origin.byteOffset)
      origin.raw = batch.keep(reader.elementBytes)
      if let name = reader.memberName { origin.member = batch.keep(reader.tape.text(of: name)) }
    }
    switch decodeUnlessMarked(JSONElement(reader), origin: origin) {
    case true?: return
    case false?: rejectRecord(of: &reader)
    case nil: try addRejectLine(RejectLine(JSONElement(reader)), of: &reader)
    }
  }

  /// Decodes an element.
  ///
  /// - Returns: whether it was accepted; nothing where it is a reject line.
  @inline(__always)
  private mutating func decodeUnlessMarked(_ element: JSONElement, origin: RecordOrigin) -> Bool? {
    if rejectLines.isRejectLine(element) { return nil }
    return decode(element, origin: origin)
  }

  private mutating func rejectRecord(of reader: inout ElementReader) {
    let member = reader.memberName.map { String(copying: reader.tape.text(of: $0)) }
    rejectElement(of: &reader, member: member, issues: decoder.issues)
  }

  /// Takes the malformed element that `reader` stands on.
  package mutating func addReject(_ malformation: Malformation, of reader: inout ElementReader) {
    var issue = Issue(malformation, ofElementAt: reader.elementByteOffset)
    if reader.isCut {
      issue.message += "; only its first \(reader.elementBytes.count) bytes are kept"
    }
    rejectElement(of: &reader, member: nil, issues: [issue])
  }

  /// Takes the record inside a line of a reject file.
  private mutating func addRejectLine(
    _ line: RejectLine?, of reader: inout ElementReader
  ) throws(ReadingError) {
    guard let line else {
      return rejectElement(
        of: &reader, member: nil,
        issues: [
          Issue(
            rule: "reject-line", attribute: nil,
            message: "the reject line holds no record in \"raw\" or \"raw_base64\"")
        ])
    }
    let issues = try decode(line, of: &reader)
    if !issues.isEmpty {
      let origin = origin(of: &reader)
      reject(line.raw.span, origin: origin, member: line.member, issues: issues)
    }
  }

  /// Decodes the record of a reject line; it counts as standing where the line stands.
  ///
  /// - Returns: why it is refused; nothing where it is accepted.
  private mutating func decode(
    _ line: RejectLine, of reader: inout ElementReader
  ) throws(ReadingError) -> [Issue] {
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
          (origin.line, origin.column) = reader.location(ofByteOffset: origin.byteOffset)
          origin.raw = batch.keep(line.raw.span)
          if let member = line.member { origin.member = batch.keep(member.utf8Span.span) }
        }
        let arenaStart = batch.arena.count
        guard decode(JSONElement(inner), origin: origin) else { return decoder.issues }
        guard try RecordIntake.isAtEnd(&inner) else {
          batch.removeLast(arenaStart: arenaStart)
          return [
            Issue(
              rule: "reject-line", attribute: nil,
              message: "the reject line's record is followed by something; one line holds one "
                + "record")
          ]
        }
        return []
      case .malformed(let malformation):
        // The name that was put in front is no part of what the line holds.
        let nameByteCount = line.member.map { JSONText.quoted($0).utf8.count + 1 } ?? 0
        return [Issue(malformation, ofElementAt: inner.elementByteOffset + nameByteCount)]
      case .end, .needsInput:
        return [
          Issue(rule: "reject-line", attribute: nil, message: "the reject line's record is empty")
        ]
      }
    } catch {
      guard error.code != .outOfMemory else { throw error }
      return [Issue(rule: "syntax", attribute: nil, message: error.message)]
    }
  }

  /// Whether nothing follows the element that was read last, be it JSON or not.
  private static func isAtEnd(_ reader: inout ElementReader) throws(ReadingError) -> Bool {
    do throws(ReadingError) {
      if case .end = try reader.next() { return true }
    } catch {
      if error.code == .outOfMemory { throw error }
    }
    return false
  }

  private mutating func decode(_ element: JSONElement, origin: RecordOrigin) -> Bool {
    guard decoder.decode(element, origin: origin, into: &batch) else { return false }
    let record = batch.recordCount - 1
    batch.add(
      batch.origins[record].isDeletion ? .zero : digester.digest(record: record, of: batch))
    return true
  }

  /// Where the element stands that `reader` stands on.
  private func origin(of reader: inout ElementReader) -> RecordOrigin {
    var origin = RecordOrigin(index: reader.elementIndex, byteOffset: reader.elementByteOffset)
    (origin.line, origin.column) = reader.location(ofByteOffset: origin.byteOffset)
    return origin
  }

  private mutating func rejectElement(
    of reader: inout ElementReader, member: String?, issues: [Issue]
  ) {
    let origin = origin(of: &reader)
    reject(reader.elementBytes, origin: origin, member: member, issues: issues)
  }

  private mutating func reject(
    _ raw: Span<UInt8>, origin: RecordOrigin, member: String?, issues: [Issue]
  ) {
    var origin = origin
    origin.raw = batch.keep(raw)
    batch.reject(Reject(origin: origin, member: member, issues: issues))
  }
}
