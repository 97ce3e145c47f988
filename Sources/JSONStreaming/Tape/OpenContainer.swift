/// An open container of an element.
struct OpenContainer: BitwiseCopyable {
  var token: Int
  /// The number of values in the container around it, this one included.
  var outerCount: Int
}
