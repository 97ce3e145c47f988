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

  /// Its member's name in the tape's copies; `nameStart` is -1 when it has none.
  var nameStart: Int
  var nameEnd: Int

  /// Where the container that it stands in begins.
  var containerStart: Int

  /// What the parser was inside of.
  var place: Place
}
