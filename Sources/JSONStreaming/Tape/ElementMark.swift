/// A complete element on the tape that has not been delivered.
struct ElementMark: BitwiseCopyable {
  var firstToken: Int
  var endToken: Int

  /// The range of its bytes, in bytes from the start of the input.
  var start: Int
  var end: Int

  /// The offset of its member: of the quote of its name, otherwise `start`.
  var memberStart: Int

  /// Its member name, which is among the tape's copies.
  var name: Token?

  /// The offset of the container around it.
  var containerStart: Int

  var context: ElementContext
}
