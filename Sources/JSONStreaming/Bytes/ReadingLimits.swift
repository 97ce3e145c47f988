/// How large one element may be.
///
/// An element beyond a limit is delivered as malformed and costs no more memory than the limit; the
/// elements after it are read.
public struct ReadingLimits: Sendable, Hashable {
  /// Levels of objects and arrays inside an element, itself included; 128 by default.
  ///
  /// What stands around the elements may not be nested deeper either.
  public var depth: Int

  /// Bytes of an element as it is written in the input; 16 MiB by default, at most 1 GiB.
  public var elementByteCount: Int

  /// Bytes of a string, a member's name or a number, after unescaping; 4 MiB by default.
  public var stringByteCount: Int

  /// Members of one object inside an element; 10,000 by default.
  public var keysPerObject: Int

  /// The given limits, each of which has to be positive.
  public init(
    depth: Int = 128,
    elementByteCount: Int = 16 << 20,
    stringByteCount: Int = 4 << 20,
    keysPerObject: Int = 10_000
  ) {
    precondition(depth > 0 && stringByteCount > 0 && keysPerObject > 0)
    precondition(elementByteCount > 0 && elementByteCount <= 1 << 30)
    self.depth = depth
    self.elementByteCount = elementByteCount
    self.stringByteCount = stringByteCount
    self.keysPerObject = keysPerObject
  }
}
