extension GrowableBuffer {
  /// Lets `body` write up to `room` values after the existing ones, without checks.
  ///
  /// - Parameter body: receives the address to write to and returns the address after the last
  ///   value.
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
