/// Detects where the elements are when no pointer was given.
///
/// It checks the syntax of objects outside arrays; inside arrays it reads only strings and
/// brackets, and counts commas. It stops when the answer is certain; a single large object is read
/// to its end. Memory holds the names on the path to the current value, and the candidates.
///
/// | the input is | shape |
/// |---|---|
/// | an array | its elements; the first one may be a header, see ``beginsWithHeader`` |
/// | an object with an array `data` after the columns of a Socrata export | `/data` |
/// | an object with an array of different texts `columns`, and an array of arrays `rows` or `data` | the rows, see ``columns`` |
/// | several top-level values, a scalar or empty | sequence |
/// | an object with `"type": "FeatureCollection"` | `/features` (RFC 7946) |
/// | an object with an array at a known place (`knownPlaces`) | that array |
/// | an object with `"type": "Feature"`, or with all marker names of an element | sequence |
/// | an object with one array of objects, reachable through objects | that array |
/// | an object with several of them | ambiguous |
/// | an object of objects with the names `0`, `1` and so on, and no objects in them | column-wise |
/// | any other object | sequence |
///
/// Names of an element's members may be given (`elementNames`). Then the first row that applies
/// decides about a complete object that has one array of objects without any of these names in its
/// elements, or empty arrays and no array of objects:
///
/// | the object | shape |
/// |---|---|
/// | has a member with one of the names | sequence |
/// | has objects with an empty array and other values at the same name | ambiguous: its members |
/// | has an array of objects, or an inner object with one of the names | ambiguous |
/// | is any other | the first empty array |
///
/// Before the first bracket, form feeds, vertical tabs and comments are skipped. After the first object everything except another object is skipped. The reader rejects
/// such input.
///
/// An array of objects is one whose first element is an object. Arrays count only if the reader can
/// reach them: the steps and bytes of a pointer are limited. If the input is malformed, only the
/// arrays before the error count. A malformed first line of newline-delimited JSON does not change
/// the result.
public struct ShapeDetector: ~Copyable {
  /// The result of the detection.
  public enum Outcome: Sendable, Hashable {
    /// Every top-level value is an element.
    case sequence
    /// The elements are in the array at the pointer.
    case container(JSONPointer)
    /// The array cannot be determined: the arrays of objects in input order, then the empty ones.
    case ambiguous([Candidate])
    /// The input is one object of columns, which are objects of values by row number.
    case columnWise
  }

  /// The most arrays of objects, and the most empty arrays, that are listed; the detection ends at
  /// the next array of objects.
  public static let candidateLimit = 100

  /// The most open objects around an array, and the most open brackets inside it; the detection
  /// ends beyond either.
  static let depthLimit = 10_000

  /// The most bytes of a name that are kept; arrays below names of this length or more are ignored.
  static let nameLimit = 4_096

  /// The most bytes of all names in a candidate's pointer.
  static let pathLimit = 8_192

  /// The result; nil until it is certain.
  public private(set) var outcome: Outcome?

  /// Whether the elements are arrays, and the first one is a header: different names, none of them
  /// empty, before an array of the same length that does not have texts only.
  public private(set) var beginsWithHeader = false

  /// The names of the elements of rows, if the outcome is their place and the input names them in an array
  /// `columns`; else empty.
  public private(set) var columns: [String] = []
  /// The texts of that array, once it has ended.
  private var columnNames: [String] = []
  /// The texts in the array `columns`; nil outside it.
  private var columnTexts: [String]?
  /// The place of rows, whether columns are known or not.
  private var rowsPlace: JSONPointer?
  /// The number of rows in the current array; nil outside it.
  private var rowCount: Int?
  /// The number of rows that no element of a sequence has.
  private static let rowMaximum = 1_000

  /// Whether the first element is known to be a header.
  private let hasHeader: Bool
  /// The columns of a Socrata export have been found.
  private var hasColumns = false
  private var rows = RowSample()

  /// For each kind of element, the names that all of its elements have.
  private let elementMarkers: [[String]]
  /// The names of members of elements.
  private let elementNames: [String]
  /// Where earlier inputs had their elements.
  private let knownPlaces: [JSONPointer]
  /// Whether the top-level object has all marker names of an element.
  private var isElement = false
  /// For each kind of element, the names not found yet, as bytes, because `String` compares by
  /// canonical equivalence. Lazy, because a top-level array is detected before they are needed.
  private lazy var unseenMarkers = elementMarkers.map { names in Set(names.map { Array($0.utf8) }) }
  private lazy var elementNameBytes = Set(elementNames.map { Array($0.utf8) })
  /// Whether the top-level object has a member with one of these names.
  private var elementNameCount = 0
  private var hasElementName: Bool { elementNameCount > 0 }
  /// Whether an object inside it has one.
  private var hasInnerElementName = false

