internal import JSONStreaming

extension RecordDecoder {
  /// The slot of an object of MongoDB's Extended JSON that represents a scalar of the attribute's type; nil for
  /// other objects.
  @inline(never)
  mutating func extendedSlot(
    of index: Int, value: Int, element: JSONElement, arena: inout GrowableBuffer<UInt8>
  ) -> ValueSlot? {
    guard let extended = ExtendedValue(objectAt: value, of: element.tape) else { return nil }
    let attribute = layout.fields[index].attribute
    switch extended {
    case .number(let place) where !attribute.types.isDisjoint(with: [.integer, .number]):
      return numberSlot(
        of: index, lexeme: element.tape.text(of: element.tape[place]), element: element)
    case .text(let place) where attribute.types.contains(.string),
      .number(let place) where attribute.types.contains(.string) || attribute.isLenient:
      return stringSlot(
        of: index, text: element.tape.text(of: element.tape[place]), element: element,
        arena: &arena)
    case .text, .number: return nil
    case .instant(let instant):
      return extendedSlot(of: index, instant, attribute, element: element, arena: &arena)
    }
  }

  /// The slot of a `$date`, which is an instant whatever the notation of the attribute.
  private mutating func extendedSlot(
    of index: Int, _ instant: Instant, _ attribute: Attribute, element: JSONElement,
    arena: inout GrowableBuffer<UInt8>
  ) -> ValueSlot? {
    let text = instant.description
    switch attribute.storage {
    case .instant(.sinceEpoch(let length)):
      let number = instant.text(inUnitsOf: length)
      guard attribute.types.contains(.number) || !number.contains(".") else {
        return instantSlot(of: index, instant, text: number.utf8Span.span)
      }
      return numberSlot(of: index, lexeme: number.utf8Span.span, element: element)
    case .instant:
      check(RuleSubject(scalar: .string, text: text.utf8Span.span, of: element), of: index)
      return instantSlot(of: index, instant, text: text.utf8Span.span)
    case .date where text.hasSuffix("T00:00:00Z"):
      let day = String(text.dropLast("T00:00:00Z".utf8.count))
      check(RuleSubject(scalar: .string, text: day.utf8Span.span, of: element), of: index)
      let start = arena.count
      arena.append(copying: day.utf8Span.span)
      return .text(start..<arena.count)
    case .text, .any:
      guard attribute.types.contains(.string), Instant.range.contains(instant.microseconds) else {
        return nil
      }
      return stringSlot(
        of: index, text: text.utf8Span.span, element: element, arena: &arena)
    default: return nil
    }
  }
}
