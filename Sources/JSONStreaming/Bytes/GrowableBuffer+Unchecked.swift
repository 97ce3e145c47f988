extension GrowableBuffer {
  /// Lets `body` write after the values without checks.
  ///
  /// - Parameters:
  ///   - room: the number of values that `body` may write.
  ///   - body: receives the address of the first free slot and returns the address after the last
  ///     value written.
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
