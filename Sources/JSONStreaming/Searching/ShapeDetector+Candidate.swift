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

  enum Listed {
    /// The index in `candidates`.
    case candidate(Int)
    /// An array in `emptyCandidates`.
    case empty
  }
}
