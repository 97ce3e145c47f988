package import JSONStreaming

extension ElementReader {
  /// Moves on to a value that is all of a text.
  ///
  /// - Returns: whether there is one that is within the limits.
  /// - Throws: `ReadingError` when there is no memory to read it, which says nothing of it.
  package mutating func findValue() throws(ReadingError) -> Bool {
    do {
      if case .element = try next() { return true }
    } catch {
      guard error.code != .outOfMemory else { throw error }
    }
    return false
  }
}
