/// The memory of a tape for one piece of the input.
struct TapeBuffers: ~Copyable {
  var tokens = GrowableBuffer<Token>(minimumCapacity: 4_096)

  /// Text that is not contiguous and unescaped in the input.
  var copies = GrowableBuffer<UInt8>(minimumCapacity: 4_096)

  var marks = GrowableBuffer<ElementMark>(minimumCapacity: 512)
  var takenCount = 0

  /// The index of the current row, and of the header's names in the copies.
  var rowPlace: (token: Int, names: Int)?

  mutating func removeAll() {
    tokens.removeAll()
    copies.removeAll()
    marks.removeAll()
    takenCount = 0
    rowPlace = nil
  }

  var hasNextMark: Bool { takenCount < marks.count }

  /// The first mark that has not been taken.
  var nextMark: ElementMark { marks[takenCount] }

  /// The end of the last marked element.
  var markedEnd: Int { marks.isEmpty ? 0 : marks[marks.count - 1].end }
}
