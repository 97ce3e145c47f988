extension ShapeDetector {
  /// An array of objects, or an empty one, that may hold the elements.
  public struct Candidate: Sendable, Hashable {
    /// The place of the array, or of all arrays with the same pointer.
    public let pointer: JSONPointer
    /// The number of its elements; the least number if the detection ended inside it.
    public internal(set) var elementCount: Int
    /// Whether an element of it has a member with the name of an element's member.
    var hasElementName = false
    /// The names of the first element's members, as far as they are kept.
    package internal(set) var firstNames: Set<String> = []
    /// Whether a member beside the array is an object.
    package internal(set) var isBesideObject = false
    /// Whether several arrays have the pointer, so that it cannot be read.
    package internal(set) var isRepeated = false

    /// The most names that are kept.
    static let nameLimit = 100
  }

  enum Mode {
    /// Before the first top-level value; a byte-order mark is skipped.
    case start
    /// The same, in a comment; with its second byte, 0 before it.
    case startComment(UInt8)
    /// After the bracket of a top-level array.
    case topArray
    /// In the first two rows of a top-level array of arrays.
    case rows
    /// In an object that is inside objects only.
    case object(Due)
    /// In an array in such an object, before its first element.
    case arrayStart
    /// In such an array, after its first byte.
    case array
    /// After the first top-level value.
    case afterFirst
    /// After an error, on the same line.
    case lineOfError
    /// At the start of the next line.
    case nextLine
  }

  enum Due {
    case name, colon, value, scalarEnd, comma
  }

  /// The arrays of objects, in input order, and the empty ones.
  struct Candidates {
    private enum Listed {
      /// The index in `arrays`.
      case array(Int)
      case empty
    }

    var arrays: [Candidate] = []
    private(set) var emptyArrays: [Candidate] = []
    private var listed: [JSONPointer: Listed] = [:]
    /// The index of the current array in `arrays`.
    var current: Int?
    /// Whether the next string is the name of an element's member and must be checked.
    var isNameDue = false

    /// Begins an array of objects; false if there are too many.
    mutating func add(at pointer: JSONPointer) -> Bool {
      let earlier = listed[pointer]
      if case .array(let index) = earlier {
        current = index
        arrays[index].elementCount += 1
        arrays[index].isRepeated = true
        return true
      }
      guard arrays.count < ShapeDetector.candidateLimit else { return false }
      current = arrays.count
      listed[pointer] = .array(arrays.count)
      arrays.append(Candidate(pointer: pointer, elementCount: 1))
      if earlier != nil { emptyArrays.removeAll { $0.pointer == pointer } }
      return true
    }

    mutating func addEmpty(at pointer: JSONPointer) {
      guard emptyArrays.count < ShapeDetector.candidateLimit, listed[pointer] == nil else { return }
      emptyArrays.append(Candidate(pointer: pointer, elementCount: 0))
      listed[pointer] = .empty
    }

    mutating func noteName(_ name: String, inArrayAt index: Int, isElementName: Bool) {
      isNameDue = false
      if isElementName { arrays[index].hasElementName = true }
      if arrays[index].elementCount == 1, arrays[index].firstNames.count < Candidate.nameLimit {
        arrays[index].firstNames.insert(name)
      }
    }

    /// Marks the arrays in the object at a place.
    mutating func noteObject(beside place: ArraySlice<Level>) {
      for index in arrays.indices {
        let tokens = arrays[index].pointer.tokens
        if tokens.count == place.count + 1, zip(tokens, place).allSatisfy({ $0 == $1.name }) {
          arrays[index].isBesideObject = true
        }
      }
    }
  }

  /// An open object.
  struct Level {
    /// The name of its current member.
    var name = ""
    /// Whether a member of it is an object.
    var holdsObject = false
  }

  /// The current string, or the last one.
  struct StringBytes {
    var isOpen = false
    var isEscaped = false
    var isCollected = false
    /// The bytes between the quotes, escapes included, if they are collected.
    var bytes: [UInt8] = []

    mutating func begin(collecting: Bool) {
      (isOpen, isEscaped, isCollected) = (true, false, collecting)
      bytes.removeAll(keepingCapacity: true)
    }
  }

  /// The members of the top-level object.
  struct Members {
    var names: Set<String> = []
    var areObjects = true
    private(set) var objectCount = 0
    /// How many of the objects have a member with a name, as far as it is counted.
    private var innerNameCounts: [String: Int] = [:]
    /// The number of names in the current object.
    private(set) var innerNameCount = 0
    /// Whether the names in the objects are `0`, `1` and so on, of members that are not objects.
    var areNumbered = true

    /// Whether the members are columns of values by row number.
    var areColumns: Bool { areObjects && areNumbered && objectCount > 1 }

    mutating func beginObject() {
      objectCount += 1
      innerNameCount = 0
    }

    mutating func noteInner(_ name: String) {
      areNumbered = areNumbered && name == String(innerNameCount)
      innerNameCount += 1
      if innerNameCounts[name] != nil || innerNameCounts.count < Candidate.nameLimit {
        innerNameCounts[name, default: 0] += 1
      }
    }

    /// Whether an empty array is in one of the objects, and another one has a member with its name.
    func holdAlike(_ array: Candidate) -> Bool {
      let tokens = array.pointer.tokens
      return tokens.count == 2 && innerNameCounts[tokens[1], default: 0] > 1
    }
  }

  /// The names of members of elements, as bytes, because `String` compares by canonical equivalence.
  struct ElementNames {
    private let names: Set<[UInt8]>
    /// For each kind of element, the names that all of its elements have and that were not found yet.
    private var unseenMarkers: [Set<[UInt8]>]
    /// The number of members of the top-level object that have one of the names.
    private(set) var memberCount = 0
    /// Whether an object inside it has one.
    private(set) var areInside = false
    /// Whether the top-level object has all names of a kind.
    private(set) var areMarked = false

    init(_ names: [String], markers: [[String]]) {
      self.names = Set(names.map { Array($0.utf8) })
      unseenMarkers = markers.filter { !$0.isEmpty }.map { Set($0.map { Array($0.utf8) }) }
    }

    var isEmpty: Bool { names.isEmpty }

    func contains(_ name: String) -> Bool { names.contains(Array(name.utf8)) }

    /// Registers the name of a member of the top-level object, or of one inside it.
    mutating func note(_ name: String, isMember: Bool) {
      guard isMember else {
        areInside = areInside || contains(name)
        return
      }
      if contains(name) { memberCount += 1 }
      for kind in unseenMarkers.indices {
        unseenMarkers[kind].remove(Array(name.utf8))
        // The object may still have a type, or an array at a known place.
        areMarked = areMarked || unseenMarkers[kind].isEmpty
      }
    }
  }

  /// An array `columns` that names the elements of rows, and the array of rows.
  struct Table {
    static let columnsPlace = JSONPointer(tokens: ["columns"])
    static let places = [JSONPointer(tokens: ["rows"]), JSONPointer(tokens: ["data"])]

    /// The number of rows that no element of a sequence has.
    static let rowLimit = 1_001

    /// The texts of the array of columns, once it has ended.
    private(set) var columns: [String] = []
    /// The texts so far; nil outside it, and if it has anything else.
    var texts: [String]?
    /// The place of rows, whether columns are known or not.
    var place: JSONPointer?
    /// The number of rows in the current array; nil outside it.
    var rowCount: Int?

    mutating func endColumns() {
      guard let found = texts.take(), !found.contains(""), Set(found).count == found.count
      else { return }
      columns = found
    }
  }
}
