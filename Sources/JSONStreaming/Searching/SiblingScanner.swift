/// Finds where reading can go on after a malformed element.
///
/// In a sequence with one element a line that is the next line. Elsewhere the scan tracks strings and
/// brackets from the element's start:
///
/// 1. A closer closes the innermost bracket of its kind, with all that is open inside. The element ends where
///    its last bracket is closed.
/// 2. What does not begin with a bracket, such as a member of an object, ends before a comma outside of
///    brackets. In a sequence a string ends with its closing quote, and all else with its line.
/// 3. A line end ends a string. If something follows a string that cannot follow one, its closing quote opens
///    the next string, and what it held is read as brackets and commas.
/// 4. A closer like the container's, which fits no bracket of the element, ends the container if what follows
///    can follow its end; otherwise it is ignored.
/// 5. A line that begins in the element's column with the element's first byte begins the next sibling,
///    unless the members of the element stand in that column.
/// 6. An object begins the next sibling of one that a name or comma has to follow in, as when a closing brace
///    is missing. So that objects inside the element are not taken for records, brackets inside it have to
///    be closed, unless it is longer than `byteLimit`.
///
/// The scan takes any number of calls, each with more of the input, and the result does not depend on how
/// the input is cut. It goes back into a string only, once for each, and has looked at `lookaround` bytes at
/// most behind the place that it finds. So the time of all scans is linear in the bytes of the input and the
/// number of malformed elements.
struct SiblingScanner {
  /// What the siblings stand in.
  enum Surroundings {
    /// A sequence with one element a line.
    case lines
    /// Any other sequence.
    case sequence
    case array
    case object
  }

  /// Where reading can go on.
  struct Outcome {
    var offset: Int
    /// Whether a comma or the end of the container stands there, rather than a sibling.
    var needsComma: Bool
  }

  private enum Mode {
    case ground
    /// In a string whose opening quote is at the offset.
    case string(Int)
    /// Behind a string that has the given quotes.
    case afterString(Int, Int)
  }

  private enum Step {
    /// The byte is used up.
    case goOn
    /// It is to be looked at again.
    case again
    case needsMore
    case found(Outcome)
  }

  let surroundings: Surroundings
  /// What is open around the container, the outermost first: true for an array.
  let parents: [Bool]
  let start: Int
  /// The column that the element begins in.
  let column: Int
  /// Whether the element is sound but for its end, which the input lacks.
  let isTruncated: Bool

  /// How far the scan has come.
  private(set) var offset: Int
  private var mode = Mode.ground
  private var isEscaped = false
  /// The brackets that are open inside the element, and how many of them are braces.
  private var open: [UInt8] = []
  private var openBraceCount = 0
  /// The first byte of the element.
  private var first: UInt8 = 0
  /// The last byte that was not white space; of a string, its closing quote.
  private var previous: UInt8 = 0
  private var lineStart: Int
  private var isLineBlank = false
  /// Whether what is inside the element stands in its column, too.
  private var isFlush = false
  /// Up to here what stood in a string is read again, so that no quote opens one.
  private var rereadEnd = 0

  /// How many bytes were looked at, each as often as it was.
  private var stepCount = 0

  /// How long an element may be whose inner brackets are trusted.
  static let byteLimit = 1 << 16

  /// How far the scan goes back into a string, and looks behind the end of a container.
  static let lookaround = 1 << 10

  /// How many brackets may be open; beyond it no end is found.
  static let nestingLimit = 1 << 20

  init(
    surroundings: Surroundings, parents: [Bool], start: Int, column: Int, isTruncated: Bool
  ) {
    self.surroundings = surroundings
    self.parents = parents
    self.start = start
    self.column = column
    self.isTruncated = isTruncated
    offset = start
    lineStart = start - column
  }
}

extension SiblingScanner {
  /// Bytes before this offset are not looked at any more.
  var keepOffset: Int { max(start, offset - Self.lookaround) }

  /// Whether the element ended inside what yajl took for a string.
  func endedInString(at outcome: Outcome) -> Bool { outcome.offset <= rereadEnd }

  /// The number of steps since it was asked for last.
  mutating func resetStepCount() -> Int {
    defer { stepCount = 0 }
    return stepCount
  }

