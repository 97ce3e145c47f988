/// A place between two elements at which an interrupted reading can resume.
///
/// It consists of plain numbers, to be stored with the results of the elements before it.
public struct ReadingPosition: Sendable, Hashable {
  /// The number of bytes before the position.
  public var byteOffset: Int

  /// The number of elements before the position, malformed ones included.
  public var elementCount: Int

  /// The ``StreamHash`` of all bytes before the position.
  public var inputHash: UInt64

  /// The reader's context at the position, encoded by the reader.
  public var state: UInt64

  /// Creates a position from stored numbers.
  public init(byteOffset: Int, elementCount: Int, inputHash: UInt64, state: UInt64) {
    self.byteOffset = byteOffset
    self.elementCount = elementCount
    self.inputHash = inputHash
    self.state = state
  }

  /// Whether the elements are rows below a list of columns, or of delimited text.
  public var hasColumns: Bool {
    [.columns, .delimited].contains(ElementContext(state: state)?.header ?? .none)
  }

  /// The start of any input.
  public static let start = ReadingPosition(
    byteOffset: 0, elementCount: 0, inputHash: StreamHash().value, state: 0)
}
