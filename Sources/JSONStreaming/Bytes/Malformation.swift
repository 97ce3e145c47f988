/// Why an element cannot be read.
public struct Malformation: Sendable, Hashable {
  /// The stable name of the rule that the element breaks.
  ///
  /// | rule | the element |
  /// |---|---|
  /// | `syntax` | is not JSON, or not delimited text |
  /// | `nan` | is JSON except for `NaN`, `Infinity` or `-Infinity` as values |
  /// | `utf-8` | contains bytes that are not UTF-8 |
  /// | `surrogate-escape` | contains a `\u` escape of half a surrogate pair |
  /// | `row-length` | is an array with more elements than the header has names, or a row of delimited text with fewer or more fields |
  /// | `truncated` | is cut off by the end of the input |
  /// | `depth`, `element-bytes`, `string-bytes`, `keys-per-object` | exceeds a limit |
  public let rule: String

  /// The description of the error, in one lower-case line.
  public let message: String

  /// The position of the error, in bytes from the start of the input.
  public let byteOffset: Int

  /// Whether the input ends inside the element.
  public let isTruncated: Bool

  init(rule: String, message: String, byteOffset: Int, isTruncated: Bool = false) {
    self.rule = rule
    self.message = message
    self.byteOffset = byteOffset
    self.isTruncated = isTruncated
  }

  static func syntax(_ flaw: String, at byteOffset: Int) -> Malformation {
    Malformation(rule: "syntax", message: "not valid json: \(flaw)", byteOffset: byteOffset)
  }
}
