/// Finds out where in a JSON input the elements stand, for who was not told.
///
/// It looks at strings and brackets only and stops as soon as the answer is certain; a single large
/// object has to be seen to its end. Memory: what the names on the way to the current value take,
/// and the candidates.
///
/// | the input is | shape |
/// |---|---|
/// | an array | its elements |
/// | several top-level values, a scalar, nothing | sequence |
/// | an object with `"type": "FeatureCollection"` | `/features` (RFC 7946) |
/// | an object with `"type": "Feature"`, or with all names that mark an element | sequence |
/// | an object in which one array of objects can be reached through objects | that array |
/// | an object in which there are several | ambiguous |
/// | any other object | sequence |
///
/// Where it is known which names the members of elements have, it looks for them where there is one
/// array of objects, none of which has such a member, or where there are only empty arrays:
///
/// | the object holds | shape |
/// |---|---|
/// | such a member of its own | sequence |
/// | otherwise an array of objects, or an object with such a member | ambiguous |
/// | otherwise | the first empty array |
///
/// A comment or anything else that begins with a slash, in front of the input, is passed over up to the first
/// bracket, and so are form feeds and vertical tabs. Behind the first object all but another one is passed
/// over. The reader refuses it.
///
/// An array of objects is one whose first element is an object. It and an empty one count when
/// elements in them could be read: a pointer to it has a bounded number of steps and bytes. A flawed
/// input is judged by the arrays of objects that were seen before the flaw; a flawed first line of an
/// input with one object a line makes no difference.
public struct ShapeSurvey: ~Copyable {
  /// What the survey came to.
  public enum Outcome: Sendable, Hashable {
    /// Every top-level value is an element.
    case sequence
    /// The elements stand in the array at the pointer.
    case container(JSONPointer)
    /// Nobody can say which array is meant, or whether it is: the arrays of objects in the order of
    /// the input, and behind them the empty ones.
    case ambiguous([Candidate])
  }

  /// An array of objects, or an empty one, that could be that of the elements.
  public struct Candidate: Sendable, Hashable {
    /// Where the array stands; where several stand there, all of them.
    public let pointer: JSONPointer
    /// How many elements it has; if the survey ended inside it, how many it has at least.
    public fileprivate(set) var elementCount: Int
    /// Whether one of them has a member with the name of one of an element.
    fileprivate var hasElementName = false
  }

  /// With more arrays of objects than this the survey is over; of empty ones no more are listed.
  public static let candidateLimit = 100

  /// With more open brackets than this the survey is over.
  static let depthLimit = 10_000

  /// Names are remembered up to this length; no candidate stands behind a longer one.
  static let nameLimit = 4_096

  /// The most bytes that the names in a candidate's pointer have together.
  static let pathLimit = 8_192

  private enum Mode {
    /// Before the first top-level value; a byte-order mark is skipped.
    case start
    /// The same, behind a slash; all but brackets is skipped.
    case startComment
    /// In an object that only objects are around.
    case object(Due)
    /// In an array in such an object, before its first element.
    case arrayStart
    /// Somewhere in such an array.
    case array
    /// Behind the first top-level value.
    case behind
    /// Behind a flaw; the line it stands on goes on.
    case flawedLine
    /// At the start of the line after it.
    case nextLine
  }

  /// What comes next in an object.
  private enum Due {
    case name, colon, value, scalarEnd, comma
  }

  /// The answer, once it is certain.
  public private(set) var outcome: Outcome?

  /// The names that every element of a kind has.
  private let elementMarkers: [[String]]
  /// The names that members of elements have.
  private let elementNames: [String]
  /// Of each kind of element the names that were not met yet, as bytes: a `String` equals those in other
  /// normal forms, too. An array of elements ends the survey before the sets are needed.
  private lazy var unseenMarkers = elementMarkers.map { names in Set(names.map { Array($0.utf8) }) }
  private lazy var elementNameBytes = Set(elementNames.map { Array($0.utf8) })
  /// Whether the top-level object has a member with one of them.
  private var hasElementName = false
  /// Whether an object in it has.
  private var hasInnerElementName = false

  private var mode = Mode.start
  /// Whether the first top-level value, an object, has been seen to its end.
  private var isWhole = false
  /// The arrays of objects.
  private var candidates: [Candidate] = []
  private var emptyCandidates: [Candidate] = []
  /// Where each candidate stands among those that are not empty; nothing of an empty one.
  private var places: [JSONPointer: Int?] = [:]
  /// The names on the way to the current value, and the current member's own as the last.
  private var path: [String] = []
  /// How many objects are open around everything else.
  private var objectDepth = 0
  /// The brackets that are open in the array that is being passed, its own included.
  private var open: [UInt8] = []
  /// The index of the candidate that is being passed.
  private var candidate: Int?
  /// Whether the next string is the name of a member of an element, and is to be looked at.
  private var isElementNameDue = false

