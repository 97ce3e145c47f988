/// The bytes of one scan, with their context.
@safe
struct ScannedPiece {
  let bytes: UnsafePointer<UInt8>
  /// The input offset of the first of `bytes`.
  let offset: Int
  /// The input offset of the end of the bytes.
  let endOffset: Int
  /// Whether the input ends after the bytes.
  let isLast: Bool
  let isSequence: Bool
  let isTextSequence: Bool
  let containerStart: Int

  @unsafe
  init(
    bytes: UnsafePointer<UInt8>, offset: Int, endOffset: Int, isLast: Bool, isSequence: Bool,
    isTextSequence: Bool, containerStart: Int
  ) {
    unsafe self.bytes = bytes
    self.offset = offset
    self.endOffset = endOffset
    self.isLast = isLast
    self.isSequence = isSequence
    self.isTextSequence = isTextSequence
    self.containerStart = containerStart
  }
}
