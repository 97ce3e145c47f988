/// Finds where reading can continue after a malformed element.
///
/// In a sequence with one element a line, it continues on the next line; in a text sequence, at the
/// next record separator. Elsewhere the scan tracks
/// strings and brackets from the start of the element:
///
/// 1. A closer closes the innermost bracket of its kind and everything open inside it. The element
///    ends with its last bracket.
/// 2. A value without a bracket, such as an object member, ends before a comma outside brackets. In
///    a sequence, a string ends with its closing quote and any other value with its line.
/// 3. A line end ends a string. If a string is followed by something that cannot follow it, its
///    closing quote opens the next string, and its content is read as brackets and commas.
/// 4. A closer of the container's kind that matches no bracket of the element ends the container:
///    `]` at once if no bracket is open, otherwise if the text after it allows that. All others are
///    ignored. The text after `}` is always checked, because a surplus brace may follow the value
///    of a member.
/// 5. A line that begins with the element's first byte in the element's column begins the next
///    sibling, unless the element's members are in that column.
/// 6. An object begins the next sibling if the element needs a name or comma there, as after a
///    missing closing brace. All brackets inside the element must be closed, so that its objects
///    are not read as elements, unless it is longer than `nestedSiblingDistance`.
///
/// Each call scans more of the input, and the result does not depend on how the input is cut. The
/// scan goes back only into strings, once for each, and reads at most `lookaround` bytes past its
/// result. So the time of all scans is linear in the bytes of the input and the number of malformed
/// elements.
struct RecoveryScanner {
  /// How the siblings are written.
  enum Siblings {
    /// A sequence with one element a line.
    case lines
    /// A text sequence.
    case texts
    case sequence
    case array
    case object
  }

  struct Outcome {
    var offset: Int
    /// Whether a comma or the container's end must follow, rather than a sibling. Meaningless in a
    /// sequence.
    var needsComma: Bool
  }

  private enum Mode {
    case ground
    /// In a string whose opening quote is at the offset.
    case string(Int)
    /// After a string with the given quotes.
    case afterString(Int, Int)
  }

  private enum Step {
    /// The byte is consumed.
    case advance
    /// The byte must be scanned again.
    case rescan
    case needsMore
    case found(Outcome)
  }

  let siblings: Siblings
  /// The containers around the container, outermost first.
  let parents: [ElementContext.Container]
  let start: Int
  /// The column of the element's first byte.
  let column: Int
  /// Whether the element is valid except for its end, which the input lacks.
  let isTruncated: Bool

  /// The offset of the next byte to scan.
  private(set) var offset: Int
  private var mode = Mode.ground
  private var isEscaped = false
  /// The open brackets inside the element, and the number of braces among them.
  private var openBrackets: [UInt8] = []
  private var openBraceCount = 0
  private var firstByte: UInt8 = 0
  /// The last byte that was not white space; for a string, its closing quote.
  private var previousByte: UInt8 = 0
  private var lineStart: Int
  private var isLineBlank = false
  /// Whether the element's members begin in the element's own column, so that the column does not
  /// show a sibling.
  private var contentSharesColumn = false
  /// Quotes before this offset do not open strings, because string content is being read again.
  private var plainUntil = 0

  /// The number of scanned bytes, repeated ones included.
  private var stepCount = 0

  /// The element length beyond which an object begins the next sibling even inside open brackets
  /// (rule 6).
  static let nestedSiblingDistance = 1 << 16

  /// The most bytes that the scan goes back into a string or reads after the end of a container.
  static let lookaround = 1 << 10

  /// The most open brackets that are tracked. Deeper ones are ignored, so the end found may be too
  /// early.
  static let nestingLimit = 1 << 20

  init(
    siblings: Siblings, parents: [ElementContext.Container], start: Int, column: Int,
    isTruncated: Bool
  ) {
    self.siblings = siblings
    self.parents = parents
    self.start = start
    self.column = column
    self.isTruncated = isTruncated
    offset = start
    lineStart = start - column
  }
}

extension RecoveryScanner {
  /// The first offset that later calls may read.
  var firstNeededOffset: Int { max(start, offset - Self.lookaround) }

  /// Whether the end lies in text that yajl read as part of a string, so that the string lacks its
  /// closing quote.
  func endedInString(at outcome: Outcome) -> Bool { outcome.offset <= plainUntil }

  /// Returns the number of steps since the last call.
  mutating func resetStepCount() -> Int {
    defer { stepCount = 0 }
    return stepCount
  }

  /// Continues the scan.
  ///
  /// - Parameter bytes: the input from ``firstNeededOffset`` or an earlier offset on.
  /// - Returns: the place where reading can continue, or nil if more bytes are needed.
  mutating func scan(_ bytes: Span<UInt8>, at bytesOffset: Int, isComplete: Bool) -> Outcome? {
    let window = ScanWindow(bytes: bytes, startOffset: bytesOffset, isComplete: isComplete)
    while true {
      while offset < window.endOffset {
        stepCount += 1
        switch read(window[offset], in: window) {
        case .advance: offset += 1
        case .rescan: break
        case .needsMore: return nil
        case .found(let outcome): return outcome
        }
      }
      guard isComplete else { return nil }
      // The content of an unclosed string is read again, too.
      guard case .string(let quote) = mode, !isTruncated, reread(from: quote, to: offset) else {
        return Outcome(offset: offset, needsComma: true)
      }
    }
  }

