package import JSONStreaming
internal import POIPlatform
package import POIRecords

/// Judges records line by line, without a store, for programs that split the work.
///
/// Each line of the input that is not blank becomes one line of fields, which tabs separate:
///
///     record   key  timestamp  tombstone  digest  shard  record
///     keyless  \N   timestamp  tombstone  digest  shard  record
///     reject   rule  reject line
///     end      lines  blank lines  records  keyless records  rejects  digest
///
/// The key is a JSON array of the key's values as a store has them. The timestamp is in microseconds since 1970, or
/// `\N`. The tombstone is 1 for a removal, else 0. Digests have 32 hexadecimal digits; the last one is the sum. The
/// record is the line without white space around it, or compact JSON if it holds tabs. A reject line is a line of a
/// reject file. `end` is the last line.
///
/// A line that begins with U+0001 has the bytes of a line as hexadecimal digits.
package struct LineEmitter: ~Copyable {
  /// The number of each kind of line.
  package struct Counts {
    package var lines = 0
    package var blank = 0
    package var records = 0
    package var keyless = 0
    package var rejected = 0
  }

  package private(set) var counts = Counts()

  /// The sum of the digests of the records.
  package private(set) var digest = Digest.zero

  private var intake: RecordIntake
  private let limits: ReadingLimits
  private var reader: ElementReader

  /// Whether the reader takes no more lines.
  private var isFinished = false
  private var shardRule: ShardRule

  /// Whether each of the values of the key is a boolean.
  private let isBoolean: [Bool]
  private let ranking: RecordRanking

  /// The beginning of a line that is not complete.
  private var pending = GrowableBuffer<UInt8>()
  private var bytes = GrowableBuffer<UInt8>()

  /// - Parameter shardCount: the number of shards, at least 1.
  package init(_ model: Model, options: ImportOptions, shardCount: Int) {
    let shardRule = ShardRule(model, shardCount: shardCount)
    isBoolean = shardRule.key.slots.map {
      model.attributes[$0].types.isSubset(of: [.boolean, .null])
    }
    var limits = options.limits.readingLimits
    // Each line is judged.
    limits.skipsInsertions = false
    self.limits = limits
    reader = ElementReader(shape: .sequence, limits: limits, isResumable: false)
    intake = RecordIntake(
      model: model, limits: limits, validators: [],
      latestTimestamp: options.maximumSkew.map { options.clock().advanced(by: $0) })
    ranking = RecordRanking(model, ties: .digest)
    self.shardRule = shardRule
  }

  /// Judges the lines that end in the next bytes of the input.
  package mutating func append(_ input: Span<UInt8>, to output: inout GrowableBuffer<UInt8>) {
    var start = 0
    while let end = Self.place(of: 0x0A, in: input.extracting(start...)) {
      let line = input.extracting(start..<start + end)
      if pending.isEmpty {
        judge(line, &output)
      } else {
        keep(line)
        judgePending(&output)
      }
      start += end + 1
    }
    keep(input.extracting(start...))
  }

  /// The index of a byte; nil if it is not there.
  private static func place(of byte: UInt8, in bytes: Span<UInt8>) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start, Int32(byte), bytes.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// Whether a text holds no tab and no end of a line.
  private static func isField(_ text: Span<UInt8>) -> Bool {
    place(of: 0x09, in: text) == nil && place(of: 0x0A, in: text) == nil
      && place(of: 0x0D, in: text) == nil
  }

  /// Keeps a part of a line until the rest comes; of a line that is too long, enough to reject it.
  private mutating func keep(_ part: Span<UInt8>) {
    // Two digits for each byte of a line in hexadecimal digits, its ends, and one byte too many.
    let free = max(2 * limits.elementByteCount + 3 - pending.count, 0)
    pending.append(copying: part.extracting(first: free))
  }

  /// Judges the last line, and appends the line of the sums.
  package mutating func finish(to output: inout GrowableBuffer<UInt8>) {
    if !pending.isEmpty { judgePending(&output) }
    JSONText.append("end", to: &output)
    for count in [
      counts.lines, counts.blank, counts.records, counts.keyless, counts.rejected,
    ] {
      output.append(UInt8(ascii: "\t"))
      JSONText.append(Int64(count), to: &output)
    }
    append(field: digest.description, to: &output)
    output.append(0x0A)
  }

  private mutating func judgePending(_ output: inout GrowableBuffer<UInt8>) {
    var line = GrowableBuffer<UInt8>()
    swap(&line, &pending)
    judge(line.span, &output)
    line.removeAll()
    swap(&line, &pending)
  }

  private mutating func judge(_ line: Span<UInt8>, _ output: inout GrowableBuffer<UInt8>) {
    counts.lines += 1
    guard !line.isEmpty, line[0] == 1 else { return judge(text: line, &output) }
    // Programs of other systems end a line with a carriage return, too.
    let end = line[line.count - 1] == 0x0D ? line.count - 1 : line.count
    guard end <= 2 * limits.elementByteCount + 1 else { return rejectLength(line, &output) }
    var text = GrowableBuffer<UInt8>(minimumCapacity: line.count / 2 + 1)
    var index = 1
    while index + 1 < end, let high = Self.digit(line[index]), let low = Self.digit(line[index + 1])
    {
      text.append(high << 4 | low)
      index += 2
    }
    if index == end {
      judge(text: text.span, &output)
    } else {
      reject(line, "syntax", "the line is not hexadecimal", &output)
    }
  }

  private mutating func judge(text: Span<UInt8>, _ output: inout GrowableBuffer<UInt8>) {
    guard text.count <= limits.elementByteCount else { return rejectLength(text, &output) }
    var (start, end) = (0, text.count)
    // A byte order mark, which begins some files.
    if end >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { start = 3 }
    while start < end, Self.isWhiteSpace(text[start]) { start += 1 }
    while start < end, Self.isWhiteSpace(text[end - 1]) { end -= 1 }
    if start == end { counts.blank += 1 } else { emit(text.extracting(start..<end), &output) }
  }

  private mutating func rejectLength(_ line: Span<UInt8>, _ output: inout GrowableBuffer<UInt8>) {
    let limit = limits.elementByteCount
    reject(
      line.extracting(first: limit), "element-bytes",
      "the line has more than \(limit) bytes; only the first \(limit) are kept", &output)
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  // MARK: One record

  private mutating func emit(_ text: Span<UInt8>, _ output: inout GrowableBuffer<UInt8>) {
    if isFinished {
      reader = ElementReader(shape: .sequence, limits: limits, isResumable: false)
      isFinished = false
    }
    reader.append(text)
    reader.append([0x0A].span)
    var event = try? reader.next()
    if event == .needsInput {
      // The reader waits for more before it parses a very short text, or the rest of a long one.
      reader.finish()
      isFinished = true
      event = try? reader.next()
    }
    switch event {
    case .element where reader.elementBytes.count == text.count:
      intake.addElement(of: &reader)
    case .malformed(let malformation):
      isFinished = true
      intake.addReject(malformation, of: &reader)
    default:
      isFinished = true
      return reject(text, "syntax", "a line holds one record, and this one more or less", &output)
    }
    if let refused = intake.batch.rejects.first {
      reject(text, refused.issues, &output)
    } else {
      appendRecord(text, to: &output)
    }
    intake.batch.removeAll()
  }

  private mutating func appendRecord(_ text: Span<UInt8>, to output: inout GrowableBuffer<UInt8>) {
    let isRemoval = intake.batch.origins[0].isDeletion
    let isTombstone = isRemoval || ranking.isTombstone(0, in: intake.batch)
    let digest = intake.batch.digest(of: 0)
    self.digest = self.digest + digest
    let (shard, hasKey) = shardRule.shard(of: 0, in: intake.batch)
    if hasKey {
      counts.records += 1
      JSONText.append("record\t", to: &output)
      appendKey(to: &output)
    } else {
      counts.keyless += 1
      JSONText.append(#"keyless\#t\N"#, to: &output)
    }
    output.append(UInt8(ascii: "\t"))
    if let microseconds = intake.batch.timestamp(of: 0, slot: ranking.timestampSlot) {
      JSONText.append(microseconds, to: &output)
    } else {
      JSONText.append(#"\N"#, to: &output)
    }
    JSONText.append(isTombstone ? "\t1\t" : "\t0\t", to: &output)
    append(digest.high, to: &output)
    append(digest.low, to: &output)
    output.append(UInt8(ascii: "\t"))
    JSONText.append(Int64(shard), to: &output)
    output.append(UInt8(ascii: "\t"))
    if Self.isField(text) {
      output.append(copying: text)
    } else {
      let element = JSONElement(reader)
      JSONText.append(valueAt: element.start, of: element.tape, to: &output)
    }
    output.append(0x0A)
  }

  /// Appends 16 hexadecimal digits.
  private func append(_ word: UInt64, to output: inout GrowableBuffer<UInt8>) {
    let digits = InlineArray<16, UInt8> { place in
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15
      return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
    output.append(copying: digits.span)
  }

  private func appendKey(to output: inout GrowableBuffer<UInt8>) {
    output.append(UInt8(ascii: "["))
    for (part, slot) in shardRule.key.slots.enumerated() {
      if part > 0 { output.append(UInt8(ascii: ",")) }
      let value = intake.batch[0, slot]
      switch value.kind {
      case .integer where isBoolean[part]:
        JSONText.append(value.integer == 0 ? "false" : "true", to: &output)
      case .integer: JSONText.append(value.integer, to: &output)
      case .real: JSONText.append(value.real, to: &output)
      case .text:
        let text = intake.batch.arena.span.extracting(value.textRange)
        if !JSONText.appendPlain(text, to: &output) { JSONText.appendQuoted(text, to: &output) }
      case .absent, .null, .related: preconditionFailure("a key has values")
      }
    }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func reject(
    _ line: Span<UInt8>, _ rule: String, _ message: String, _ output: inout GrowableBuffer<UInt8>
  ) {
    reject(line, [Issue(rule: rule, attribute: nil, message: message)], &output)
  }

  private mutating func reject(
    _ line: Span<UInt8>, _ issues: [Issue], _ output: inout GrowableBuffer<UInt8>
  ) {
    counts.rejected += 1
    JSONText.append("reject", to: &output)
    append(field: issues.first?.rule ?? "", to: &output)
    append(
      field: RejectLine.text(
        input: "-", record: counts.lines, byteOffset: 0, line: counts.lines, column: 1,
        issues: Issue.json(issues), member: nil, raw: line),
      to: &output)
  }

  private func append(field text: String, to output: inout GrowableBuffer<UInt8>) {
    output.append(UInt8(ascii: "\t"))
    output.append(copying: text.utf8Span.span)
  }
}
