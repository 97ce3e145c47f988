/// The state of the search for the end of a malformed element.
struct Recovery {
  /// The offset of the element; in an object, of its member name.
  var start: Int

  /// The error to report. If yajl noticed it only behind the element's end, the reader reports a
  /// missing end instead.
  var malformation: Malformation

  /// The context after the element; its `needsComma` is set when the end is found.
  var context: ElementContext

  var scanner: RecoveryScanner
}