  /// Whether the input is one object, known at its end; an object with a GeoJSON type is not.
  public private(set) var isOneObject = false
  /// The names of the top-level object's members, as far as they are kept.
  public private(set) var memberNames: Set<String> = []
  /// Whether all of these members are objects.
  public private(set) var holdsOnlyObjects = true
  /// The number of objects that are members of the top-level object.
  private var objectMemberCount = 0
  /// How many of them have a member with a name, as far as it is counted.
  private var innerNameCounts: [String: Int] = [:]
  /// The number of names in the current one of them.
  private var innerNameCount = 0
  private var isColumnWise = true
  /// For each open object, whether a member of it is an object.
  private var holdsObject = [false]

  private var mode = Mode.start
  /// Whether the first top-level value, an object, has ended.
  private var isFirstObjectComplete = false
  private var candidates: [Candidate] = []
  private var emptyCandidates: [Candidate] = []
  /// The arrays in `candidates` and `emptyCandidates`.
  private var listed: [JSONPointer: Listed] = [:]
  /// The names on the path to the current value, the current member's name included.
  private var path: [String] = []
  /// The number of open objects, not counting those inside an array.
  private var objectDepth = 0
  /// The open brackets in the current array, its own included.
  private var openBrackets: [UInt8] = []
  private var candidate: Int?
  /// Whether the next string is the name of an element's member and must be checked.
  private var isElementNameDue = false

  private var isInString = false
  private var isEscaped = false
  /// The bytes between the quotes of the current name or value of `type`, escapes included.
  private var stringBytes: [UInt8] = []
  private var collectsString = false
  /// The depth of the object whose current member is beyond the reach of a pointer.
  private var unreachableDepth = Int.max
  /// Whether the current byte is on the line on which the first top-level value begins.
  private var isFirstLine = true
  /// The last byte outside strings that is a line feed or not white space.
  private var previousByte: UInt8 = 0x0A

  /// Creates a detector for an input, which must be given from its first byte on.
  ///
  /// - Parameters:
  ///   - elementMarkers: for each kind of element, the names that all of its elements have. A
  ///     top-level object with all names of a kind is an element. Empty lists are ignored.
  ///   - elementNames: the names of members that elements may have. If it is empty, every array of
  ///     objects is a candidate and empty arrays are not.
  ///   - knownPlaces: patterns of the arrays that are the elements if the input has one of them.
  ///   - hasHeader: whether the first element is known to be a header. Then several top-level arrays
  ///     of scalars are a sequence.
  public init(
    elementMarkers: [[String]] = [], elementNames: [String] = [], knownPlaces: [JSONPointer] = [],
    hasHeader: Bool = false
  ) {
    self.knownPlaces = knownPlaces
    self.hasHeader = hasHeader
    self.elementNames = elementNames
    self.elementMarkers = elementMarkers.filter { !$0.isEmpty }
  }
}

