/// The memory of a tape: what was found in one piece of the input, or is being found.
struct TapeBuffers: ~Copyable {
  var tokens = GrowableBuffer<Token>(minimumCapacity: 4_096)

  /// The text that tokens cannot point to in the input.
  var copies = GrowableBuffer<UInt8>(minimumCapacity: 4_096)

  /// The complete elements.
  var marks = GrowableBuffer<ElementMark>(minimumCapacity: 512)

  /// Forgets the content and keeps the capacity.
  mutating func removeAll() {
    tokens.removeAll()
    copies.removeAll()
    marks.removeAll()
  }
}
