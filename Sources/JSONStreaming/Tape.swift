/// The tokens of the elements that a reader holds, with the text that they stand for.
///
/// Text is not copied: a token points into the reader's input, unless the input writes it with
/// escapes or the parser met it in two pieces, which is kept in a buffer beside.
@frozen
public struct Tape: ~Escapable {
  /// The tokens.
  public let tokens: Span<Token>

  @usableFromInline let input: Span<UInt8>
  /// The offset of the first byte of `input`, modulo 2^32.
  @usableFromInline let inputOffset: UInt32
  @usableFromInline let copies: Span<UInt8>

  @_lifetime(copy tokens, copy input, copy copies)
  init(tokens: Span<Token>, input: Span<UInt8>, inputOffset: Int, copies: Span<UInt8>) {
    self.tokens = tokens
    self.input = input
    self.inputOffset = UInt32(truncatingIfNeeded: inputOffset)
    self.copies = copies
  }

  /// The text of a `string` or `key`, unescaped UTF-8, or the lexeme of a `number`.
  @inlinable
  @_lifetime(copy self)
  public func text(of token: Token) -> Span<UInt8> {
    if token.isCopied {
      let start = Int(token.first)
      return copies.extracting(start..<start + Int(token.second))
    }
    // Offsets wrap around, what is held is far smaller than 2^32 bytes.
    let start = Int(token.first &- inputOffset)
    return input.extracting(start..<start + Int(token.second))
  }
}
