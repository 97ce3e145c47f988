/// Why the parser stopped, before it is known what that means.
struct ParseFailure {
  enum Kind: Equatable {
    /// yajl refuses the bytes.
    case syntax
    /// A callback refused them.
    case stop(ParseState.Stop)
    /// There is a flaw outside the elements.
    case flaw(TextFlaw)
    /// The input ends inside a value.
    case truncated
  }

  var kind: Kind

  /// How many bytes of the input had to be seen to know.
  var noticedOffset: Int
}
