/// A part of a regular expression. Greediness and captures do not affect whether it matches.
indirect enum PatternNode {
  case scalar(ScalarSet)
  case sequence([PatternNode])
  case alternatives([PatternNode])
  /// From `least` to `most` times, without an upper limit if `most` is nil.
  case repetition(PatternNode, least: Int, most: Int?)
  case start
  case end
  case wordBoundary(isNegated: Bool)
}
