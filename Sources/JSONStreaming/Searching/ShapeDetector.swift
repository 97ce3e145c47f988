/// Detects where the elements are when no pointer was given.
///
/// It checks the syntax of objects outside arrays; inside arrays it reads only strings and
/// brackets, and counts commas. It stops when the answer is certain; a single large object is read
/// to its end. Memory holds the names on the path to the current value, and the candidates.
///
/// | the input is | shape |
/// |---|---|
/// | text with equally many of one of `,` TAB `;` `|` in most of its first rows, none of which begins with `{` or `[` | delimited |
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
    /// Every row of delimited text is an element.
    case delimited(by: UInt8)
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

  /// Whether the input is one object, known at its end; an object with a GeoJSON type is not.
  public private(set) var isOneObject = false
  /// The names of the top-level object's members, as far as they are kept.
  public var memberNames: Set<String> { members.names }
  /// Whether all of these members are objects.
  public var holdsOnlyObjects: Bool { members.areObjects }

  /// Where earlier inputs had their elements.
  private let knownPlaces: [JSONPointer]
  /// Whether the first element is known to be a header.
  private let hasHeader: Bool

  /// Tells delimited text from JSON; nil once the input is JSON.
  private var delimiters: DelimiterDetector? = DelimiterDetector()

  private var mode = Mode.start
  /// Whether the current byte is on the line on which the first top-level value begins.
  private var isFirstLine = true
  /// The last byte outside strings that is a line feed or not white space.
  private var previousByte: UInt8 = 0x0A
  private var string = StringBytes()
  /// The open objects, not counting those inside an array.
  private var path: [Level] = []
  /// The depth of the object whose current member is beyond the reach of a pointer.
  private var unreachableDepth = Int.max
  /// The open brackets in the current array, its own included.
  private var openBrackets: [UInt8] = []
  private var members = Members()
  private var elementNames: ElementNames
  private var candidates = Candidates()
  /// The first two rows of a top-level array.
  private var rows = RowSample()
  private var table = Table()
  /// The columns of a Socrata export have been found.
  private var hasColumns = false

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
  ///   - delimiter: the delimiter if the input is known to be delimited text.
  public init(
    elementMarkers: [[String]] = [], elementNames: [String] = [], knownPlaces: [JSONPointer] = [],
    hasHeader: Bool = false, delimiter: UInt8? = nil
  ) {
    outcome = delimiter.map { .delimited(by: $0) }
    self.knownPlaces = knownPlaces
    self.hasHeader = hasHeader
    self.elementNames = ElementNames(elementNames, markers: elementMarkers)
  }
}

