/// Limits on the size of one element, and what is read although it is not JSON.
///
/// An element that exceeds a limit is delivered as malformed and uses no more memory than the
/// limit; reading continues after it.
public struct ReadingLimits: Sendable, Hashable {
  /// The nesting depth of an element, itself included; 128 by default. The depth limit also applies
  /// to the text around the elements.
  public var depth: Int

  /// The size of an element in the input, in bytes; 16 MiB by default, at most 1 GiB.
  public var elementByteCount: Int

  /// The size of a string, member name or number after unescaping, in bytes; 4 MiB by default.
  public var stringByteCount: Int

  /// The number of members of one object inside an element; 10,000 by default.
  public var keysPerObject: Int

  /// Whether text between elements that JSON does not allow is skipped, see
  /// ``ElementReader/takeSkippedCount()``. Otherwise, as by default, it is malformed.
  public var skipsInsertions = false

  /// Whether `NaN`, `Infinity` and `-Infinity` in an element are read as null. Otherwise, as by
  /// default, the element is malformed.
  public var readsNaNAsNull = false

  /// Creates limits, each of which must be positive.
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
