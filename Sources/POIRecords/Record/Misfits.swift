internal import JSONStreaming

/// What a model would have to accept so that the records fit that it rejects for their types, for missing
/// members and for the form of dates.
///
/// A record that has other issues, too, does not count.
package struct Misfits: Sendable {
  /// What one attribute would have to accept.
  struct Need: Sendable {
    /// The types of its values.
    var types: JSONTypes = []
    var forms: Forms = []

    mutating func add(_ other: Need) {
      types.formUnion(other.types)
      forms.formUnion(other.forms)
    }
  }

  struct Forms: OptionSet, Sendable {
    let rawValue: UInt8

    static let missing = Forms(rawValue: 1)
    /// An empty text instead of null.
    static let emptyText = Forms(rawValue: 2)
    /// A number in quotes.
    static let numberText = Forms(rawValue: 4)
    /// A text where there were dates.
    static let otherText = Forms(rawValue: 8)
    /// A date-time of ISO 8601 that RFC 3339 does not have.
    static let otherDateTime = Forms(rawValue: 16)
    /// A date-time without a zone.
    static let zoneless = Forms(rawValue: 32)
    /// An integer beyond 64 bits.
    static let bigInteger = Forms(rawValue: 64)
  }

  private let model: Model

  /// The needs of the model's attributes, by index.
  private(set) var needs: [Int: Need] = [:]

  init(of model: Model) { self.model = model }

  /// Notes a rejected record.
  mutating func note(_ element: JSONElement, rejectedBy issues: [Issue]) {
    var found: [(index: Int, need: Need)] = []
    for issue in issues {
      guard let index = model.attributes.index(named: issue.attribute),
        let need = need(of: model.attributes[index], in: element, rule: issue.rule)
      else { return }
      found.append((index, need))
    }
    for (index, need) in found { needs[index, default: Need()].add(need) }
  }

  private func need(of attribute: Attribute, in element: JSONElement, rule: String) -> Need? {
    let isKey = model.key.containsExactly(attribute.name)
    // A record without a key is merged with no other one.
    if rule == "required" { return isKey ? nil : Need(forms: .missing) }
    guard let value = element.index(ofValueAt: attribute.source),
      ["type", "format", "integer-range"].contains(rule)
    else { return nil }
    let token = element.tape[value]
    if rule == "integer-range" { return token.kind == .number ? Need(forms: .bigInteger) : nil }
    guard token.kind == .string else {
      let type = element.type(ofValueAt: value)
      // Numbers in a key keep their meaning; 1, true and "1" would be three keys.
      return rule == "format" || isKey && type != .number ? nil : Need(types: type)
    }
    let text = element.tape.text(of: token)
    // The keys 7 and "7" stay two.
    if isKey { return text.isEmpty ? nil : Need(types: .string) }
    if attribute.mayBeLenient, !attribute.hasDecimalComma, NumberText.isNumber(text) {
      return Need(forms: .numberText)
    }
    if text.isEmpty, attribute.mayReadEmptyText { return Need(types: .null, forms: .emptyText) }
    return rule == "format"
      ? Self.form(of: text, insteadOf: attribute.storage) : Need(types: .string)
  }

  private static func form(of text: Span<UInt8>, insteadOf storage: Attribute.Storage) -> Need? {
    switch storage {
    case .date: return Need(forms: .otherText)
    case .instant(.rfc3339(let offset)):
      if Instant(rfc3339: text, defaultOffsetMinutes: 0) != nil { return Need(forms: .zoneless) }
      guard DatePattern.iso8601.instant(text, defaultOffsetMinutes: 0) != nil else { return nil }
      let hasZone = DatePattern.iso8601.instant(text, defaultOffsetMinutes: offset) != nil
      return Need(forms: hasZone ? .otherDateTime : [.otherDateTime, .zoneless])
    case .instant(.pattern(.iso8601, nil))
    where DatePattern.iso8601.instant(text, defaultOffsetMinutes: 0) != nil:
      return Need(forms: .zoneless)
    default: return nil
    }
  }
}

extension Attribute {
  /// Whether `x-lenient` can read its values.
  fileprivate var mayBeLenient: Bool {
    !types.contains(.string) && !types.isDisjoint(with: [.integer, .number, .boolean])
  }

  /// Whether `x-empty-as-null` can read its values.
  fileprivate var mayReadEmptyText: Bool { types.contains(.string) || mayBeLenient }
}

extension JSONElement {
  /// The index of the first token of a value; nil if the element does not have it.
  fileprivate func index(ofValueAt source: Attribute.Source) -> Int? {
    guard case .pointer(let steps) = source else { return nil }
    var index = start
    for step in steps {
      let isObject = tape[index].kind == .startObject
      guard isObject || tape[index].kind == .startArray else { return nil }
      var next = index + 1
      var position = 0
      while true {
        switch tape[next].kind {
        case .endObject, .endArray: return nil
        default: break
        }
        let isFound =
          isObject
          ? tape.text(of: tape[next]).hasSameBytes(as: step.utf8Span.span)
          : Int(step) == position
        if isObject { next += 1 }
        if isFound { break }
        next = tape.end(ofValueAt: next)
        position += 1
      }
      index = next
    }
    return index
  }

  fileprivate func type(ofValueAt index: Int) -> JSONTypes {
    switch tape[index].kind {
    case .null: .null
    case .true, .false: .boolean
    case .number:
      if case .integer = NumberText.value(tape.text(of: tape[index])) { .integer } else { .number }
    case .string, .key: .string
    case .startObject, .endObject: .object
    case .startArray, .endArray: .array
    }
  }
}