extension ShapeDetector {
  /// Reads the next bytes; they are ignored if there is an outcome.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count, outcome == nil {
      if isInString, !collectsString, !isEscaped, !isInRows {
        index = Self.endOfPlainString(bytes, from: index)
        guard index < bytes.count else { return }
      }
      read(bytes[index])
      index += 1
    }
  }

  /// Ends the input and determines the outcome.
  public mutating func finish() {
    guard outcome == nil else { return }
    isOneObject = isFirstObjectComplete
    decide()
  }

  private var isInRows: Bool { if case .rows = mode { true } else { false } }

  private static func endOfPlainString(_ bytes: Span<UInt8>, from index: Int) -> Int {
    var index = index
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x0A { break }
      index += 1
    }
    return index
  }

  /// Determines the outcome from the candidates so far.
  private mutating func decide() {
    switch mode {
    case .topArray, .rows:
      outcome = .container(JSONPointer(tokens: []))
      return
    default: break
    }
    guard !isFirstObjectComplete || !isColumnWise || objectMemberCount < 2 else {
      outcome = .columnWise
      return
    }
    guard !isElement else {
      outcome = .sequence
      return
    }
    guard !detectRows() else { return }
    for depth in holdsObject.indices { noteSiblings(atDepth: depth) }
    let checksNames = isFirstObjectComplete && !elementNames.isEmpty
    let arrays = candidates + emptyCandidates
    if candidates.count == 1, !checksNames || candidates[0].hasElementName {
      outcome = .container(candidates[0].pointer)
    } else if candidates.count > 1 {
      outcome = .ambiguous(arrays)
    } else if !checksNames || hasElementName || arrays.isEmpty {
      outcome = .sequence
    } else if candidates.isEmpty, hasEmptyArrayInMembers {
      let members = Candidate(pointer: JSONPointer(tokens: []), elementCount: objectMemberCount)
      outcome = .ambiguous([members])
    } else {
      let isEmptyResult = candidates.isEmpty && !hasInnerElementName
      outcome = isEmptyResult ? .container(arrays[0].pointer) : .ambiguous(arrays)
    }
  }

  /// Whether an empty array is in an object in the top-level one, and another one has a member with its name.
  private var hasEmptyArrayInMembers: Bool {
    let counts = innerNameCounts
    return emptyCandidates.contains { array in
      array.pointer.tokens.count == 2 && counts[array.pointer.tokens[1], default: 0] > 1
    }
  }

  /// Marks the arrays in the open object at a depth if an object is beside them.
  private mutating func noteSiblings(atDepth depth: Int) {
    guard holdsObject[depth] else { return }
    for index in candidates.indices {
      let tokens = candidates[index].pointer.tokens
      if tokens.count == depth + 1, tokens.starts(with: path[..<depth]) {
        candidates[index].isBesideObject = true
      }
    }
  }

  /// Determines that rows are the elements, if there are rows and columns.
  private mutating func detectRows() -> Bool {
    guard !columnNames.isEmpty, let rowsPlace else { return false }
    columns = columnNames
    outcome = .container(rowsPlace)
    return true
  }

  /// Ends the array `columns`.
  private mutating func endColumns(_ texts: [String]) {
    columnTexts = nil
    guard !texts.contains(""), Set(texts).count == texts.count else { return }
    columnNames = texts
  }

  private static let columnsPlace = JSONPointer(tokens: ["columns"])
  private static let rowsPlaces = [JSONPointer(tokens: ["rows"]), JSONPointer(tokens: ["data"])]

  /// Starts an array whose first byte after the bracket is `byte`.
  private mutating func beginArray(_ byte: UInt8) {
    mode = .array
    (candidate, rowCount) = (nil, nil)
    guard objectDepth < unreachableDepth else { return }
    let pointer = JSONPointer(tokens: path)
    if objectDepth == 1, !hasHeader, pointer == Self.columnsPlace {
      columnTexts = columnNames.isEmpty ? [] : nil
      return
    }
    if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]"), Self.rowsPlaces.contains(pointer) {
      rowsPlace = rowsPlace ?? pointer
      if byte == UInt8(ascii: "["), !hasColumns {
        rowCount = 1
        return
      }
    }
    // An envelope may have a member of one of the names, as the id of a call; an object with several is an element.
    if elementNameCount < 2, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "]"),
      let place = knownPlaces.first(where: { $0.leads(to: path) }),
      byte == UInt8(ascii: "{") || place.wildcards.isEmpty
    {
      outcome = .container(place)
      return
    }
    if pointer == ColumnNames.pointer {
      hasColumns = byte == UInt8(ascii: "{")
      return
    }
    if hasColumns, pointer == ColumnNames.rows {
      outcome = .container(pointer)
      return
    }
    if byte == UInt8(ascii: "{") {
      let earlier = listed[pointer]
      if case .candidate(let index) = earlier {
        candidate = index
        candidates[index].elementCount += 1
        candidates[index].isRepeated = true
      } else if candidates.count < Self.candidateLimit {
        candidate = candidates.count
        listed[pointer] = .candidate(candidates.count)
        candidates.append(Candidate(pointer: pointer, elementCount: 1))
        if earlier != nil { emptyCandidates.removeAll { $0.pointer == pointer } }
      } else {
        decide()
      }
    } else if byte == UInt8(ascii: "]"), !elementNames.isEmpty,
      emptyCandidates.count < Self.candidateLimit, listed[pointer] == nil
    {
      emptyCandidates.append(Candidate(pointer: pointer, elementCount: 0))
      listed[pointer] = .empty
    }
  }

  private mutating func read(_ byte: UInt8) {
    if isInRows, !rows.append(byte) { return decide() }
    if isInString { return readInString(byte) }
    switch byte {
    case 0x0A:
      isFirstLine = false
      previousByte = byte
      if case .lineOfError = mode { mode = .nextLine }
      if case .startComment(UInt8(ascii: "/")) = mode { mode = .start }
      endScalar()
    case 0x20, 0x09, 0x0D:
      endScalar()
    default:
      readSignificant(byte)
      previousByte = byte
    }
  }

  private mutating func endScalar() {
    if case .object(.scalarEnd) = mode { mode = .object(.comma) }
  }

  private mutating func readSignificant(_ byte: UInt8) {
    switch mode {
    case .start: readFirst(byte)
    case .object(let due): readInObject(byte, due)
    case .startComment(0): mode = .startComment(byte)
    case .startComment(UInt8(ascii: "*"))
    where byte == UInt8(ascii: "/") && previousByte == UInt8(ascii: "*"):
      mode = .start
    case .startComment: break
    case .topArray: beginRows(byte)
    case .rows: readRow(byte)
    case .arrayStart:
      beginArray(byte)
      readInArray(byte)
    case .array: readInArray(byte)
    case .afterFirst where byte == UInt8(ascii: "{"): outcome = .sequence
    case .afterFirst: break
    case .lineOfError: break
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
    case UInt8(ascii: "["): mode = .topArray
    case 0xEF, 0xBB, 0xBF, 0x0B, 0x0C: break
    case UInt8(ascii: "/"): mode = .startComment(0)
    default: outcome = .sequence
    }
  }

  private mutating func beginRows(_ byte: UInt8) {
    if hasHeader, byte != UInt8(ascii: "["), byte != UInt8(ascii: "]") {
      outcome = .sequence
    } else if hasHeader || byte != UInt8(ascii: "[") {
      decide()
    } else {
      mode = .rows
      _ = rows.append(byte)
      openBrackets = [byte]
    }
  }

  private mutating func readRow(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): beginString(collecting: false)
    case UInt8(ascii: "["), UInt8(ascii: "{"): openBrackets.append(byte)
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      guard openBrackets.popLast() == opener(of: byte) else { return decide() }
      guard openBrackets.isEmpty, let isHeader = rows.endRow() else { return }
      beginsWithHeader = isHeader
      decide()
    default: break
    }
  }

  private mutating func readInObject(_ byte: UInt8, _ due: Due) {
    switch (due, byte) {
    case (.name, UInt8(ascii: "\"")):
      beginString(collecting: true)
    case (.colon, UInt8(ascii: ":")):
      mode = .object(.value)
    case (.value, UInt8(ascii: "\"")):
      if objectDepth == 1 { (isColumnWise, holdsOnlyObjects) = (false, false) }
      beginString(collecting: objectDepth == 1 && path.last == "type")
    case (.value, UInt8(ascii: "{")):
      guard objectDepth < Self.depthLimit else { return decide() }
      if objectDepth == 1 { (objectMemberCount, innerNameCount) = (objectMemberCount + 1, 0) }
      if objectDepth == 2 { isColumnWise = false }
      holdsObject[objectDepth - 1] = true
      holdsObject.append(false)
      objectDepth += 1
      path.append("")
      mode = .object(.name)
    case (.value, UInt8(ascii: "[")):
      if objectDepth == 1 { (isColumnWise, holdsOnlyObjects) = (false, false) }
      openBrackets = [byte]
      mode = .arrayStart
    case (.scalarEnd, UInt8(ascii: ",")), (.comma, UInt8(ascii: ",")):
      mode = .object(.name)
    case (.name, UInt8(ascii: "}")), (.scalarEnd, UInt8(ascii: "}")),
      (.comma, UInt8(ascii: "}")):
      endObject()
    case (.value, UInt8(ascii: "}")), (.value, UInt8(ascii: "]")), (.value, UInt8(ascii: ",")),
      (.value, UInt8(ascii: ":")), (.scalarEnd, UInt8(ascii: "{")),
      (.scalarEnd, UInt8(ascii: "[")), (.scalarEnd, UInt8(ascii: "]")),
      (.scalarEnd, UInt8(ascii: ":")), (.scalarEnd, UInt8(ascii: "\"")):
      handleError(at: byte)
    case (.value, _):
      if objectDepth == 1 { (isColumnWise, holdsOnlyObjects) = (false, false) }
      mode = .object(.scalarEnd)
    case (.scalarEnd, _):
      break
    default:
      handleError(at: byte)
    }
  }

  private mutating func endObject() {
    if objectDepth == 2, innerNameCount == 0 { isColumnWise = false }
    noteSiblings(atDepth: objectDepth - 1)
    holdsObject.removeLast()
    objectDepth -= 1
    path.removeLast()
    isFirstObjectComplete = objectDepth == 0
    mode = isFirstObjectComplete ? .afterFirst : .object(.comma)
    if isFirstObjectComplete, isElement { decide() }
  }

  private mutating func readInArray(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      beginString(collecting: isElementNameDue || columnTexts != nil)
    case UInt8(ascii: ","):
      if let candidate, openBrackets.count == 1 { candidates[candidate].elementCount += 1 }
      if let count = rowCount, openBrackets.count == 1 {
        rowCount = count + 1
        if count == Self.rowMaximum, detectRows() { return }
      }
      isElementNameDue = expectsElementName
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard openBrackets.count < Self.depthLimit else { return decide() }
      openBrackets.append(byte)
      columnTexts = nil
      isElementNameDue = byte == UInt8(ascii: "{") && expectsElementName
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard openBrackets.last == opener(of: byte) else { return handleError(at: byte) }
      openBrackets.removeLast()
      guard openBrackets.isEmpty else { return }
      mode = .object(.comma)
      if let columnTexts { endColumns(columnTexts) }
    default:
      // Something else than a text.
      columnTexts = nil
    }
  }

  /// Whether the next string names a member of a candidate's element, and it is the first one, or none
  /// of the names was found in the candidate yet.
  private var expectsElementName: Bool {
    guard openBrackets.count == 2, openBrackets[1] == UInt8(ascii: "{"), let candidate else {
      return false
    }
    return candidates[candidate].elementCount == 1
      || !elementNames.isEmpty && !candidates[candidate].hasElementName
  }

  /// Registers an error: the line after it shows whether the input has one object a line.
  private mutating func handleError(at byte: UInt8) {
    if byte == UInt8(ascii: "{"), previousByte == 0x0A, !isFirstLine {
      outcome = .sequence
    } else if isFirstLine {
      mode = .lineOfError
    } else {
      decide()
    }
  }

  private mutating func beginString(collecting: Bool) {
    isInString = true
    isEscaped = false
    collectsString = collecting
    stringBytes.removeAll(keepingCapacity: true)
  }

  private mutating func readInString(_ byte: UInt8) {
    if byte == 0x0A {
      isInString = false
      handleError(at: byte)
      return read(byte)
    }
    if !isEscaped, byte == UInt8(ascii: "\"") {
      isInString = false
      return endString()
    }
    isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
    if collectsString, stringBytes.count < Self.nameLimit { stringBytes.append(byte) }
  }

  private mutating func endString() {
    guard case .object(let due) = mode else {
      guard isElementNameDue, let candidate else {
        columnTexts?.append(EscapedText.unescaped(stringBytes))
        return
      }
      isElementNameDue = false
      let name = EscapedText.unescaped(stringBytes)
      if isElementName(name) { candidates[candidate].hasElementName = true }
      if candidates[candidate].elementCount == 1,
        candidates[candidate].firstNames.count < Candidate.nameLimit
      {
        candidates[candidate].firstNames.insert(name)
      }
      return
    }
    guard case .name = due else {
      mode = .object(.comma)
      guard collectsString else { return }
      switch EscapedText.unescaped(stringBytes) {
      case "FeatureCollection": outcome = .container(JSONPointer(tokens: ["features"]))
      case "Feature": outcome = .sequence
      default: break
      }
      return
    }
    mode = .object(.colon)
    guard objectDepth <= unreachableDepth else { return }
    let name = EscapedText.unescaped(stringBytes)
    path[path.count - 1] = name
    let isInPointer =
      stringBytes.count < Self.nameLimit && objectDepth <= ElementContext.stepLimit
      && path.reduce(0) { $0 + $1.utf8.count } <= Self.pathLimit
    unreachableDepth = isInPointer ? .max : objectDepth
    guard objectDepth == 1 else {
      if objectDepth == 2 { noteInner(name) }
      hasInnerElementName = hasInnerElementName || isElementName(name)
      return
    }
    if isElementName(name) { elementNameCount += 1 }
    if memberNames.count < Candidate.nameLimit { memberNames.insert(name) }
    for kind in unseenMarkers.indices {
      unseenMarkers[kind].remove(Array(name.utf8))
      // The object may still have a type, or an array at a known place.
      isElement = isElement || unseenMarkers[kind].isEmpty
    }
  }

  /// Registers the name of a member of an object that is a member of the top-level object.
  private mutating func noteInner(_ name: String) {
    isColumnWise = isColumnWise && name == String(innerNameCount)
    innerNameCount += 1
    if innerNameCounts[name] != nil || innerNameCounts.count < Candidate.nameLimit {
      innerNameCounts[name, default: 0] += 1
    }
  }

  private mutating func isElementName(_ name: String) -> Bool {
    elementNameBytes.contains(Array(name.utf8))
  }
}
