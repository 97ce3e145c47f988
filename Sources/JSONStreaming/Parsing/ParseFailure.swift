/// The reason why the parser stopped, not yet related to an element.
struct ParseFailure {
  enum Kind: Equatable {
    /// yajl rejects the bytes.
    case syntax
    /// A callback stopped the parser.
    case stop(ParseState.Stop)
    /// A flaw is outside the elements.
    case flaw(TextFlaw)
    case truncated
  }

  var kind: Kind

  /// The number of input bytes needed to detect the failure.
  var noticedOffset: Int
}
