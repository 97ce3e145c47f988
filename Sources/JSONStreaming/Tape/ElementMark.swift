/// A complete element on the tape that has not been delivered.
struct ElementMark: BitwiseCopyable {
  var firstToken: Int
  var endToken: Int

  /// The range of its bytes, in bytes from the start of the input.
  var start: Int
  var end: Int

  /// The offset of its member: of the quote of its name, otherwise `start`.
  var memberStart: Int

  /// The range of its member name in the tape's copies; `nameStart` is -1 without a name.
  var nameStart: Int
  var nameEnd: Int

  /// The offset of the container around it.
  var containerStart: Int

  var context: ElementContext
}
