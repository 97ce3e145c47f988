extension GrowableBuffer {
  /// Lets `body` write behind the values without checks.
  ///
  /// - Parameters:
  ///   - room: how many values `body` may write.
  ///   - body: gets the place of the first value to write, and returns the place behind the last one
  ///     that it wrote.
  @unsafe
  @inlinable
  @inline(__always)
  public mutating func appendUnchecked(
    room: Int, _ body: (UnsafeMutablePointer<Element>) -> UnsafeMutablePointer<Element>
  ) {
    reserve(room)
    let end = unsafe body(base + heldCount)
    heldCount = unsafe end - base
  }
}
