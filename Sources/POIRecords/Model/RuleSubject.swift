internal import JSONStreaming

/// A value to check against rules.
package struct RuleSubject: ~Escapable {
  let element: JSONElement
  let start: Int
  /// The tape index of the checked value; 0 after `init(scalar:text:of:)`.
  let index: Int
  /// The kind after conversion: a lenient string counts as a number or boolean.
  let kind: Token.Kind
  /// The unescaped text of a string, the lexeme of a number.
  let text: Span<UInt8>

  /// A scalar value of an attribute, from the tape or from the record's member name.
  @_lifetime(copy element, copy text)
  init(scalar kind: Token.Kind, text: Span<UInt8>, of element: JSONElement) {
    self.element = element
    (start, index) = (0, 0)
    self.kind = kind
    self.text = text
  }

  /// The value that starts at `index` on the tape.
  @_lifetime(copy element)
  package init(valueAt index: Int, of element: JSONElement, start: Int) {
    let token = element.tape[index]
    self.element = element
    self.start = start
    self.index = index
    kind = token.kind
    switch token.kind {
    case .number, .string, .key: text = element.tape.text(of: token)
    default: text = Span()
    }
  }

  var hash: UInt64 {
    switch kind {
    case .startObject, .startArray: element.tape.valueHash(at: index)
    default: JSONScalar.hash(kind, text)
    }
  }

  /// The value for messages, after its pointer inside the attribute if it has one.
  var excerpt: String {
    let value =
      switch kind {
      case .null: "null"
      case .true: "true"
      case .false: "false"
      case .number: String.excerpt(of: text)
      case .string, .key: JSONText.quoted(String.excerpt(of: text))
      default: element.excerpt(ofValueAt: index)
      }
    return index == start ? value : "\(pointer): \(value)"
  }

  private var pointer: String {
    let tape = element.tape
    var pointer = ""
    var container = start
    while container != index {
      let isObject = tape[container].kind == .startObject
      var (child, position) = (container + 1, 0)
      var value = isObject ? child + 1 : child
      while tape.end(ofValueAt: value) <= index {
        child = tape.end(ofValueAt: value)
        value = isObject ? child + 1 : child
        position += 1
      }
      pointer += JSONPointer.step(
        isObject ? String(copying: tape.text(of: tape[child])) : String(position))
      container = value
    }
    return pointer
  }
}
