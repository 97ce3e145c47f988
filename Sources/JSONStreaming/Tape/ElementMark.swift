/// A complete element on the tape that has not been delivered.
struct ElementMark: BitwiseCopyable {
  /// Its tokens.
  var firstToken: Int
  var endToken: Int

  /// Where its bytes begin and end, in bytes from the start of the input.
  var start: Int
  var end: Int

  /// Where its member begins: at the quote of its name if it has one, otherwise at `start`.
  var memberStart: Int

  /// The name that it has in an object.
  var name: Token?

  /// Whether a string in it or its name holds U+0000.
  var holdsNUL: Bool

  /// What is wrong with its text, though it is well-formed JSON.
  var flaw: TextFlaw?
}
