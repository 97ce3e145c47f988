/// The state of the search for the end of a malformed element.
struct Recovery {
  /// The offset of the element; in an object, of its member name.
  var start: Int

  /// The error, unless the end of the element shows another one.
  var malformation: Malformation

  /// The context after the element, except the comma.
  var context: ElementContext

  var scanner: RecoveryScanner
}
