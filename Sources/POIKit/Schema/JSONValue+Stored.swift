internal import POIRecords

extension JSONValue {
  /// Reads a text that a store keeps; nothing where it is not one JSON value.
  static func stored(_ text: Span<UInt8>) -> JSONValue? { try? JSONValue(parsing: text) }

  /// The same of a string.
  static func stored(_ text: String) -> JSONValue? {
    stored(Array(text.utf8).span)
  }
}
