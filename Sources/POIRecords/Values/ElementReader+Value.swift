package import JSONStreaming

extension ElementReader {
  /// Advances to the value of a text that holds one value.
  ///
  /// - Returns: whether there is a valid value within the limits.
  package mutating func findValue() -> Bool {
    if case .element? = try? next() { true } else { false }
  }
}
