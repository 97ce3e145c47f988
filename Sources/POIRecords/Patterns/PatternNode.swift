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
  /// A place where a lookaround matches, named by its number; where it does not if it is negated.
  case look(Int, isNegated: Bool)
}

/// What is asked of the text beside a place of it.
struct PatternLook {
  let node: PatternNode
  /// Whether it is to match up to the place, and not from it on.
  let isBehind: Bool
}
