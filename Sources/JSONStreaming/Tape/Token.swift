/// One lexical element of a JSON text on the tape.
///
/// Containers are flat: a start token knows where its content ends, so a reader skips a whole value
/// in one step.
///
/// | kind | `first` | `second` |
/// |---|---|---|
/// | `string`, `key`, `number` | where its text stands, see ``Tape/text(of:)`` | bytes of its text |
/// | `startObject`, `startArray` | index of the token after its end | members or elements |
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

  /// What the token stands for.
  public var kind: Kind
  /// Whether `first` is an offset in the tape's copies; otherwise it is one in the input, modulo
  /// 2^32.
  @usableFromInline var isCopied: Bool
  @usableFromInline var first: UInt32
  @usableFromInline var second: UInt32

  /// A token with the two numbers that its kind gives a meaning.
  @inlinable
  init(kind: Kind, first: Int = 0, second: Int = 0, isCopied: Bool = false) {
    self.kind = kind
    self.isCopied = isCopied
    self.first = UInt32(truncatingIfNeeded: first)
    self.second = UInt32(truncatingIfNeeded: second)
  }

  /// The number of bytes of the text of a `string`, `key` or `number`.
  @inlinable
  public var textByteCount: Int { Int(second) }

  /// Index on the tape of the token after a container's matching end.
  @inlinable
  public var next: Int { Int(first) }

  /// The number of members of an object or elements of an array.
  @inlinable
  public var elementCount: Int { Int(second) }

  /// Completes the start token of a container.
  mutating func close(next: Int, elementCount: Int) {
    first = UInt32(truncatingIfNeeded: next)
    second = UInt32(truncatingIfNeeded: elementCount)
  }

  /// Corrects the token after as many tokens and copied bytes were removed before it.
  mutating func rebase(tokensBy tokenShift: Int, copiesBy copyShift: Int) {
    switch kind {
    case .string, .key, .number:
      if isCopied { first -= UInt32(truncatingIfNeeded: copyShift) }
    case .startObject, .startArray:
      // An open container's is 0: it does not know its end.
      if first > 0 { first -= UInt32(truncatingIfNeeded: tokenShift) }
    case .endObject, .endArray, .true, .false, .null:
      break
    }
  }
}
