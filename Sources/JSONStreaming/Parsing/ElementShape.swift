/// The place of the elements in a JSON input.
public enum ElementShape: Sendable, Hashable {
  /// Every top-level value is an element: newline-delimited or concatenated JSON.
  case sequence

  /// The elements of the array, or the members of the object, at the pointer in every top-level
  /// value.
  ///
  /// The empty pointer names the top-level array or object itself. A second member with the name of
  /// a step is an error, because the pointer would be ambiguous.
  ///
  /// With wildcards, the elements are in all arrays, or in all objects, at the places that match;
  /// other values there are skipped. There must be one such place, or an empty array or object for a
  /// wildcard.
  case container(JSONPointer)

  /// The rows of text delimited by a byte, such as a comma (RFC 4180), below a header.
  ///
  /// Each row is an object of texts. An empty field is null, and `""` an empty text.
  case delimited(by: UInt8)
}
