internal import POIRecords

extension JSONValue {
  /// Parses a stored text; nil if it is not one JSON value.
  static func stored(_ text: Span<UInt8>) -> JSONValue? { try? JSONValue(parsing: text) }

  static func stored(_ text: String) -> JSONValue? {
    stored(Array(text.utf8).span)
  }
}
