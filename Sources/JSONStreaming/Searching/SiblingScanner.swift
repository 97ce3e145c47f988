/// Finds where reading can go on after a malformed element.
///
/// It looks at strings, escapes and brackets from the element's start on, and takes damage for what
/// it most likely is:
///
/// - A closer that fits no open bracket but one further out closes everything up to that one. The
///   container's own closer ends the container, unless what follows cannot follow its end; then it
///   closes the innermost bracket, or nothing if that is a brace and more of the object follows.
/// - An opener like the element's own, in an object where a name or a comma has to stand, is the
///   next sibling: the closing brace is missing. It is taken at once if it stands in the column
///   where the element began or its first name is that of the element, and otherwise only if the
///   element turns out to have no end. Among the members of an object a name is one that stands in
///   the column of the element's and has a value with that first name.
/// - A line end inside a string ends the string.
/// - A string followed by something that cannot follow one has its quotes shifted: its closing
///   quote is taken for the opening one of the next string. If it swallowed `},{` the next sibling
///   is inside.
/// - What stands in a comment is passed over, and a comment that stands by itself is an element. What
///   looks like the beginning of one and has no end near enough is none.
///
/// The scan takes any number of calls, each with more of the input.
///
/// A scan that ends at a doubtful sibling has looked beyond it, at bytes that are looked at again. How
/// far it may is up to a budget for the whole input, see `SearchBudget`.
struct SiblingScanner {
  /// What the siblings stand in.
  enum Surroundings: Equatable {
    /// A sequence with one element a line.
    case lines
    /// Any other sequence.
    case sequence
    case array
    case object
  }

  /// Where reading can go on.
  struct Outcome: Equatable {
    var offset: Int
    /// Whether a comma or the end of the container stands there, rather than a sibling.
    var needsComma: Bool
  }

  private enum Mode: Equatable {
    case ground
    /// In a string whose opening quote is at the offset.
    case string(Int)
    /// Behind a string that has the given quotes.
    case afterString(Int, Int)
  }

  /// A comment that the scan is in.
  private struct Comment {
    var start: Int
    /// Whether it ends at `*/` rather than with its line.
    var isBlock: Bool
  }

  let surroundings: Surroundings
  /// What is open around the container, the outermost first: true for an array.
  let parents: [Bool]
  /// Whether a comma or the end of the container has to stand where the element begins.
  let needsComma: Bool
  let start: Int
  /// The column that the element begins in.
  let column: Int
  /// How many bytes of the element are looked at in search of its end before a doubtful sibling is
  /// taken.
  let byteLimit: Int
  /// How many bytes behind a doubtful sibling are looked at before it is taken.
  let doubtLimit: Int

  /// How far the scan has come.
  private(set) var offset: Int
  private var mode = Mode.ground
  private var isEscaped = false
  /// The brackets that are open inside the element, and how many of them are braces.
  private var open: [UInt8] = []
  private var openBraceCount = 0
  /// The bracket that the element, or its member's value, begins with.
  private var opener: UInt8?
  /// Whether the last of the element's brackets has been closed.
  private var isClosed = false
  /// The last byte that was not white space.
  private var previous: UInt8 = 0
  private var lineStart: Int
  private var isLineBlank = false
  /// Whether what is inside the element stands in its column, too.
  private var isFlush = false
  /// The raw first name in the element.
  private var firstName: [UInt8]?
  private var isFirstNameDue = false
  /// The first doubtful sibling.
  private var doubtfulOffset: Int?
  /// Behind this offset the doubtful sibling is taken.
  private var giveUpOffset = Int.max
  /// How far the scan had come when it went back.
  private var searchedOffset = 0
  /// The closing quote that was last taken for an opening one.
  private var shiftedQuote = -1
  private var comment: Comment?
  /// Whether what looked like a comment was none; then nothing is one any more.
  private var isWithoutComments = false

  /// How many bytes and open brackets were looked at, each as often as it was.
  private(set) var stepCount = 0

  /// How many bytes to spend at most on telling whether a doubtful sibling is one.
  static let greatestByteLimit = 1 << 16

  /// How far to look ahead and back at most.
  static let lookaround = 1_024

  /// How many brackets may be open; beyond it no end is found.
  static let nestingLimit = 1 << 20

  init(
    surroundings: Surroundings, parents: [Bool], needsComma: Bool, start: Int, column: Int,
    byteLimit: Int, doubtLimit: Int
  ) {
    self.surroundings = surroundings
    self.parents = parents
    self.needsComma = needsComma
    self.start = start
    self.column = column
    self.byteLimit = byteLimit
    self.doubtLimit = doubtLimit
    offset = start
    lineStart = start - column
  }
}

