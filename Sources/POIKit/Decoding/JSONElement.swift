internal import JSONStreaming

/// One element of the input on the tape, as the decoder sees it.
struct JSONElement: ~Escapable {
  /// The whole tape.
  let tape: Tape
  /// The token that the element begins with.
  let start: Int
  /// The name of the member that holds the element, in an object of objects.
  let memberName: Token?
  /// Whether an escape inside the element stands for U+0000.
  let holdsNUL: Bool

  /// The element that `reader` stands on.
  @_lifetime(borrow reader)
  init(_ reader: borrowing ElementReader) {
    tape = reader.tape
    start = reader.elementTokens.lowerBound
    memberName = reader.memberName
    holdsNUL = reader.holdsNUL
  }

  /// The tokens of the tape.
  var tokens: Span<Token> {
    @_lifetime(copy self)
    get { tape.tokens }
  }

  /// The index of the token after the value that starts at `index`.
  func end(ofValueAt index: Int) -> Int {
    let token = tokens[index]
    return token.kind == .startObject || token.kind == .startArray ? token.next : index + 1
  }

  /// The text of a string, key or number.
  @_lifetime(copy self)
  func bytes(of token: Token) -> Span<UInt8> { tape.text(of: token) }

  /// The value that starts at `index` as a message quotes it: compact JSON, cut at 60 bytes or so.
  func excerpt(ofValueAt index: Int) -> String {
    var output = GrowableBuffer<UInt8>()
    _ = JSONText.append(valueAt: index, of: tape, to: &output)
    return String.excerpt(of: output.span)
  }

  /// What JSON Schema calls the type of the value that starts at `index`.
  func typeName(ofValueAt index: Int) -> String {
    switch tokens[index].kind {
    case .null: "null"
    case .true, .false: "boolean"
    case .number: "number"
    case .string, .key: "string"
    case .startObject, .endObject: "object"
    case .startArray, .endArray: "array"
    }
  }
}

extension String {
  /// The beginning of `bytes`, which are UTF-8, for a message: about 60 bytes and no part of a
  /// character.
  static func excerpt(of bytes: Span<UInt8>) -> String {
    let limit = 60
    guard bytes.count > limit else { return String(copying: bytes) }
    var end = limit
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(copying: bytes.extracting(0..<end)) + "…"
  }
}