  private mutating func read(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    if offset == start { firstByte = byte }
    if siblings == .lines || siblings == .texts {
      let separator = siblings == .lines ? 0x0A : ElementContext.recordSeparator
      return byte == separator ? found(needsComma: false) : .advance
    }
    switch mode {
    case .ground: return readGround(byte, in: window)
    case .string(let quote): return readInString(byte, quote)
    case .afterString(let quote, let end): return readAfterString(byte, quote, end)
    }
  }

  private func found(needsComma: Bool) -> Step {
    .found(Outcome(offset: offset, needsComma: needsComma))
  }

  private mutating func readGround(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    switch byte {
    case 0x0A:
      if siblings == .sequence, openBrackets.isEmpty { return found(needsComma: false) }
      (lineStart, isLineBlank) = (offset + 1, true)
      return .advance
    case 0x20, 0x09, 0x0D: return .advance
    default: break
    }
    if isLineBlank, offset - lineStart == column, beginsSibling(byte) {
      return found(needsComma: false)
    }
    isLineBlank = false
    switch byte {
    case UInt8(ascii: "\""):
      if offset >= plainUntil { (mode, isEscaped) = (.string(offset), false) }
      return .advance
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if byte == UInt8(ascii: "{"), isSibling { return found(needsComma: false) }
      if openBrackets.count < Self.nestingLimit {
        openBrackets.append(byte)
        if byte == UInt8(ascii: "{") { openBraceCount += 1 }
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      return readCloser(byte, in: window)
    case UInt8(ascii: ",") where openBrackets.isEmpty && siblings != .sequence:
      return found(needsComma: true)
    default: break
    }
    previousByte = byte
    return .advance
  }

  /// Whether the first byte of a line in the element's column begins the next sibling.
  private mutating func beginsSibling(_ byte: UInt8) -> Bool {
    switch previousByte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") { contentSharesColumn = true }
      return false
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      return byte == firstByte && !contentSharesColumn
    // A quote may belong to a string that a line end has cut.
    default:
      return byte == firstByte && !contentSharesColumn && previousByte != UInt8(ascii: ":")
        && byte != UInt8(ascii: "\"")
    }
  }

  /// Whether an object here is the next sibling, because the element needs a name or comma here.
  private var isSibling: Bool {
    firstByte == UInt8(ascii: "{") && openBrackets.last == firstByte
      && previousByte != UInt8(ascii: ":") && offset >= plainUntil
      && (openBrackets.count == 1 || offset - start > Self.nestedSiblingDistance)
  }

  private mutating func readCloser(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    previousByte = byte
    if close(opener(of: byte)) {
      guard openBrackets.isEmpty, firstByte == UInt8(ascii: "{") || firstByte == UInt8(ascii: "[")
      else { return .advance }
      offset += 1
      return found(needsComma: true)
    }
    switch (siblings, byte) {
    case (.array, UInt8(ascii: "]")) where openBrackets.isEmpty: return found(needsComma: true)
    case (.array, UInt8(ascii: "]")), (.object, UInt8(ascii: "}")): break
    default: return .advance
    }
    switch window.canEndContainer(
      before: offset + 1, parents: parents, limit: Self.lookaround)
    {
    case .yes: return found(needsComma: true)
    case .no: return .advance
    case .unknown: return .needsMore
    }
  }

  /// Closes the innermost open bracket of a kind and everything inside it; false if it is missing.
  ///
  /// Every bracket searched is closed, so all closers together search each bracket once.
  private mutating func close(_ opener: UInt8) -> Bool {
    let count = opener == UInt8(ascii: "{") ? openBraceCount : openBrackets.count - openBraceCount
    guard count > 0 else { return false }
    while let last = openBrackets.popLast() {
      if last == UInt8(ascii: "{") { openBraceCount -= 1 }
      if last == opener { break }
    }
    return true
  }

  private mutating func readInString(_ byte: UInt8, _ quote: Int) -> Step {
    if byte == 0x0A {
      if !reread(from: quote, to: offset) { mode = .ground }
      return .rescan
    }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      if siblings == .sequence, quote == start {
        offset += 1
        return found(needsComma: false)
      }
      mode = .afterString(quote, offset)
    }
    return .advance
  }

  private mutating func readAfterString(_ byte: UInt8, _ quote: Int, _ end: Int) -> Step {
    switch byte {
    case 0x20, 0x09, 0x0D: return .advance
    case 0x0A, UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      (mode, previousByte) = (.ground, UInt8(ascii: "\""))
    default:
      if !reread(from: quote, to: end) { (mode, isEscaped) = (.string(end), false) }
    }
    return .rescan
  }

  /// Goes back to an opening quote to read the string's content as brackets and commas; false if
  /// that was done before or the string is too long.
  private mutating func reread(from quote: Int, to end: Int) -> Bool {
    guard quote >= plainUntil, offset - quote < Self.lookaround else { return false }
    (mode, plainUntil, offset) = (.ground, end, quote + 1)
    return true
  }
}
