package import JSONStreaming

/// One element of the input on the tape.
package struct JSONElement: ~Escapable {
  package let tape: Tape
  /// The index of the first token of the element.
  package let start: Int
  /// The name of the member that holds the element, in an object of objects; else nil.
  package let memberName: Token?
  /// Whether the element contains U+0000.
  package let holdsNUL: Bool

  /// The current element of `reader`.
  @_lifetime(borrow reader)
  package init(_ reader: borrowing ElementReader) {
    tape = reader.tape
    start = reader.elementTokens.lowerBound
    memberName = reader.memberName
    holdsNUL = reader.holdsNUL
  }

  @_lifetime(copy element)
  init(valueAt index: Int, of element: JSONElement) {
    tape = element.tape
    start = index
    memberName = nil
    holdsNUL = element.holdsNUL
  }

  /// Whether there is an object at `index`; false without an index.
  package func isObject(at index: Int?) -> Bool {
    if let index { tape[index].kind == .startObject } else { false }
  }

  /// The index of the value of an object's member; nil if the object lacks it.
  package func value(ofMember name: String, at index: Int) -> Int? {
    var member = index + 1
    while tape[member].kind == .key {
      if tape.text(of: tape[member]).hasSameBytes(as: name.utf8Span.span) { return member + 1 }
      member = tape.end(ofValueAt: member + 1)
    }
    return nil
  }

  /// Whether all members of an object are null; also of an empty one.
  func holdsOnlyNulls(objectAt index: Int) -> Bool {
    var member = index + 1
    while tape[member].kind == .key, tape[member + 1].kind == .null { member += 2 }
    return tape[member].kind == .endObject
  }

  /// The value at `index` for messages: compact JSON, truncated at about 60 bytes.
  func excerpt(ofValueAt index: Int) -> String {
    var output = GrowableBuffer<UInt8>()
    JSONText.append(
      valueAt: index, of: tape, to: &output, byteLimit: String.excerptByteLimit + 1)
    return String.excerpt(of: output.span)
  }

  /// The type and an excerpt of the value at `index`, for messages.
  func description(ofValueAt index: Int) -> String {
    let type =
      switch tape[index].kind {
      case .null, .true, .false: ""
      case .number: "number "
      case .string, .key: "string "
      case .startObject, .endObject: "object "
      case .startArray, .endArray: "array "
      }
    return type + excerpt(ofValueAt: index)
  }
}

extension String {
  fileprivate static let excerptByteLimit = 60

  /// At most 60 bytes of UTF-8 for messages, cut between characters.
  package static func excerpt(of bytes: Span<UInt8>) -> String {
    guard bytes.count > excerptByteLimit else { return String(copying: bytes) }
    var end = excerptByteLimit
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(copying: bytes.extracting(0..<end)) + "…"
  }
}
