package import JSONStreaming

extension ElementReader {
  /// Advances to the next value; returns whether there is a valid value within the limits.
  package mutating func findValue() -> Bool {
    if case .element? = try? next() { true } else { false }
  }
}
