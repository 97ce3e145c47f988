/// A place between two elements from which an interrupted reading can go on.
///
/// A position is plain numbers, to be stored with whatever was made of the elements before it.
public struct ReadingPosition: Sendable, Hashable {
  /// How many bytes of the input lie before the position.
  public var byteOffset: Int

  /// How many elements lie before it, malformed ones included.
  public var elementCount: Int

  /// The ``StreamHash`` of all bytes before the position.
  public var inputHash: UInt64

  /// What the reader was inside of, in the reader's own coding.
  public var state: UInt64

  /// A position whose numbers were stored.
  public init(byteOffset: Int, elementCount: Int, inputHash: UInt64, state: UInt64) {
    self.byteOffset = byteOffset
    self.elementCount = elementCount
    self.inputHash = inputHash
    self.state = state
  }

  /// The start of any input.
  public static let start = ReadingPosition(
    byteOffset: 0, elementCount: 0, inputHash: StreamHash().value, state: 0)
}
