// Rows are arrays whose elements get their names from a header. They are put onto the tape as objects.
extension ElementReader {
  /// Handles an event of an input that has a header, or may have one, and those after it up to the
  /// next one to be delivered.
  mutating func row(_ first: ReadingEvent) throws(ReadingError) -> ReadingEvent {
    var event = first
    while event != .needsInput {
      if rows.isHeaderDue {
        if event == .end { return event }
        try readHeader(event)
      } else if let end = rows.replayEnd {
        try endReplay(at: end, event)
      } else {
        return event == .element ? makeRow() : event
      }
      do throws(ReadingError) {
        event = try nextElement()
      } catch {
        throw rows.replayEnd.map { fail(changedFrom: $0) } ?? error
      }
    }
    return event
  }

  private mutating func readHeader(_ event: ReadingEvent) throws(ReadingError) {
    guard event == .element, let header = RowHeader(tape, current.tokens) else {
      throw fail(
        .invalidHeader, at: current.bytes.lowerBound,
        "the first element is not an array of different names, as a header is")
    }
    rows.header = header
  }

  /// Ends the replay at the resumed position.
  private mutating func endReplay(
    at end: ReadingPosition, _ event: ReadingEvent
  ) throws(ReadingError) {
    guard event != .end, delivered.offset <= end.byteOffset else { throw fail(changedFrom: end) }
    guard delivered.offset == end.byteOffset else { return }
    rows.replayEnd = nil
    guard position == end else { throw fail(changedFrom: end) }
    skippedCount = 0
  }

  /// Uses the columns around the elements as header, if they are known by now.
  mutating func noteColumns() {
    guard rows.header == nil, rows.place != .firstElement, let names = parser.columnNames,
      let header = RowHeader(names)
    else { return }
    (rows.header, rows.place) = (header, .columns)
  }

  /// Replaces the current element, if it is an array, by an object at the end of the tape.
  private mutating func makeRow() -> ReadingEvent {
    guard let header = rows.header, let first = current.tokens.first,
      parsed.tokens[first].kind == .startArray
    else {
      return .element
    }
    let count = parsed.tokens[first].elementCount
    guard count <= header.nameEnds.count else {
      current.tokens = 0..<0
      return .malformed(
        Malformation(
          rule: "row-length",
          message:
            "the row has \(count) elements, but the header has \(header.nameEnds.count) names",
          byteOffset: current.bytes.lowerBound))
    }
    let place = parsed.rowPlace ?? (token: parsed.tokens.count, names: parsed.copies.count)
    if parsed.rowPlace == nil { parsed.copies.append(copying: header.text.span) }
    parsed.rowPlace = place
    parsed.tokens.truncate(to: place.token)
    parsed.tokens.append(Token(kind: .startObject))
    var (index, nameStart) = (first + 1, 0)
    for column in 0..<count {
      let nameEnd = header.nameEnds[column]
      parsed.tokens.append(
        Token(
          kind: .key, first: place.names + nameStart, second: nameEnd - nameStart, isCopied: true))
      nameStart = nameEnd
      let value = parsed.tokens[index]
      let isContainer = value.kind == .startObject || value.kind == .startArray
      let end = isContainer ? value.next : index + 1
      let shift = index - parsed.tokens.count
      while index < end {
        var token = parsed.tokens[index]
        token.rebase(tokensBy: shift, copiesBy: 0)
        parsed.tokens.append(token)
        index += 1
      }
    }
    parsed.tokens.append(Token(kind: .endObject))
    parsed.tokens[place.token].close(next: parsed.tokens.count, elementCount: count)
    current.tokens = place.token..<parsed.tokens.count
    return .element
  }
}

/// The header of rows, as far as known.
struct Rows {
  var place: ElementContext.Header
  var header: RowHeader?
  /// The resumed position. The rows before it are read again, because the header is among them or
  /// before them.
  var replayEnd: ReadingPosition?

  init(hasHeader: Bool, columns: [String], _ context: ElementContext) {
    if !hasHeader { header = RowHeader(columns.map { Array($0.utf8) }) }
    place = hasHeader ? .firstElement : header == nil ? context.header : .columns
  }

  var isHeaderDue: Bool { place == .firstElement && header == nil }
}

/// The names of the columns of rows: arrays that are read as objects.
struct RowHeader {
  /// The names as unescaped UTF-8, one after the other.
  let text: [UInt8]
  /// The index after each name in `text`.
  let nameEnds: [Int]

  /// Creates a header of names; nil if they are not different or one is empty.
  init?(_ names: [[UInt8]]) {
    guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty }), Set(names).count == names.count else {
      return nil
    }
    text = Array(names.joined())
    var end = 0
    nameEnds = names.map { name in
      end += name.count
      return end
    }
  }

  /// Creates the header that is the value of tokens; nil if it is not an array of such names.
  init?(_ tape: borrowing Tape, _ tokens: Range<Int>) {
    guard let first = tokens.first, tape[first].kind == .startArray else { return nil }
    var names: [[UInt8]] = []
    for index in tokens.dropFirst().dropLast() {
      let token = tape[index]
      guard token.kind == .string else { return nil }
      let text = tape.text(of: token)
      names.append(text.indices.map { text[$0] })
    }
    self.init(names)
  }
}
