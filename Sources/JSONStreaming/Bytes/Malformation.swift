/// Why an element cannot be read.
public struct Malformation: Sendable, Hashable {
  /// The stable name of the rule that the element breaks.
  ///
  /// | rule | the element |
  /// |---|---|
  /// | `syntax` | is not JSON |
  /// | `utf-8` | holds bytes that are not UTF-8 |
  /// | `surrogate-escape` | holds half of a surrogate pair as a `\u` escape |
  /// | `truncated` | is cut off by the end of the input |
  /// | `depth`, `element-bytes`, `string-bytes`, `keys-per-object` | is beyond a limit |
  public let rule: String

  /// What is wrong, in one lower-case line.
  public let message: String

  /// Where the flaw is, in bytes from the start of the input.
  public let byteOffset: Int

  /// Whether the input ends inside the element.
  public let isTruncated: Bool

  init(rule: String, message: String, byteOffset: Int, isTruncated: Bool = false) {
    self.rule = rule
    self.message = message
    self.byteOffset = byteOffset
    self.isTruncated = isTruncated
  }
}