  private var isInString = false
  private var isEscaped = false
  /// The raw text of the name, or of the value of `type`, that is being read.
  private var raw: [UInt8] = []
  private var keepsRaw = false
  /// The depth of the object whose current member cannot be in a candidate's pointer.
  private var cutDepth = Int.max
  /// Whether the line goes on that the first top-level value begins on.
  private var isFirstLine = true
  /// The last byte outside of strings that is not white space, line feeds apart.
  private var previous: UInt8 = 0x0A

  /// A survey of an input from its first byte on.
  ///
  /// - Parameters:
  ///   - elementMarkers: for each kind of element the names that every one of it has. A top-level
  ///     object with all names of a kind is itself an element. A kind without names says nothing.
  ///   - elementNames: the names of the members that elements may have. Without any, an array of
  ///     objects is that of the elements whatever they hold, and an empty one is not.
  public init(elementMarkers: [[String]] = [], elementNames: [String] = []) {
    self.elementNames = elementNames
    self.elementMarkers = elementMarkers.filter { !$0.isEmpty }
  }
}

extension ShapeSurvey {
  /// Surveys the next bytes of the input; once there is an outcome they are ignored.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count, outcome == nil {
      if isInString, !keepsRaw, !isEscaped {
        index = Self.endOfPlainString(bytes, from: index)
        guard index < bytes.count else { return }
      }
      read(bytes[index])
      index += 1
    }
  }

  /// Says that no more bytes will come; there is an outcome then.
  public mutating func finish() {
    if outcome == nil { decide() }
  }

  private static func endOfPlainString(_ bytes: Span<UInt8>, from index: Int) -> Int {
    var index = index
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x0A { break }
      index += 1
    }
    return index
  }

  /// Judges by the candidates so far.
  private mutating func decide() {
    let knowsElements = isWhole && !elementNames.isEmpty
    let arrays = candidates + emptyCandidates
    if candidates.count == 1, !knowsElements || candidates[0].hasElementName {
      outcome = .container(candidates[0].pointer)
    } else if candidates.count > 1 {
      outcome = .ambiguous(arrays)
    } else if !knowsElements || hasElementName || arrays.isEmpty {
      outcome = .sequence
    } else {
      let isPage = candidates.isEmpty && !hasInnerElementName
      outcome = isPage ? .container(arrays[0].pointer) : .ambiguous(arrays)
    }
  }

  /// Begins to pass an array whose first byte, behind its bracket, is `byte`.
  private mutating func beginArray(_ byte: UInt8) {
    mode = .array
    candidate = nil
    guard objectDepth < cutDepth else { return }
    let pointer = JSONPointer(tokens: path)
    if byte == UInt8(ascii: "{") {
      candidate = places[pointer] ?? nil
      if let candidate {
        candidates[candidate].elementCount += 1
      } else if candidates.count < Self.candidateLimit {
        candidate = candidates.count
        candidates.append(Candidate(pointer: pointer, elementCount: 1))
        if places.updateValue(candidate, forKey: pointer) != nil {
          emptyCandidates.removeAll { $0.pointer == pointer }
        }
      } else {
        decide()
      }
    } else if byte == UInt8(ascii: "]"), !elementNames.isEmpty,
      emptyCandidates.count < Self.candidateLimit, !places.keys.contains(pointer)
    {
      emptyCandidates.append(Candidate(pointer: pointer, elementCount: 0))
      places[pointer] = .some(nil)
    }
  }

  private mutating func read(_ byte: UInt8) {
    if isInString { return readInString(byte) }
    switch byte {
    case 0x0A:
      isFirstLine = false
      previous = byte
      if case .flawedLine = mode { mode = .nextLine }
      endScalar()
    case 0x20, 0x09, 0x0D:
      endScalar()
    default:
      readSignificant(byte)
      previous = byte
    }
  }

  private mutating func endScalar() {
    if case .object(.scalarEnd) = mode { mode = .object(.comma) }
  }

  private mutating func readSignificant(_ byte: UInt8) {
    switch mode {
    case .start: readFirst(byte)
    case .object(let due): readInObject(byte, due)
    case .startComment where byte != UInt8(ascii: "{") && byte != UInt8(ascii: "["): break
    case .startComment: readFirst(byte)
    case .arrayStart:
      beginArray(byte)
      readInArray(byte)
    case .array: readInArray(byte)
    case .behind where byte == UInt8(ascii: "{"): outcome = .sequence
    case .behind: break
    case .flawedLine: break
    case .nextLine:
      if byte == UInt8(ascii: "{") {
        outcome = .sequence
      } else {
        decide()
      }
    }
  }

  private mutating func readFirst(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"):
      objectDepth = 1
      mode = .object(.name)
      path = [""]
      isFirstLine = true
    case UInt8(ascii: "["): outcome = .container(JSONPointer(tokens: []))
    case 0xEF, 0xBB, 0xBF, 0x0B, 0x0C: break
    case UInt8(ascii: "/"): mode = .startComment
    default: outcome = .sequence
    }
  }

  private mutating func readInObject(_ byte: UInt8, _ due: Due) {
    switch (due, byte) {
    case (.name, UInt8(ascii: "\"")):
      beginString(keeping: true)
    case (.colon, UInt8(ascii: ":")):
      mode = .object(.value)
    case (.value, UInt8(ascii: "\"")):
      beginString(keeping: objectDepth == 1 && path.last == "type")
    case (.value, UInt8(ascii: "{")):
      guard objectDepth < Self.depthLimit else { return decide() }
      objectDepth += 1
      path.append("")
      mode = .object(.name)
    case (.value, UInt8(ascii: "[")):
      open = [byte]
      mode = .arrayStart
    case (.value, UInt8(ascii: "}")), (.value, UInt8(ascii: "]")), (.value, UInt8(ascii: ",")),
      (.value, UInt8(ascii: ":")):
      flaw(at: byte)
    case (.value, _):
      mode = .object(.scalarEnd)
    case (.scalarEnd, UInt8(ascii: ",")), (.comma, UInt8(ascii: ",")):
      mode = .object(.name)
    case (.name, UInt8(ascii: "}")), (.scalarEnd, UInt8(ascii: "}")),
      (.comma, UInt8(ascii: "}")):
      endObject()
    case (.scalarEnd, UInt8(ascii: "{")), (.scalarEnd, UInt8(ascii: "[")),
      (.scalarEnd, UInt8(ascii: "\"")), (.scalarEnd, UInt8(ascii: ":")),
      (.scalarEnd, UInt8(ascii: "]")):
      flaw(at: byte)
    case (.scalarEnd, _):
      break
    default:
      flaw(at: byte)
    }
  }

  private mutating func endObject() {
    objectDepth -= 1
    path.removeLast()
    isWhole = objectDepth == 0
    mode = isWhole ? .behind : .object(.comma)
  }

  private mutating func readInArray(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      beginString(keeping: isElementNameDue)
    case UInt8(ascii: ","):
      if let candidate, open.count == 1 { candidates[candidate].elementCount += 1 }
      isElementNameDue = expectsElementName
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard open.count < Self.depthLimit else { return decide() }
      open.append(byte)
      isElementNameDue = byte == UInt8(ascii: "{") && expectsElementName
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard open.last == (byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")) else {
        return flaw(at: byte)
      }
      open.removeLast()
      if open.isEmpty { mode = .object(.comma) }
    default:
      break
    }
  }

  /// Whether a string that comes here, behind a bracket or a comma, is the name of a member of an
  /// element, of which none is known yet to have the name of one.
  private var expectsElementName: Bool {
    guard open.count == 2, open[1] == UInt8(ascii: "{"), let candidate else { return false }
    return !elementNames.isEmpty && !candidates[candidate].hasElementName
  }

  /// Takes note of a flaw: what follows its line tells whether it is one of many lines.
  private mutating func flaw(at byte: UInt8) {
    if byte == UInt8(ascii: "{"), previous == 0x0A, !isFirstLine {
      outcome = .sequence
    } else if isFirstLine {
      mode = .flawedLine
    } else {
      decide()
    }
  }

  private mutating func beginString(keeping: Bool) {
    isInString = true
    isEscaped = false
    keepsRaw = keeping
    raw.removeAll(keepingCapacity: true)
  }

  private mutating func readInString(_ byte: UInt8) {
    if byte == 0x0A {
      isInString = false
      flaw(at: byte)
      return read(byte)
    }
    if !isEscaped, byte == UInt8(ascii: "\"") {
      isInString = false
      return endString()
    }
    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
    if keepsRaw, raw.count < Self.nameLimit { raw.append(byte) }
  }

  private mutating func endString() {
    guard case .object(let due) = mode else {
      guard isElementNameDue, let candidate else { return }
      isElementNameDue = false
      candidates[candidate].hasElementName = isElementName(EscapedText.unescaped(raw))
      return
    }
    guard case .name = due else {
      mode = .object(.comma)
      guard keepsRaw else { return }
      switch EscapedText.unescaped(raw) {
      case "FeatureCollection": outcome = .container(JSONPointer(tokens: ["features"]))
      case "Feature": outcome = .sequence
      default: break
      }
      return
    }
    mode = .object(.colon)
    guard objectDepth <= cutDepth else { return }
    let name = EscapedText.unescaped(raw)
    path[path.count - 1] = name
    let isInPointer =
      raw.count < Self.nameLimit && objectDepth <= Place.stepLimit
      && path.reduce(0) { $0 + $1.utf8.count } <= Self.pathLimit
    cutDepth = isInPointer ? .max : objectDepth
    guard objectDepth == 1 else {
      hasInnerElementName = hasInnerElementName || isElementName(name)
      return
    }
    hasElementName = hasElementName || isElementName(name)
    for kind in unseenMarkers.indices {
      unseenMarkers[kind].remove(Array(name.utf8))
      if unseenMarkers[kind].isEmpty { outcome = .sequence }
    }
  }

  private mutating func isElementName(_ name: String) -> Bool {
    elementNameBytes.contains(Array(name.utf8))
  }
}
