/// The tokens of a reader's elements, with their text.
///
/// A token points into the reader's input. Text with escapes, or text that the parser received in
/// two pieces, is copied to a separate buffer.
@frozen
@safe
public struct Tape: ~Escapable {
  @usableFromInline let tokens: UnsafePointer<Token>?
  @usableFromInline let input: UnsafePointer<UInt8>?
  @usableFromInline let copies: UnsafePointer<UInt8>?

  /// The number of tokens.
  public let count: Int
  @usableFromInline let inputCount: Int
  @usableFromInline let copiesCount: Int
  /// The offset of the first input byte held, modulo 2^32.
  @usableFromInline let inputOffset: UInt32

  @_lifetime(copy tokens, copy input, copy copies)
  init(tokens: Span<Token>, input: Span<UInt8>, inputOffset: Int, copies: Span<UInt8>) {
    unsafe self.tokens = tokens.withUnsafeBufferPointer { $0.baseAddress }
    unsafe self.input = input.withUnsafeBufferPointer { $0.baseAddress }
    unsafe self.copies = copies.withUnsafeBufferPointer { $0.baseAddress }
    count = tokens.count
    inputCount = input.count
    copiesCount = copies.count
    self.inputOffset = UInt32(truncatingIfNeeded: inputOffset)
  }

  /// The token at `index`, which is in `0..<count`.
  @inlinable
  public subscript(index: Int) -> Token {
    @inline(__always)
    get {
      guard let tokens = unsafe tokens, UInt(bitPattern: index) < UInt(bitPattern: count) else {
        preconditionFailure("no such token")
      }
      return unsafe tokens[index]
    }
  }

  /// The text of a `string` or `key` as unescaped UTF-8, or the lexeme of a `number`.
  ///
  /// - Parameter token: a token of this tape, or the member name of its reader.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public func text(of token: Token) -> Span<UInt8> {
    guard !token.isCopied else { return copiedText(of: token) }
    // Offsets wrap around; the bytes held are far fewer than 2^32.
    let start = Int(token.first &- inputOffset)
    guard let input = unsafe input, start &+ token.textByteCount <= inputCount else {
      preconditionFailure("the token is not of this tape")
    }
    let span = unsafe Span(_unsafeStart: input + start, count: token.textByteCount)
    return unsafe _overrideLifetime(span, copying: self)
  }

  @usableFromInline
  @_lifetime(copy self)
  func copiedText(of token: Token) -> Span<UInt8> {
    let start = Int(token.first)
    guard let copies = unsafe copies, start &+ token.textByteCount <= copiesCount else {
      preconditionFailure("the token is not of this tape")
    }
    let span = unsafe Span(_unsafeStart: copies + start, count: token.textByteCount)
    return unsafe _overrideLifetime(span, copying: self)
  }

  /// The index after the value that starts at `index`.
  @inlinable
  public func end(ofValueAt index: Int) -> Int {
    let token = self[index]
    return token.kind == .startObject || token.kind == .startArray ? token.next : index + 1
  }
}
