// Rows are arrays whose elements get their names from a header. They are put onto the tape as objects.
extension ElementReader {
  /// Handles an event of an input that has a header, or may have one, and those after it up to the
  /// next one to be delivered.
  mutating func row(_ first: ReadingEvent) throws(ReadingError) -> ReadingEvent {
    var event = first
    while event != .needsInput {
      if isHeaderDue {
        if event == .end { return event }
        try readHeader(event)
      } else if replaysRows {
        try endReplay(event)
      } else {
        return event == .element ? makeRow() : event
      }
      do throws(ReadingError) {
        event = try nextElement()
      } catch {
        throw replaysRows ? fail(changedFrom: resumed) : error
      }
    }
    return event
  }

  private mutating func readHeader(_ event: ReadingEvent) throws(ReadingError) {
    guard event == .element, let header = RowHeader(tape, currentTokens) else {
      throw fail(
        .invalidHeader, at: currentBytes.lowerBound,
        "the first element is not an array of different names, as a header is")
    }
    self.header = header
    isHeaderDue = false
  }

  /// Ends the replay at the resumed position. The rows before it are read again, because the header
  /// is among them or before them.
  private mutating func endReplay(_ event: ReadingEvent) throws(ReadingError) {
    guard event != .end, deliveredOffset <= resumed.byteOffset else {
      throw fail(changedFrom: resumed)
    }
    guard deliveredOffset == resumed.byteOffset else { return }
    replaysRows = false
    guard position == resumed else { throw fail(changedFrom: resumed) }
    skippedCount = 0
  }

  /// Uses the columns around the elements as header, if they are known by now.
  mutating func noteColumns() {
    guard header == nil, headerKind != .firstElement, let names = parser.columnNames else { return }
    header = RowHeader(names)
    if header != nil { headerKind = .columns }
  }

  /// Replaces the current element, if it is an array, by an object at the end of the tape.
  private mutating func makeRow() -> ReadingEvent {
    guard let header, let first = currentTokens.first, parsed.tokens[first].kind == .startArray
    else {
      return .element
    }
    let count = parsed.tokens[first].elementCount
    guard count <= header.nameEnds.count else {
      currentTokens = 0..<0
      return .malformed(
        Malformation(
          rule: "row-length",
          message:
            "the row has \(count) elements, but the header has \(header.nameEnds.count) names",
          byteOffset: currentBytes.lowerBound))
    }
    let place =
      rowPlace ?? (token: parsed.tokens.count, names: parsed.copies.count)
    if rowPlace == nil { parsed.copies.append(copying: header.text.span) }
    rowPlace = place
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
    currentTokens = place.token..<parsed.tokens.count
    return .element
  }
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
