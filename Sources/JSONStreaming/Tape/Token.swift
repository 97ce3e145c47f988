/// One lexical element of a JSON text on the tape.
///
/// A start token holds the index after its container's end, so a reader skips a whole value in one
/// step.
///
/// | kind | `first` | `second` |
/// |---|---|---|
/// | `string`, `key`, `number` | offset of its text, see ``Tape/text(of:)`` | bytes of its text |
/// | `startObject`, `startArray` | index of the token after its end | members or elements |
/// | `endObject`, `endArray`, `true`, `false`, `null` | 0 | 0 |
///
/// The text of a string or key is unescaped UTF-8; the text of a number is its lexeme.
@frozen
public struct Token: BitwiseCopyable, Sendable {
  /// The kind of a token.
  @frozen
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null, `false`, `true`, number, string, key, startObject, endObject, startArray, endArray
  }

  /// The kind of the token.
  public var kind: Kind
  /// Whether `first` is an offset in the tape's copies; otherwise in the input, modulo 2^32.
  @usableFromInline var isCopied: Bool
  @usableFromInline var first: UInt32
  @usableFromInline var second: UInt32

  /// Creates a token; `kind` defines the meaning of the two numbers.
  @inlinable
  init(kind: Kind, first: Int = 0, second: Int = 0, isCopied: Bool = false) {
    self.kind = kind
    self.isCopied = isCopied
    self.first = UInt32(truncatingIfNeeded: first)
    self.second = UInt32(truncatingIfNeeded: second)
  }

  /// The length in bytes of the text of a `string`, `key` or `number`.
  @inlinable
  public var textByteCount: Int { Int(second) }

  /// The index of the token after the container's end.
  @inlinable
  public var next: Int { Int(first) }

  /// The number of members of an object or elements of an array.
  @inlinable
  public var elementCount: Int { Int(second) }

  mutating func close(next: Int, elementCount: Int) {
    first = UInt32(truncatingIfNeeded: next)
    second = UInt32(truncatingIfNeeded: elementCount)
  }

  /// Adjusts indexes after the removal of tokens and copied bytes before the token.
  mutating func rebase(tokensBy tokenShift: Int, copiesBy copyShift: Int) {
    switch kind {
    case .string, .key, .number:
      if isCopied { first &-= UInt32(truncatingIfNeeded: copyShift) }
    case .startObject, .startArray:
      // The index is 0 in an open container, whose end is unknown.
      if first > 0 { first &-= UInt32(truncatingIfNeeded: tokenShift) }
    case .endObject, .endArray, .true, .false, .null:
      break
    }
  }
}
