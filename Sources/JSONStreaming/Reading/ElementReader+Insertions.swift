// What is read although it is not JSON.
extension ElementReader {
  enum Insertion {
    /// Reading continues at the offset, in the context.
    case end(Int, ElementContext)
    case none
    case needsMore
  }

  /// The most bytes of a comment, and of the white space after a comma.
  static let insertionByteLimit = 1 << 14

  /// The text that can be skipped at a failure: where an element, a separator, or a value around the
  /// elements must begin.
  mutating func insertion(at failure: ParseFailure) -> Insertion {
    guard limits.skipsInsertions, failure.kind == .syntax, lineMode != .textSequence,
      !parser.state.element.isInMember
    else { return .none }
    var context = parser.state.context
    if context.isInContainer {
      parser.state.advanceBoundary()
      context = parser.state.context
    } else {
      guard parser.state.envelope.depth == 0 else { return .none }
      parser.state.advanceEnvelopeBoundary()
    }
    let start = parser.state.boundary
    guard start < parsedOffset else { return .none }
    let byte = buffer[start]
    if shape != .sequence, context.isInContainer, !context.needsComma,
      byte == (context.containerIsObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    {
      context.needsComma = true
      return .end(start, context)
    }
    guard buffer.isComplete || buffer.endOffset >= window.awaitedOffset else { return .needsMore }
    let end = min(buffer.endOffset, start + Self.insertionByteLimit)
    let isWhole = buffer.isComplete && end == buffer.endOffset
    let found: Int? =
      switch byte {
      case UInt8(ascii: "/"): commentEnd(in: start..<end, isWhole: isWhole)
      case UInt8(ascii: ",") where shape == .sequence: commaEnd(in: start..<end, isWhole: isWhole)
      case 0xEF where shape == .sequence || !context.isInContainer: markEnd(in: start..<end)
      default: start
      }
    guard let found else {
      if isWhole || end < buffer.endOffset { return .none }
      // A search of twice the bytes at each time is linear in them.
      window.awaitedOffset = end + (end - start)
      return .needsMore
    }
    window.awaitedOffset = 0
    return found > start ? .end(found, context) : .none
  }

  /// The end of a comment; the start if it is no comment, and nil if more bytes are needed.
  private func commentEnd(in range: Range<Int>, isWhole: Bool) -> Int? {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start + 1 < end else { return nil }
    switch buffer[start + 1] {
    case UInt8(ascii: "/"):
      return range.first { buffer[$0] == 0x0A } ?? (isWhole ? end : nil)
    case UInt8(ascii: "*"):
      return range.dropFirst(3).first {
        buffer[$0] == UInt8(ascii: "/") && buffer[$0 - 1] == UInt8(ascii: "*")
      }.map { $0 + 1 }
    default: return start
    }
  }

  /// The end of a comma before an array, an object, other skipped text or the end of the input.
  private func commaEnd(in range: Range<Int>, isWhole: Bool) -> Int? {
    for offset in range.dropFirst() {
      switch buffer[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "/"), 0xEF:
        return range.lowerBound + 1
      default: return range.lowerBound
      }
    }
    return isWhole ? range.lowerBound + 1 : nil
  }

  private func markEnd(in range: Range<Int>) -> Int? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for (index, offset) in range.prefix(mark.count).enumerated() where buffer[offset] != mark[index]
    {
      return range.lowerBound
    }
    return range.count < mark.count ? nil : range.lowerBound + mark.count
  }

  /// The bytes of the current element with null for NaN and infinities as values; nil without them.
  func textWithNullForNaN() -> [UInt8]? {
    let bytes = buffer.span(current.bytes)
    var text: [UInt8] = []
    // The bytes before this index are in the text.
    var copiedEnd = 0
    var (isInString, isEscaped) = (false, false)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if !isInString, let count = Self.lengthOfNaN(at: index, in: bytes) {
        text += (copiedEnd..<index).map { bytes[$0] } + Array("null".utf8)
        index += count
        copiedEnd = index
        continue
      }
      if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
      isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
      index += 1
    }
    return copiedEnd == 0 ? nil : text + (copiedEnd..<index).map { bytes[$0] }
  }

  private static func lengthOfNaN(at index: Int, in bytes: Span<UInt8>) -> Int? {
    switch bytes[index] {
    case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-"): break
    default: return nil
    }
    for word: StaticString in ["NaN", "Infinity", "-Infinity"] {
      let count = word.utf8CodeUnitCount
      guard index + count <= bytes.count else { continue }
      let isEqual = (0..<count).allSatisfy { unsafe bytes[index + $0] == word.utf8Start[$0] }
      if isEqual { return count }
    }
    return nil
  }

  /// Makes an element, a member if it has a name, the current one instead of the malformed one, if NaN is
  /// read as null.
  ///
  /// - Returns: whether the element is not malformed.
  mutating func readAgain(_ text: [UInt8], isMember: Bool) -> Bool {
    var limits = limits
    limits.readsNaNAsNull = false
    var inner = ElementReader(
      shape: isMember ? .container(JSONPointer(tokens: [])) : .sequence, limits: limits,
      isResumable: false)
    inner.append((isMember ? Array("{".utf8) + text + Array("}".utf8) : text).span)
    inner.finish()
    guard (try? inner.next()) == .element else { return false }
    let element = TapeCopy(inner)
    let name = inner.memberName.map { name in
      let text = inner.tape.text(of: name)
      return text.indices.map { text[$0] }
    }
    let (holdsNUL, offset) = (inner.holdsNUL, inner.elementByteOffset)
    guard (try? inner.next()) == .end else { return false }
    guard self.limits.readsNaNAsNull else { return true }
    // A line may have a comma or comment after its element.
    skippedCount += inner.takeSkippedCount()
    let (first, nameStart) = (parsed.tokens.count, parsed.copies.count)
    if let name { parsed.copies.append(copying: name.span) }
    element.append(to: &parsed)
    parsed.rowPlace = nil
    current.tokens = first..<parsed.tokens.count
    current.name = name.map {
      Token(kind: .key, first: nameStart, second: $0.count, isCopied: true)
    }
    current.holdsNUL = holdsNUL
    // Nothing is replaced before the value.
    if isMember {
      current.bytes = (current.bytes.lowerBound + offset - 1)..<current.bytes.upperBound
    }
    return true
  }
}