extension SiblingScanner {
  /// Bytes before this offset are not looked at any more.
  var keepOffset: Int { max(start, (comment?.start ?? offset) - 4 * Self.lookaround) }

  /// How many bytes behind `outcome`, with which the scan has ended, were looked at.
  func byteCount(behind outcome: Outcome) -> Int {
    max(0, max(offset, searchedOffset) - outcome.offset)
  }

  private var fallback: Outcome? {
    doubtfulOffset.map { Outcome(offset: $0, needsComma: false) }
  }

  /// The number of steps since it was asked for last.
  mutating func takeStepCount() -> Int {
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
  mutating func scan(
    _ bytes: Span<UInt8>, at bytesOffset: Int, isComplete: Bool
  ) -> Outcome? {
    let window = ScanWindow(bytes: bytes, startOffset: bytesOffset, isComplete: isComplete)
    while offset < window.endOffset {
      if offset > giveUpOffset, let fallback { return fallback }
      stepCount += 1
      let byte = window[offset]
      let step: Step
      switch mode {
      case _ where comment != nil: step = takeInComment(byte, in: window)
      case .ground: step = beginComment(byte, in: window) ?? takeGround(byte, in: window)
      case .string(let quote): step = takeString(byte, quote, in: window)
      case .afterString(let first, let last):
        step =
          beginComment(byte, in: window) ?? takeAfterString(byte, first, last, in: window)
      }
      switch step {
      case .goOn: offset += 1
      case .again: break
      case .needsMore: return nil
      case .found(let outcome): return outcome
      }
    }
    if offset > giveUpOffset, let fallback { return fallback }
    guard isComplete else { return nil }
    if comment != nil {
      if isElementOfSequence { return Outcome(offset: offset, needsComma: needsComma) }
      goBackToComment()
      return scan(bytes, at: bytesOffset, isComplete: true)
    }
    if case .string(let quote) = mode, quote == shiftedQuote, offset - start <= byteLimit {
      // The string has no end: the quote was a closing one after all.
      searchedOffset = max(searchedOffset, offset)
      mode = .ground
      previous = UInt8(ascii: "\"")
      offset = quote + 1
      return scan(bytes, at: bytesOffset, isComplete: true)
    }
    return fallback ?? Outcome(offset: window.endOffset, needsComma: true)
  }

  private enum Step {
    /// The byte is used up.
    case goOn
    /// It is to be looked at again.
    case again
    case needsMore
    case found(Outcome)
  }

  /// Begins a comment; nil where none begins.
  private mutating func beginComment(_ byte: UInt8, in window: borrowing ScanWindow) -> Step? {
    guard byte == UInt8(ascii: "/"), surroundings != .lines, !isWithoutComments else { return nil }
    guard offset + 1 < window.endOffset else { return window.isComplete ? nil : .needsMore }
    let next = window[offset + 1]
    guard next == UInt8(ascii: "*") || next == UInt8(ascii: "/") else { return nil }
    // Behind anything else it is in a text whose quotes are missing, such as the slashes of a URL.
    if offset > start {
      switch window[offset - 1] {
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
        UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "/"):
        break
      default: return nil
      }
    }
    comment = Comment(start: offset, isBlock: next == UInt8(ascii: "*"))
    isLineBlank = false
    return .goOn
  }

  /// Takes a byte of a comment, which changes nothing else unless it is the element.
  private mutating func takeInComment(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    guard let comment, offset - comment.start <= min(byteLimit, doubtLimit) else {
      goBackToComment()
      return .again
    }
    if comment.isBlock {
      guard byte == UInt8(ascii: "/"), window[offset - 1] == UInt8(ascii: "*"),
        offset > comment.start + 2
      else { return .goOn }
      offset += 1
    } else {
      guard byte == 0x0A else { return .goOn }
      switch isElementOfSequence ? .yes : window.isFollowed(behind: offset) {
      case .yes: break
      case .unknown: return .needsMore
      case .no:
        // It would take along all that there is.
        goBackToComment()
        return .again
      }
    }
    self.comment = nil
    guard comment.start == start else { return .again }
    return .found(Outcome(offset: offset, needsComma: needsComma))
  }

  /// Whether the comment is an element behind which nothing has to follow.
  private var isElementOfSequence: Bool { surroundings == .sequence && comment?.start == start }

  /// Takes what looked like a comment for something else.
  private mutating func goBackToComment() {
    searchedOffset = max(searchedOffset, offset)
    offset = comment?.start ?? offset
    comment = nil
    isWithoutComments = true
  }