  /// Goes on with the scan.
  ///
  /// - Parameters:
  ///   - bytes: a part of the input that holds the bytes from ``keepOffset`` on.
  ///   - bytesOffset: of the first of them in the input.
  ///   - isComplete: whether the input ends after them.
  /// - Returns: where reading can go on, or nil if more bytes are needed.
  mutating func scan(_ bytes: Span<UInt8>, at bytesOffset: Int, isComplete: Bool) -> Outcome? {
    let window = ScanWindow(bytes: bytes, startOffset: bytesOffset, isComplete: isComplete)
    while true {
      while offset < window.endOffset {
        stepCount += 1
        switch read(window[offset], in: window) {
        case .goOn: offset += 1
        case .again: break
        case .needsMore: return nil
        case .found(let outcome): return outcome
        }
      }
      guard isComplete else { return nil }
      // What an unclosed string held is read again, too.
      guard case .string(let quote) = mode, !isTruncated, reread(from: quote, to: offset) else {
        return Outcome(offset: offset, needsComma: true)
      }
    }
  }

  private mutating func read(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    if offset == start { first = byte }
    if surroundings == .lines { return byte == 0x0A ? found(needsComma: false) : .goOn }
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
      if surroundings == .sequence, open.isEmpty { return found(needsComma: false) }
      (lineStart, isLineBlank) = (offset + 1, true)
      return .goOn
    case 0x20, 0x09, 0x0D: return .goOn
    default: break
    }
    if isLineBlank, offset - lineStart == column, beginsSibling(byte) {
      return found(needsComma: false)
    }
    isLineBlank = false
    switch byte {
    case UInt8(ascii: "\""):
      if offset >= rereadEnd { (mode, isEscaped) = (.string(offset), false) }
      return .goOn
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if byte == UInt8(ascii: "{"), isSibling { return found(needsComma: false) }
      if open.count < Self.nestingLimit {
        open.append(byte)
        if byte == UInt8(ascii: "{") { openBraceCount += 1 }
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      return readCloser(byte, in: window)
    case UInt8(ascii: ",") where open.isEmpty && surroundings != .sequence:
      return found(needsComma: true)
    default: break
    }
    previous = byte
    return .goOn
  }

  /// Whether the first byte of a line in the element's column begins the next sibling.
  private mutating func beginsSibling(_ byte: UInt8) -> Bool {
    switch previous {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") { isFlush = true }
      return false
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return byte == first && !isFlush
    // A quote may belong to a string that a line end has cut.
    default: return byte == first && !isFlush && previous != UInt8(ascii: ":") && byte != 0x22
    }
  }

  /// Whether an object that begins here is the next sibling, since the element needs a name or comma here.
  private var isSibling: Bool {
    first == UInt8(ascii: "{") && open.last == first && previous != UInt8(ascii: ":")
      && (open.count == 1 || offset - start > Self.byteLimit) && offset >= rereadEnd
  }

  private mutating func readCloser(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    previous = byte
    if close(byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")) {
      guard open.isEmpty, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
        return .goOn
      }
      offset += 1
      return found(needsComma: true)
    }
    switch (surroundings, byte) {
    case (.array, UInt8(ascii: "]")) where open.isEmpty: return found(needsComma: true)
    case (.array, UInt8(ascii: "]")), (.object, UInt8(ascii: "}")): break
    default: return .goOn
    }
    switch window.canEndContainer(
      before: offset + 1, parents: parents, limit: Self.lookaround)
    {
    case .yes: return found(needsComma: true)
    case .no: return .goOn
    case .unknown: return .needsMore
    }
  }

  /// Closes the innermost open bracket of a kind, with all inside it; false if none is open.
  ///
  /// What is looked at is closed, so all closers together look at each bracket once.
  private mutating func close(_ opener: UInt8) -> Bool {
    let count = opener == UInt8(ascii: "{") ? openBraceCount : open.count - openBraceCount
    guard count > 0 else { return false }
    while let last = open.popLast() {
      if last == UInt8(ascii: "{") { openBraceCount -= 1 }
      if last == opener { break }
    }
    return true
  }

  private mutating func readInString(_ byte: UInt8, _ quote: Int) -> Step {
    if byte == 0x0A {
      if !reread(from: quote, to: offset) { mode = .ground }
      return .again
    }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      if surroundings == .sequence, quote == start {
        offset += 1
        return found(needsComma: false)
      }
      mode = .afterString(quote, offset)
    }
    return .goOn
  }

  private mutating func readAfterString(_ byte: UInt8, _ quote: Int, _ end: Int) -> Step {
    switch byte {
    case 0x20, 0x09, 0x0D: return .goOn
    case 0x0A, UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      (mode, previous) = (.ground, UInt8(ascii: "\""))
    default:
      if !reread(from: quote, to: end) { (mode, isEscaped) = (.string(end), false) }
    }
    return .again
  }

  /// Goes back behind an opening quote to read what is in the string as brackets and commas; false if it has
  /// been done, or the string is too long.
  private mutating func reread(from quote: Int, to end: Int) -> Bool {
    guard quote >= rereadEnd, offset - quote < Self.lookaround else { return false }
    (mode, rereadEnd, offset) = (.ground, end, quote + 1)
    return true
  }
}
