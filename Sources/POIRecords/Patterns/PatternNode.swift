/// A part of a regular expression, without what does not matter for a match: greediness and captures.
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
