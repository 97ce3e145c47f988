/// The bytes that a scan looks at, and what they are in.
@safe
struct ScannedPiece {
  let bytes: UnsafePointer<UInt8>
  /// The offset in the input of the first of `bytes`.
  let offset: Int
  /// The offset in the input of the end of the bytes.
  let endOffset: Int
  /// Whether nothing follows.
  let isLast: Bool
  /// Whether the elements are a sequence, without commas.
  let isSequence: Bool
  /// The offset in the input of the container of the elements.
  let containerStart: Int

  @unsafe
  init(
    bytes: UnsafePointer<UInt8>, offset: Int, endOffset: Int, isLast: Bool, isSequence: Bool,
    containerStart: Int
  ) {
    unsafe self.bytes = bytes
    self.offset = offset
    self.endOffset = endOffset
    self.isLast = isLast
    self.isSequence = isSequence
    self.containerStart = containerStart
  }
}
