/// A container of the element that has not ended.
struct OpenContainer: BitwiseCopyable {
  /// Its start token.
  var token: Int
  /// How many values the container around it has, this one included.
  var outerCount: Int
}
