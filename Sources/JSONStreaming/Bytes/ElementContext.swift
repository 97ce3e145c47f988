/// The context of the elements at a point of the input, small enough for a position's `state`.
struct ElementContext: BitwiseCopyable, Equatable {
  /// Whether a sequence holds one element a line, as far as known.
  enum LineMode: UInt8, BitwiseCopyable {
    /// No element has been seen.
    case unknown
    /// The first element began and ended on one line.
    case firstOnOneLine
    /// Elements are separated by line ends.
    case oneEachLine
    /// Elements span lines or share them.
    case free
    /// A text sequence (RFC 7464): a record separator is before each element.
    case textSequence
  }

  /// Where the names are for arrays that are read as objects.
  enum Header: UInt8, BitwiseCopyable {
    case none
    /// In the first element.
    case firstElement
    /// In a list of columns before the elements.
    case columns
    /// In the first row of delimited text, or in a list given from outside.
    case delimited
  }

  /// The kind of a container around the elements.
  enum Container {
    case array, object
  }

  /// The control character RS, which begins each element of a text sequence.
  static let recordSeparator: UInt8 = 0x1E

  /// The most steps that a pointer can have.
  static let stepLimit = 48

  /// Used in a sequence only.
  var lineMode = LineMode.unknown

  var isInContainer = false

  /// Whether that container, or the latest one, is an object.
  var containerIsObject = false

  /// Whether a value ends before the point, so that a comma or the container's end must follow.
  var needsComma = false

  /// Used in positions only.
  var header = Header.none

  /// One bit for each level above the container, the root's lowest: 1 for an array.
  var arrayLevels: UInt64 = 0
}

extension ElementContext {
  /// Decodes a stored number; nil if it is invalid.
  init?(state: UInt64) {
    guard let mode = LineMode(rawValue: UInt8(state & 3 | state >> Self.lineModeShift & 4)),
      let header = Header(rawValue: UInt8(state >> Self.headerShift & 3)),
      state >> (Self.headerShift + 2) == 0
    else { return nil }
    self.header = header
    lineMode = mode
    isInContainer = state & 4 != 0
    containerIsObject = state & 8 != 0
    needsComma = state & 16 != 0
    arrayLevels = state >> 5 & (1 << UInt64(Self.stepLimit) - 1)
  }

  /// The distance from the third bit of a line mode to its place above the array levels.
  private static let lineModeShift = UInt64(3 + stepLimit)

  private static let headerShift = lineModeShift + 3

  /// Whether record separators are skipped like white space between elements.
  var isTextSequence: Bool { lineMode == .textSequence }

  /// Whether the container in which a step of the pointer is resolved is an array.
  func isArray(atStep index: Int) -> Bool { arrayLevels & 1 << UInt64(index) != 0 }

  /// The number to store.
  var state: UInt64 {
    UInt64(lineMode.rawValue & 3) | (isInContainer ? 4 : 0) | (containerIsObject ? 8 : 0)
      | (needsComma ? 16 : 0) | arrayLevels << 5
      | UInt64(lineMode.rawValue & 4) << Self.lineModeShift
      | UInt64(header.rawValue) << Self.headerShift
  }
}