extension ShapeDetector {
  /// Reads the next bytes; they are ignored if there is an outcome.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    guard delimiters != nil else { return readJSON(bytes) }
    guard outcome == nil, let (count, verdict) = delimiters?.append(bytes), let verdict else {
      return
    }
    end(by: verdict)
    readJSON(bytes.extracting(droppingFirst: count))
  }

  /// Ends the search for a delimiter.
  private mutating func end(by verdict: DelimiterDetector.Verdict) {
    guard let bytes = delimiters.take()?.bytes else { return }
    switch verdict {
    case .delimited(let delimiter): outcome = .delimited(by: delimiter)
    case .json: readJSON(bytes.span)
    }
  }

  private mutating func readJSON(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count, outcome == nil {
      if string.isOpen, !string.isCollected, !string.isEscaped, !isInRows {
        index = Self.endOfPlainString(bytes, from: index)
        guard index < bytes.count else { return }
      }
      read(bytes[index])
      index += 1
    }
  }

  /// Ends the input and determines the outcome.
  public mutating func finish() {
    if outcome == nil, let verdict = delimiters?.finish() { end(by: verdict) }
    guard outcome == nil else { return }
    isOneObject = isFirstObjectComplete
    decide()
  }

  private var isInRows: Bool { if case .rows = mode { true } else { false } }

  /// Whether the first top-level value, an object, has ended.
  private var isFirstObjectComplete: Bool { if case .afterFirst = mode { true } else { false } }

  private static func endOfPlainString(_ bytes: Span<UInt8>, from index: Int) -> Int {
    var index = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
      bytes[index] != UInt8(ascii: "\\"), bytes[index] != 0x0A
    {
      index += 1
    }
    return index
  }

  /// Determines the outcome from the candidates so far.
  private mutating func decide() {
    switch mode {
    case .topArray, .rows: outcome = .container(JSONPointer(tokens: []))
    case .afterFirst where members.areColumns: outcome = .columnWise
    case _ where elementNames.areMarked: outcome = .sequence
    default: if !detectRows() { decideByArrays() }
    }
  }

  private mutating func decideByArrays() {
    for depth in path.indices { noteSiblings(atDepth: depth) }
    let checksNames = isFirstObjectComplete && !elementNames.isEmpty
    let (arrays, emptyArrays) = (candidates.arrays, candidates.emptyArrays)
    if arrays.count == 1, !checksNames || arrays[0].hasElementName {
      outcome = .container(arrays[0].pointer)
    } else if arrays.count > 1 {
      outcome = .ambiguous(arrays + emptyArrays)
    } else if !checksNames || elementNames.memberCount > 0 || (arrays + emptyArrays).isEmpty {
      outcome = .sequence
    } else if arrays.isEmpty, emptyArrays.contains(where: members.holdAlike) {
      let all = Candidate(pointer: JSONPointer(tokens: []), elementCount: members.objectCount)
      outcome = .ambiguous([all])
    } else {
      let isEmptyResult = arrays.isEmpty && !elementNames.areInside
      outcome =
        isEmptyResult ? .container(emptyArrays[0].pointer) : .ambiguous(arrays + emptyArrays)
    }
  }

  /// Marks the arrays in the open object at a depth if an object is beside them.
  private mutating func noteSiblings(atDepth depth: Int) {
    if path[depth].holdsObject { candidates.noteObject(beside: path[..<depth]) }
  }

  /// Determines that rows are the elements, if there are rows and columns.
  private mutating func detectRows() -> Bool {
    guard !table.columns.isEmpty, let place = table.place else { return false }
    columns = table.columns
    outcome = .container(place)
    return true
  }

  /// Starts an array whose first byte after the bracket is `byte`.
  private mutating func beginArray(_ byte: UInt8) {
    mode = .array
    (candidates.current, table.rowCount) = (nil, nil)
    guard path.count < unreachableDepth else { return }
    let names = path.map(\.name)
    let pointer = JSONPointer(tokens: names)
    if !hasHeader, pointer == Table.columnsPlace {
      table.texts = table.columns.isEmpty ? [] : nil
      return
    }
    if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]"), Table.places.contains(pointer) {
      table.place = table.place ?? pointer
      if byte == UInt8(ascii: "["), !hasColumns {
        table.rowCount = 1
        return
      }
    }
    // An envelope may have a member of one of the names, as the id of a call; an object with several is an element.
    if elementNames.memberCount < 2, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "]"),
      let place = knownPlaces.first(where: { $0.leads(to: names) }),
      byte == UInt8(ascii: "{") || place.wildcards.isEmpty
    {
      outcome = .container(place)
    } else if pointer == ColumnNames.pointer {
      hasColumns = byte == UInt8(ascii: "{")
    } else if hasColumns, pointer == ColumnNames.rows {
      outcome = .container(pointer)
    } else if byte == UInt8(ascii: "{") {
      if !candidates.add(at: pointer) { decide() }
    } else if byte == UInt8(ascii: "]"), !elementNames.isEmpty {
      candidates.addEmpty(at: pointer)
    }
  }

  private mutating func read(_ byte: UInt8) {
    if isInRows, !rows.append(byte) { return decide() }
    if string.isOpen { return readInString(byte) }
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
      mode = .object(.name)
      path = [Level()]
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
    case UInt8(ascii: "\""): string.begin(collecting: false)
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
      string.begin(collecting: true)
    case (.colon, UInt8(ascii: ":")):
      mode = .object(.value)
    case (.value, UInt8(ascii: "{")):
      beginObject()
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
      if path.count == 1 { members.areObjects = false }
      if byte == UInt8(ascii: "\"") {
        string.begin(collecting: path.count == 1 && path[0].name == "type")
      } else if byte == UInt8(ascii: "[") {
        openBrackets = [byte]
        mode = .arrayStart
      } else {
        mode = .object(.scalarEnd)
      }
    case (.scalarEnd, _):
      break
    default:
      handleError(at: byte)
    }
  }

  private mutating func beginObject() {
    guard path.count < Self.depthLimit else { return decide() }
    if path.count == 1 { members.beginObject() }
    if path.count == 2 { members.areNumbered = false }
    path[path.count - 1].holdsObject = true
    path.append(Level())
    mode = .object(.name)
  }

  private mutating func endObject() {
    if path.count == 2, members.innerNameCount == 0 { members.areNumbered = false }
    noteSiblings(atDepth: path.count - 1)
    path.removeLast()
    mode = path.isEmpty ? .afterFirst : .object(.comma)
    if path.isEmpty, elementNames.areMarked { decide() }
  }

  private mutating func readInArray(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      string.begin(collecting: candidates.isNameDue || table.texts != nil)
    case UInt8(ascii: ","):
      if openBrackets.count == 1 {
        if let index = candidates.current { candidates.arrays[index].elementCount += 1 }
        table.rowCount? += 1
        if table.rowCount == Table.rowLimit, detectRows() { return }
      }
      candidates.isNameDue = expectsElementName
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard openBrackets.count < Self.depthLimit else { return decide() }
      openBrackets.append(byte)
      table.texts = nil
      candidates.isNameDue = byte == UInt8(ascii: "{") && expectsElementName
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard openBrackets.last == opener(of: byte) else { return handleError(at: byte) }
      openBrackets.removeLast()
      guard openBrackets.isEmpty else { return }
      mode = .object(.comma)
      table.endColumns()
    default:
      // Something else than a text.
      table.texts = nil
    }
  }

  /// Whether the next string names a member of a candidate's element, and it is the first one, or none
  /// of the names was found in the candidate yet.
  private var expectsElementName: Bool {
    guard openBrackets.count == 2, openBrackets[1] == UInt8(ascii: "{"),
      let candidate = candidates.current.map({ candidates.arrays[$0] })
    else { return false }
    return candidate.elementCount == 1 || !elementNames.isEmpty && !candidate.hasElementName
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

  private mutating func readInString(_ byte: UInt8) {
    if byte == 0x0A {
      string.isOpen = false
      handleError(at: byte)
      return read(byte)
    }
    if !string.isEscaped, byte == UInt8(ascii: "\"") {
      string.isOpen = false
      return endString(string.bytes)
    }
    string.isEscaped = !string.isEscaped && byte == UInt8(ascii: "\\")
    if string.isCollected, string.bytes.count < Self.nameLimit { string.bytes.append(byte) }
  }

  private mutating func endString(_ bytes: [UInt8]) {
    switch mode {
    case .object(.name): endName(bytes)
    case .object:
      mode = .object(.comma)
      guard string.isCollected else { return }
      switch EscapedText.unescaped(bytes) {
      case "FeatureCollection": outcome = .container(JSONPointer(tokens: ["features"]))
      case "Feature": outcome = .sequence
      default: break
      }
    default:
      guard candidates.isNameDue, let index = candidates.current else {
        table.texts?.append(EscapedText.unescaped(bytes))
        return
      }
      let name = EscapedText.unescaped(bytes)
      candidates.noteName(name, inArrayAt: index, isElementName: elementNames.contains(name))
    }
  }

  private mutating func endName(_ bytes: [UInt8]) {
    mode = .object(.colon)
    guard path.count <= unreachableDepth else { return }
    let name = EscapedText.unescaped(bytes)
    path[path.count - 1].name = name
    let isInPointer =
      bytes.count < Self.nameLimit && path.count <= ElementContext.stepLimit
      && path.reduce(0) { $0 + $1.name.utf8.count } <= Self.pathLimit
    unreachableDepth = isInPointer ? .max : path.count
    if path.count == 2 { members.noteInner(name) }
    if path.count == 1, members.names.count < Candidate.nameLimit { members.names.insert(name) }
    elementNames.note(name, isMember: path.count == 1)
  }
}
