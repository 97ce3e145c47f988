/// One lexical element of a JSON text on the tape.
///
/// Containers are flat: a start token knows where its content ends, so a reader skips a whole value in one step.
///
/// | kind | `first` | `second` |
/// |---|---|---|
/// | `string`, `key`, `number` | offset of its text in the tape's bytes | length of its text in bytes |
/// | `startObject`, `startArray` | index of the token after the matching end | number of members or elements |
/// | `endObject`, `endArray`, `true`, `false`, `null` | 0 | 0 |
///
/// A string's or key's text is unescaped UTF-8; a number's is its lexeme.
@frozen
public struct Token: BitwiseCopyable, Sendable {
  /// What a token stands for.
  @frozen
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null, `false`, `true`, number, string, key, startObject, endObject, startArray, endArray
  }

  public var kind: Kind
  @usableFromInline var first: UInt32
  @usableFromInline var second: UInt32

  @inlinable
  public init(kind: Kind, first: Int = 0, second: Int = 0) {
    self.kind = kind
    self.first = UInt32(truncatingIfNeeded: first)
    self.second = UInt32(truncatingIfNeeded: second)
  }

  /// Where the text of a `string`, `key` or `number` stands in the tape's bytes.
  @inlinable
  public var textRange: Range<Int> { Int(first)..<(Int(first) + Int(second)) }

  /// Index on the tape of the token after a container's matching end.
  @inlinable
  public var next: Int { Int(first) }

  /// The number of members of an object or elements of an array.
  @inlinable
  public var elementCount: Int { Int(second) }
}
