package import JSONStreaming

extension ElementReader {
  /// Moves on to a value that is all of a text.
  ///
  /// - Returns: whether there is one that is within the limits.
  package mutating func findValue() -> Bool {
    if case .element? = try? next() { true } else { false }
  }
}
