/// The bytes to parse next, addressed by input offset.
@safe
struct Piece {
  var bytes: UnsafePointer<UInt8>?
  /// The input offset of the first of `bytes`.
  var offset = 0
  /// The input offset of the end of the bytes.
  var endOffset = 0
  /// Whether the input ends after the bytes.
  var isLast = false

  @unsafe
  func byte(at offset: Int) -> UInt8 {
    guard let bytes = unsafe bytes else { return 0 }
    return unsafe bytes[offset - self.offset]
  }
}
