/// The memory of a tape for one piece of the input.
struct TapeBuffers: ~Copyable {
  var tokens = GrowableBuffer<Token>(minimumCapacity: 4_096)

  /// Text that is not contiguous and unescaped in the input.
  var copies = GrowableBuffer<UInt8>(minimumCapacity: 4_096)

  var marks = GrowableBuffer<ElementMark>(minimumCapacity: 512)

  mutating func removeAll() {
    tokens.removeAll()
    copies.removeAll()
    marks.removeAll()
  }
}
