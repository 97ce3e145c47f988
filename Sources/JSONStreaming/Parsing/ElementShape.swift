/// Where in a JSON input its elements stand.
public enum ElementShape: Sendable, Hashable {
  /// Every top-level value is an element: newline-delimited or concatenated JSON.
  case sequence

  /// The elements of the array, or the members of the object, at the pointer in every top-level
  /// value.
  ///
  /// The empty pointer names the top-level array or object itself. A step is matched with the first
  /// member of that name; a second member of that name is an error, because nobody could say which
  /// of the two was meant.
  case container(JSONPointer)
}
