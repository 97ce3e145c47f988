internal import JSONStreaming

/// Decoding a value on the tape to a slot: types, leniency, storage and rules.
extension RecordDecoder {
  /// Decodes a valid value of a common kind; returns false, without any change, for all others.
  @inline(__always)
  mutating func decodeCommonField(
    _ index: Int, value: Int, element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool {
    let token = element.tape[value]
    guard batch[record, index].kind == .absent,
      let slot = plainSlot(of: index, token: token, element: element, arena: &batch.arena)
    else { return false }
    batch[record, index] = slot
    return true
  }

  /// The slot of a valid value of a common kind; nil, with nothing appended, for all others.
  @inline(__always)
  private func plainSlot(
    of index: Int, token: Token, element: JSONElement, arena: inout GrowableBuffer<UInt8>
  ) -> ValueSlot? {
    let plan = plans[index]
    switch token.kind {
    case .string where !element.holdsNUL:
      guard plan.admits(byteCount: token.textByteCount) else { return nil }
      switch plan.conversion {
      case .text:
        let start = arena.count
        arena.append(bytes: element.tape.text(of: token))
        return .text(at: start, count: token.textByteCount)
      case .uuid:
        let start = arena.count
        guard UUIDText.appendCanonical(element.tape.text(of: token), to: &arena) else { return nil }
        return .text(at: start, count: token.textByteCount)
      case .instant:
        guard
          let instant = Instant(
            rfc3339: element.tape.text(of: token), defaultOffsetMinutes: plan.defaultOffsetMinutes),
          instant.microseconds >= Instant.range.lowerBound,
          instant.microseconds <= plan.latestInstant,
          !keepsMisfits || token.textByteCount <= Instant.plainByteCount
        else { return nil }
        return .integer(instant.microseconds)
      case .real, .integer:
        guard plan.readsTextAsNumber || readsTexts && plan.readsTextAsNumberInRows,
          NumberText.isNumber(element.tape.text(of: token))
        else { return nil }
        return plainNumber(token, plan, element: element)
      case .general: return nil
      }
    case .number where plan.conversion == .real || plan.conversion == .integer:
      return plainNumber(token, plan, element: element)
    case .null where plan.acceptsNullDirectly: return .null
    default: return nil
    }
  }

  /// The slot of a number, or of a text that is one.
  @inline(__always)
  private func plainNumber(
    _ token: Token, _ plan: FieldDecoding, element: JSONElement
  ) -> ValueSlot? {
    switch NumberText.value(element.tape.text(of: token)) {
    case .integer(let integer):
      // A double represents every integer up to 2^53 exactly.
      guard integer.magnitude <= 1 << 53, plan.admits(Double(integer)) else { return nil }
      return plan.conversion == .real ? .real(Double(integer)) : .integer(integer)
    case .real(let real, isExact: true)
    where plan.conversion == .real && plan.admits(real)
      && (token.textByteCount <= NumberText.plainByteCount || !keepsMisfits):
      return .real(real)
    case .real, .tooLarge: return nil
    }
  }

  @inline(__always)
  mutating func decodeField(
    _ index: Int, value: Int, element: JSONElement, record: Int, batch: inout RecordBatch
  ) {
    if !decodeCommonField(index, value: value, element: element, record: record, batch: &batch) {
      decodeUncommonField(index, value: value, element: element, record: record, batch: &batch)
    }
  }

  /// Decodes any value, and reports its issues.
  @inline(never)
  mutating func decodeUncommonField(
    _ index: Int, value: Int, element: JSONElement, record: Int, batch: inout RecordBatch
  ) {
    // A value beside its column is behind it in delimited text.
    guard batch[record, index].kind == .absent || isOfRows && batch[record, index].kind == .null
    else {
      return issues.report(
        "duplicate-key", layout.fields[index].path, "the member occurs twice in the record")
    }
    if let field = layout.fields[index].valueField, !isNull(value, of: index, element: element) {
      decodeField(field, value: value, element: element, record: record, batch: &batch)
      if batch[record, field].kind != .absent { batch[record, index] = .related }
      return
    }
    let issueCount = issues.count
    let slot = slot(of: index, value: value, element: element, arena: &batch.arena)
    if issues.count == issueCount { batch[record, index] = slot }
  }

  /// Whether a value is `null`, or an empty string that is read as `null`.
  private func isNull(_ value: Int, of index: Int, element: JSONElement) -> Bool {
    let token = element.tape[value]
    return switch token.kind {
    case .null: true
    case .string: token.textByteCount == 0 && layout.fields[index].attribute.readsEmptyAsNull
    default: false
    }
  }

  /// Decodes the name of the member that holds the record into the fields that read it.
  mutating func decodeMemberName(_ element: JSONElement, record: Int, batch: inout RecordBatch) {
    guard let name = element.memberName else { return }
    for index in table.memberNameFields {
      let issueCount = issues.count
      let isNull = name.textByteCount == 0 && layout.fields[index].attribute.readsEmptyAsNull
      let field = isNull ? index : layout.fields[index].valueField ?? index
      let slot = stringSlot(
        of: field, text: element.tape.text(of: name), element: element, arena: &batch.arena)
      guard issues.count == issueCount else { continue }
      batch[record, field] = slot
      if field != index { batch[record, index] = .related }
    }
  }

  mutating func slot(
    of index: Int, value: Int, element: JSONElement, arena: inout GrowableBuffer<UInt8>
  ) -> ValueSlot {
    let token = element.tape[value]
    let types = layout.fields[index].attribute.types
    switch token.kind {
    case .null where layout.fields[index].attribute.clearsByNull: return .null
    case .null where types.contains(.null):
      check(RuleSubject(valueAt: value, of: element, start: value), of: index)
      return .null
    case .true where types.contains(.boolean), .false where types.contains(.boolean):
      check(RuleSubject(valueAt: value, of: element, start: value), of: index)
      return .integer(token.kind == .true ? 1 : 0)
    case .number where layout.fields[index].attribute.storage == .json:
      let lexeme = element.tape.text(of: token)
      guard types.contains(.number) || ExactNumber(lexeme).exponent >= 0 else {
        return reportNumber(index, "type", lexeme, "is not an integer")
      }
      return jsonSlot(of: index, value: value, element: element, arena: &arena)
    case .number where !types.isDisjoint(with: [.integer, .number]):
      return numberSlot(of: index, lexeme: element.tape.text(of: token), element: element)
    case .string
    where types.contains(.string) || layout.fields[index].attribute.isLenient
      || readsTexts && !types.isDisjoint(with: [.integer, .number, .boolean]):
      return stringSlot(
        of: index, text: element.tape.text(of: token), element: element, arena: &arena)
    case .string where !layout.fields[index].attribute.isContent:
      return jsonSlot(of: index, value: value, element: element, arena: &arena)
    case .startObject where layout.fields[index].attribute.storage == .relation:
      return .related
    case .startObject
    where layout.fields[index].attribute.storage == .any && types.contains(.object):
      return extendedSlot(of: index, value: value, element: element, arena: &arena)
        ?? jsonSlot(of: index, value: value, element: element, arena: &arena)
    case .startObject where types.contains(.object), .startArray where types.contains(.array):
      return jsonSlot(of: index, value: value, element: element, arena: &arena)
    default:
      if token.kind == .startObject,
        let slot = extendedSlot(of: index, value: value, element: element, arena: &arena)
      {
        return slot
      }
      reportType(of: index, excerpt: element.excerpt(ofValueAt: value))
      return .absent
    }
  }

  /// The slot of a value that is kept as JSON.
  private mutating func jsonSlot(
    of index: Int, value: Int, element: JSONElement, arena: inout GrowableBuffer<UInt8>
  ) -> ValueSlot {
    check(RuleSubject(valueAt: value, of: element, start: value), of: index)
    let start = arena.count
    JSONText.append(valueAt: value, of: element.tape, to: &arena)
    return .text(start..<arena.count)
  }

  // MARK: Numbers

  mutating func numberSlot(of index: Int, lexeme: Span<UInt8>, element: JSONElement) -> ValueSlot {
    let value = NumberText.value(lexeme)
    let types = layout.fields[index].attribute.types
    let number: Number
    switch value {
    case .integer(let integer): number = .integer(integer)
    case .real(let real, let isExact):
      if !types.contains(.number) {
        let isIntegral = DecimalText(lexeme).exponent >= 0
        return reportNumber(
          index, isIntegral ? "integer-range" : "type", lexeme,
          isIntegral ? "does not fit a 64-bit integer" : "is not an integer")
      }
      guard isExact, !keepsMisfit[index] || NumberText.isPrinted(lexeme, of: real) else {
        return reportNumber(
          index, "number-range", lexeme, "fits neither a 64-bit integer nor, exactly, a double")
      }
      number = .real(real)
    case .tooLarge:
      return types.contains(.number)
        ? reportNumber(index, "number-range", lexeme, "is beyond the range of a double")
        : reportNumber(index, "integer-range", lexeme, "does not fit a 64-bit integer")
    }
    check(RuleSubject(scalar: .number, text: lexeme, of: element), of: index)
    switch layout.fields[index].attribute.storage {
    case .real:
      if case .integer(let integer) = number {
        guard
          Int64(exactly: Double(integer)) == integer
            || !DecimalText(lexeme).isPlainInteger && !keepsMisfit[index]
        else {
          return reportNumber(
            index, "number-range", lexeme,
            "would lose digits as a REAL; give the attribute the type integer")
        }
        return .real(Double(integer))
      }
    case .instant(.sinceEpoch(let length)):
      return instantSlot(of: index, number: number, length: length, lexeme: lexeme)
    default: break
    }
    switch number {
    case .integer(let integer): return .integer(integer)
    case .real(let real): return .real(real)
    }
  }

  private mutating func instantSlot(
    of index: Int, number: Number, length: Int64, lexeme: Span<UInt8>
  ) -> ValueSlot {
    let microseconds: Int64?
    switch number {
    case .integer(let count):
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      microseconds = overflow ? nil : product
    case .real: microseconds = DecimalText(lexeme).rounded(times: length)
    }
    guard let microseconds, Instant.range.contains(microseconds) else {
      return reportNumber(
        index, "instant-range", lexeme,
        "is outside the years 0 to 9999; is the model's x-unit right?")
    }
    return checked(Instant(microseconds: microseconds), of: index)
  }

  // MARK: Strings

  mutating func stringSlot(
    of index: Int, text: Span<UInt8>, element: JSONElement, arena: inout GrowableBuffer<UInt8>
  ) -> ValueSlot {
    let types = layout.fields[index].attribute.types
    if text.isEmpty, layout.fields[index].attribute.readsEmptyAsNull {
      check(RuleSubject(scalar: .null, text: text, of: element), of: index)
      return .null
    }
    if !types.contains(.string) {
      // The attribute is lenient, or the text is in a row.
      if !types.isDisjoint(with: [.integer, .number]) {
        if layout.fields[index].attribute.hasDecimalComma {
          if let number = NumberText.withPoint(text) {
            return numberSlot(of: index, lexeme: number.span, element: element)
          }
        } else if NumberText.isNumber(text) {
          return numberSlot(of: index, lexeme: text, element: element)
        }
      }
      if types.contains(.boolean) {
        for (word, value) in [("true", true), ("false", false)]
        where text.hasSameBytes(as: word.utf8Span.span) {
          check(
            RuleSubject(scalar: value ? .true : .false, text: text, of: element), of: index)
          return .integer(value ? 1 : 0)
        }
      }
      reportType(of: index, excerpt: JSONText.quoted(String.excerpt(of: text)))
      return .absent
    }
    if element.holdsNUL, !layout.fields[index].attribute.allowsNUL {
      for position in text.indices where text[position] == 0 {
        return reportText(
          index, "nul", text, "holds U+0000; the model allows it with \"x-allow-nul\": true")
      }
    }
    check(RuleSubject(scalar: .string, text: text, of: element), of: index)
    let start = arena.count
    switch layout.fields[index].attribute.storage {
    case .uuid:
      guard UUIDText.appendCanonical(text, to: &arena) else {
        return reportText(index, "format", text, "is not \(TextFormat.uuid.phrase)")
      }
    case .date(nil):
      guard Instant(date: text) != nil else {
        return reportText(index, "format", text, "is not \(TextFormat.date.phrase)")
      }
      arena.append(copying: text)
    case .date(let pattern?):
      guard pattern.appendDate(text, to: &arena) else {
        return reportText(index, "format", text, "is not \(pattern.phrase)")
      }
    case .instant(.rfc3339(let defaultOffset)):
      guard let instant = Instant(rfc3339: text, defaultOffsetMinutes: defaultOffset) else {
        let lacksZone = Instant(rfc3339: text, defaultOffsetMinutes: 0) != nil
        return reportText(
          index, "format", text,
          lacksZone
            ? "has no zone; the model names one with \"x-zone\""
            : "is not \(TextFormat.dateTime.phrase)" + DatePattern.advice(for: text))
      }
      return instantSlot(of: index, instant, text: text)
    case .instant(.pattern(let pattern, let defaultOffset)):
      guard let instant = pattern.instant(text, defaultOffsetMinutes: defaultOffset) else {
        let lacksZone = pattern.instant(text, defaultOffsetMinutes: 0) != nil
        return reportText(
          index, "format", text,
          lacksZone
            ? "has no zone; the model names one with \"x-zone\"" : "is not \(pattern.phrase)")
      }
      return instantSlot(of: index, instant, text: text)
    default:
      arena.append(copying: text)
    }
    return .text(start..<arena.count)
  }

  mutating func instantSlot(of index: Int, _ instant: Instant, text: Span<UInt8>) -> ValueSlot {
    guard Instant.range.contains(instant.microseconds) else {
      return reportText(index, "instant-range", text, "is outside the years 0 to 9999 in UTC")
    }
    return checked(instant, of: index)
  }

  private mutating func checked(_ instant: Instant, of index: Int) -> ValueSlot {
    guard instant.microseconds > plans[index].latestInstant else {
      return .integer(instant.microseconds)
    }
    issues.report("skew", layout.fields[index].path, skewMessage(instant))
    return .absent
  }

  // MARK: Reports

  private mutating func reportType(of index: Int, excerpt: String) {
    let field = layout.fields[index]
    // A relation to a plain value states in its own types whether null is allowed.
    let relation = field.relationField.map { layout.fields[$0] }
    let types = relation?.valueField == index ? relation?.attribute.types : nil
    let phrase = (types ?? field.attribute.types).phrase
    issues.report("type", field.path, "\(excerpt) is not of type \(phrase)")
  }

  /// Reports an invalid number, and returns the slot for it.
  private mutating func reportNumber(
    _ index: Int, _ rule: String, _ lexeme: Span<UInt8>, _ reason: String
  ) -> ValueSlot {
    issues.report(rule, layout.fields[index].path, "\(String.excerpt(of: lexeme)) \(reason)")
    return .absent
  }

  /// Reports an invalid text, and returns the slot for it.
  private mutating func reportText(
    _ index: Int, _ rule: String, _ text: Span<UInt8>, _ reason: String
  ) -> ValueSlot {
    issues.report(
      rule, layout.fields[index].path, "\(JSONText.quoted(String.excerpt(of: text))) \(reason)")
    return .absent
  }
}
