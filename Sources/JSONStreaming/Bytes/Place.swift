/// What surrounds the elements at some point of the input, small enough to be stored in a position.
struct Place: BitwiseCopyable, Equatable {
  /// How far a sequence is known to hold one element a line.
  enum LineMode: UInt8, BitwiseCopyable {
    /// No element has been seen.
    case unknown
    /// The first element began and ended on one line.
    case firstOnOneLine
    /// Elements are separated by line ends.
    case oneEachLine
    /// Elements span lines or share them.
    case free
  }

  /// The most steps that a pointer may have.
  static let stepLimit = 48

  /// Used in a sequence.
  var lineMode = LineMode.unknown

  /// Whether the point is inside the container that holds the elements.
  var isInContainer = false

  /// Whether that container, or the latest one, is an object.
  var containerIsObject = false

  /// Whether a value ended before the point, so that a comma or the end of the container follows.
  var needsComma = false

  /// One bit for each level above the container, the root's lowest: set where it is an array.
  var arrayLevels: UInt64 = 0
}

extension Place {
  /// The place that a stored number stands for, or nil if none does.
  init?(state: UInt64) {
    guard let mode = LineMode(rawValue: UInt8(state & 3)),
      state >> UInt64(5 + Place.stepLimit) == 0
    else { return nil }
    lineMode = mode
    isInContainer = state & 4 != 0
    containerIsObject = state & 8 != 0
    needsComma = state & 16 != 0
    arrayLevels = state >> 5
  }

  /// The number to store.
  var state: UInt64 {
    UInt64(lineMode.rawValue) | (isInContainer ? 4 : 0) | (containerIsObject ? 8 : 0)
      | (needsComma ? 16 : 0) | arrayLevels << 5
  }
}
