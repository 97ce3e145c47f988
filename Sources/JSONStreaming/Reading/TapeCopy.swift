/// A copy of one JSON value's tokens and text, independent of the reader.
@safe
public struct TapeCopy: Sendable {
  private var tokens: [Token] = []
  private var text: [UInt8] = []

  /// Copies the reader's current element.
  ///
  /// - Complexity: O(n) in the tokens and bytes of the element.
  public init(_ reader: borrowing ElementReader) {
    let tape = reader.tape
    let range = reader.elementTokens
    for index in range {
      let token = tape[index]
      switch token.kind {
      case .string, .key, .number:
        let source = tape.text(of: token)
        tokens.append(
          Token(kind: token.kind, first: text.count, second: source.count, isCopied: true))
        for place in source.indices { text.append(source[place]) }
      case .startObject, .startArray:
        tokens.append(
          Token(
            kind: token.kind, first: token.next - range.lowerBound, second: token.elementCount))
      case .endObject, .endArray, .true, .false, .null:
        tokens.append(token)
      }
    }
  }

  /// Appends the value to other tapes.
  func append(to other: inout TapeBuffers) {
    let (tokenCount, copyCount) = (other.tokens.count, other.copies.count)
    for var token in tokens {
      token.rebase(tokensBy: -tokenCount, copiesBy: -copyCount)
      other.tokens.append(token)
    }
    other.copies.append(copying: text.span)
  }

  /// The tape, whose first token begins the value.
  public var tape: Tape {
    @_lifetime(borrow self)
    get {
      let (input, tokens, text) = (Span<UInt8>(), tokens.span, text.span)
      return Tape(
        tokens: unsafe _overrideLifetime(tokens, borrowing: self),
        input: unsafe _overrideLifetime(input, borrowing: self), inputOffset: 0,
        copies: unsafe _overrideLifetime(text, borrowing: self))
    }
  }
}