  private mutating func takeGround(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    switch byte {
    case 0x0A:
      if surroundings == .lines { return .found(Outcome(offset: offset, needsComma: false)) }
      lineStart = offset + 1
      isLineBlank = true
      return endsScalar(byte)
    case 0x20, 0x09, 0x0D, 0x0B, 0x0C:
      return endsScalar(byte)
    default:
      break
    }
    if surroundings == .lines { return .goOn }
    if isClosed, let outcome = siblingBehindEnd(byte) { return .found(outcome) }
    switch byte {
    case UInt8(ascii: "\""):
      return takeQuote(byte, in: window)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return takeOpener(byte, in: window)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      return takeCloser(byte, in: window)
    case UInt8(ascii: ",") where open.isEmpty && surroundings != .sequence:
      return .found(Outcome(offset: offset, needsComma: true))
    default:
      break
    }
    previous = byte
    isLineBlank = false
    return .goOn
  }

  private mutating func takeQuote(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    if case .found(let outcome) = endsScalar(byte) { return .found(outcome) }
    if isAligned, !open.isEmpty, isAmongMembers, let opener {
      switch window.isMember(withValue: opener, firstName, at: offset) {
      case .yes: return .found(Outcome(offset: offset, needsComma: false))
      case .unknown: return .needsMore
      case .no: break
      }
    }
    if isAligned, !open.isEmpty { isFlush = true }
    mode = .string(offset)
    isEscaped = false
    isLineBlank = false
    return .goOn
  }

  /// Whether the byte is the first on its line and in the column where the element began.
  private var isAligned: Bool { isLineBlank && offset - lineStart == column }

  private var isAmongMembers: Bool { surroundings == .object }

  /// In a sequence a value without brackets ends at white space and before the next value.
  private func endsScalar(_ byte: UInt8) -> Step {
    guard surroundings == .sequence, open.isEmpty, offset > start else { return .goOn }
    return .found(Outcome(offset: offset, needsComma: false))
  }

  /// A value behind the element's end, where a comma should be.
  private func siblingBehindEnd(_ byte: UInt8) -> Outcome? {
    switch (surroundings, byte) {
    case (.array, UInt8(ascii: "{")), (.array, UInt8(ascii: "[")), (.array, UInt8(ascii: "\"")),
      (.object, UInt8(ascii: "\"")):
      Outcome(offset: offset, needsComma: false)
    default: nil
    }
  }

  private mutating func takeOpener(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    if case .found(let outcome) = endsScalar(byte) { return .found(outcome) }
    if surroundings == .array, opener == nil, offset > start, previous != UInt8(ascii: ":") {
      return .found(Outcome(offset: offset, needsComma: false))
    }
    if let innermost = open.last, byte == opener, !isAmongMembers,
      previous != UInt8(ascii: ":")
    {
      if innermost == UInt8(ascii: "{") {
        let begins = isAligned ? .yes : window.beginsWith(byte, firstName, at: offset)
        switch begins {
        case .yes: return .found(Outcome(offset: offset, needsComma: false))
        case .unknown: return .needsMore
        case .no: remember(offset)
        }
      } else if isAligned {
        switch isFlush ? window.beginsWith(byte, firstName, at: offset) : .yes {
        case .yes: remember(offset)
        case .unknown: return .needsMore
        case .no: break
        }
      }
    }
    if opener == nil {
      opener = byte
      isFirstNameDue = byte == UInt8(ascii: "{")
    }
    if open.count < Self.nestingLimit {
      open.append(byte)
      if byte == UInt8(ascii: "{") { openBraceCount += 1 }
    }
    previous = byte
    isLineBlank = false
    return .goOn
  }

  /// Closes the innermost open bracket of a kind, with all inside it; false where none is open.
  ///
  /// What is looked at is closed, so all closers together look at each bracket once.
  private mutating func close(_ bracket: UInt8) -> Bool {
    let isBrace = bracket == UInt8(ascii: "{")
    guard isBrace ? openBraceCount > 0 : openBraceCount < open.count else { return false }
    while closeInnermost() != bracket { stepCount += 1 }
    return true
  }

  private mutating func closeInnermost() -> UInt8? {
    let bracket = open.popLast()
    if bracket == UInt8(ascii: "{") { openBraceCount -= 1 }
    return bracket
  }

  /// Takes note of a doubtful sibling.
  private mutating func remember(_ offset: Int) {
    guard doubtfulOffset == nil, offset - start <= byteLimit else { return }
    doubtfulOffset = offset
    giveUpOffset = min(start + byteLimit, offset + doubtLimit)
  }

