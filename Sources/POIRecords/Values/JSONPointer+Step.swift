internal import JSONStreaming

extension JSONPointer {
  /// One step of a pointer with its slash, escaped as RFC 6901 asks: `/a~1b`.
  static func step(_ token: String) -> String { JSONPointer(tokens: [token]).description }
}
