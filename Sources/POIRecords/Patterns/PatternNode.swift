/// A part of a regular expression.
///
/// Whether a repetition takes as much or as little as it can, and what groups capture, is left out: it
/// does not change whether an expression matches.
indirect enum PatternNode {
  /// One scalar value of a set.
  case scalar(ScalarSet)
  case sequence([PatternNode])
  case alternatives([PatternNode])
  /// From `least` to `most` times; any number of times from `least` on where `most` is nil.
  case repetition(PatternNode, least: Int, most: Int?)
  /// The start of the text.
  case start
  /// The end of the text.
  case end
  /// Between a character of a word and one that is none; anywhere else where it is negated.
  case wordBoundary(isNegated: Bool)
}