  private mutating func takeCloser(_ byte: UInt8, in window: borrowing ScanWindow) -> Step {
    let match = byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
    if !close(match) {
      switch takeForeignCloser(byte, in: window) {
      case .goOn: break
      case let step: return step
      }
    }
    previous = byte
    isLineBlank = false
    guard open.isEmpty, opener != nil else { return .goOn }
    isClosed = true
    guard surroundings == .sequence else { return .goOn }
    return .found(Outcome(offset: offset + 1, needsComma: false))
  }

  /// Takes a closer that closes nothing inside the element.
  private mutating func takeForeignCloser(
    _ byte: UInt8, in window: borrowing ScanWindow
  ) -> Step {
    let endsContainer: ScanWindow.Answer
    switch (surroundings, byte) {
    case (.object, UInt8(ascii: "}")):
      switch window.isMember(behindComma: offset + 1, withValue: opener, firstName) {
      case .yes: endsContainer = .no
      case .unknown: endsContainer = .unknown
      case .no: endsContainer = window.canEndContainer(before: offset + 1, parents: parents)
      }
    case (.array, UInt8(ascii: "]")):
      // When nothing is open there is nothing else that it could close.
      endsContainer =
        open.isEmpty ? .yes : window.canEndContainer(before: offset + 1, parents: parents)
    default:
      return .goOn
    }
    switch endsContainer {
    case .unknown: return .needsMore
    case .yes: return .found(fallback ?? Outcome(offset: offset, needsComma: true))
    case .no: break
    }
    if surroundings == .array, open.last == UInt8(ascii: "{") {
      switch window.isInObject(behind: offset + 1, isInner: open.count > 1) {
      case .unknown: return .needsMore
      case .yes: return .goOn
      case .no: break
      }
    }
    _ = closeInnermost()
    return .goOn
  }

  private mutating func takeString(
    _ byte: UInt8, _ quote: Int, in window: borrowing ScanWindow
  ) -> Step {
    if byte == 0x0A {
      mode = .ground
      // What the string swallowed at its end counts.
      previous = window.lastSignificantByte(in: (quote + 1)..<offset) ?? UInt8(ascii: "\"")
      if previous != UInt8(ascii: ",") { previous = UInt8(ascii: "\"") }
      return .again
    }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      if open.isEmpty, surroundings == .sequence {
        return .found(Outcome(offset: offset + 1, needsComma: false))
      }
      mode = .afterString(quote, offset)
    }
    return .goOn
  }

  private mutating func takeAfterString(
    _ byte: UInt8, _ first: Int, _ last: Int, in window: borrowing ScanWindow
  ) -> Step {
    guard offset - last <= Self.lookaround else {
      mode = .ground
      previous = UInt8(ascii: "\"")
      return .again
    }
    switch byte {
    case 0x20, 0x09, 0x0D, 0x0B, 0x0C:
      return .goOn
    case 0x0A:
      lineStart = offset + 1
      isLineBlank = true
      return .goOn
    case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      if isFirstNameDue {
        isFirstNameDue = false
        if byte == UInt8(ascii: ":"), last - first <= Self.lookaround, first >= window.startOffset {
          firstName = window.bytes((first + 1)..<last)
        }
      }
      mode = .ground
      previous = UInt8(ascii: "\"")
      return .again
    default:
      isFirstNameDue = false
      guard !open.isEmpty else {
        mode = .ground
        previous = UInt8(ascii: "\"")
        return .again
      }
      switch swallowedSibling(first, last, in: window) {
      case .needsMore: return .needsMore
      case .found(let outcome): return .found(outcome)
      case .goOn, .again: break
      }
      mode = .string(last)
      shiftedQuote = last
      offset = last
      return .goOn
    }
  }

  /// Looks for the next sibling at the end of a string that lost its closing quote.
  private mutating func swallowedSibling(
    _ first: Int, _ last: Int, in window: borrowing ScanWindow
  ) -> Step {
    guard let opener else { return .goOn }
    let closer = opener == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
    let content = max(first + 1, last - Self.lookaround)..<last
    let candidate: Int
    let begins: ScanWindow.Answer
    if isAmongMembers {
      guard window.ends(with: [closer, UInt8(ascii: ",")], content) != nil else { return .goOn }
      candidate = last
      begins = window.isMember(withValue: opener, firstName, at: last)
    } else {
      let ending = [closer, UInt8(ascii: ","), opener]
      guard let sibling = window.ends(with: ending, content) else { return .goOn }
      candidate = sibling
      begins = window.beginsWith(opener, firstName, at: sibling)
    }
    switch begins {
    case .yes: return .found(Outcome(offset: candidate, needsComma: false))
    case .unknown: return .needsMore
    case .no: remember(candidate)
    }
    return .goOn
  }
}
