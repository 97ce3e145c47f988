internal import JSONStreaming

/// Checks values on the tape against the rules of a model. A valid value needs no allocation once the
/// buffers have grown and the caches of the patterns are filled.
package struct RuleChecker: ~Copyable {
  let table: RuleTable
  private var patterns: [Pattern]

  /// Which of the names in the rules occurred in the objects being checked, from the outermost object inwards.
  private var seenNames = GrowableBuffer<Bool>()

  private var distinct = DistinctElements()

  /// The steps that patterns may still take in the record, besides those that each byte of a text adds.
  private var patternSteps = Self.patternStepLimit
  private static let patternStepLimit = 1 << 24
  private static let patternStepsPerByte = 16

  /// The most levels of objects and arrays in a value whose rules look inside: the checks are recursive.
  static let depthLimit = 512

  package init(_ table: RuleTable) {
    self.table = table
    patterns = table.patterns.map { text in
      guard let pattern = try? Pattern(text) else {
        preconditionFailure("the model holds an invalid pattern")
      }
      return pattern
    }
  }

  /// Begins a record, whose texts get the steps that patterns may take.
  mutating func beginRecord() { patternSteps = Self.patternStepLimit }

  /// Checks a value of the right type against the rules of its schema.
  package mutating func check(
    _ subject: RuleSubject, schema: Int, attribute: String?, issues: inout [Issue]
  ) {
    let schema = table.schemas[schema]
    guard schema.first < schema.end else { return }
    guard checkDepth(subject, for: schema, attribute: attribute, issues: &issues) else { return }
    checkRules(of: schema, subject, attribute: attribute, issues: &issues)
  }

  /// Reports a value that is nested too deep for the rules of its schema, and returns false for it.
  private func checkDepth(
    _ subject: RuleSubject, for schema: RuleTable.Schema, attribute: String?,
    issues: inout [Issue]
  ) -> Bool {
    guard subject.kind == .startObject || subject.kind == .startArray,
      table.rules[schema.first..<schema.end].contains(where: \.looksInside),
      subject.element.tape.isDeeper(than: Self.depthLimit, valueAt: subject.index)
    else { return true }
    issues.report(
      "depth", attribute,
      "\(subject.excerpt) is nested deeper than \(Self.depthLimit) levels, and its "
        + "rules look inside")
    return false
  }

  /// Checks an unmapped member of a record.
  mutating func checkAdditionalMember(
    at index: Int, inside record: RuleSubject, schema: Int, issues: inout [Issue]
  ) {
    let value = RuleSubject(valueAt: index, of: record.element, start: record.start)
    guard issues.count < Issue.limit,
      checkDepth(value, for: table.schemas[schema], attribute: nil, issues: &issues)
    else { return }
    checkTypeAndRules(
      value, schema: schema, applicator: "additionalProperties", attribute: nil, issues: &issues)
  }

  /// Checks a value inside an attribute; `applicator` is the keyword that applies the schema.
  private mutating func checkValue(
    at index: Int, inside subject: RuleSubject, schema: Int, applicator: String, attribute: String?,
    issues: inout [Issue]
  ) {
    let value = RuleSubject(valueAt: index, of: subject.element, start: subject.start)
    checkTypeAndRules(
      value, schema: schema, applicator: applicator, attribute: attribute, issues: &issues)
  }

  private mutating func checkTypeAndRules(
    _ subject: RuleSubject, schema: Int, applicator: String, attribute: String?,
    issues: inout [Issue]
  ) {
    let schema = table.schemas[schema]
    guard issues.count < Issue.limit,
      checkType(subject, schema, applicator: applicator, attribute: attribute, issues: &issues)
    else { return }
    checkRules(of: schema, subject, attribute: attribute, issues: &issues)
  }

  /// Reports a value of a type that the schema does not allow, and returns false for it.
  private func checkType(
    _ subject: RuleSubject, _ schema: RuleTable.Schema, applicator: String, attribute: String?,
    issues: inout [Issue]
  ) -> Bool {
    if schema.types.allow(subject) { return true }
    issues.report(
      schema.allowsNothing ? applicator : "type", attribute,
      schema.allowsNothing
        ? "\(subject.excerpt) is not allowed here"
        : "\(subject.excerpt) is not of type \(schema.types.phrase)")
    return false
  }

  /// Checks the rules of a schema and its references. It iterates: a chain of references can be very long.
  private mutating func checkRules(
    of schema: RuleTable.Schema, _ subject: RuleSubject, attribute: String?, issues: inout [Issue]
  ) {
    var schema = schema
    while let next = checkOwnRules(of: schema, subject, attribute: attribute, issues: &issues) {
      schema = table.schemas[next]
      guard checkType(subject, schema, applicator: "$ref", attribute: attribute, issues: &issues)
      else { return }
    }
  }

  /// - Returns: the schema that the schema refers to, to be checked next.
  private mutating func checkOwnRules(
    of schema: RuleTable.Schema, _ subject: RuleSubject, attribute: String?, issues: inout [Issue]
  ) -> Int? {
    var next: Int?
    var hasRightLength = true
    for number in schema.first..<schema.end {
      let rule = table.rules[number]
      switch rule {
      case .pattern(let pattern):
        guard subject.kind == .string, hasRightLength else { continue }
        guard takeSteps(of: patterns[pattern], through: subject.text) else {
          issues.report(
            "pattern-steps", attribute,
            "\(subject.excerpt) is too long for the pattern \(table.patterns[pattern])")
          continue
        }
        guard !patterns[pattern].matches(subject.text) else { continue }
        issues.report(
          table.name(of: rule), attribute, "\(subject.excerpt) \(table.expectation(of: rule))")
      case .items(let schema):
        guard subject.kind == .startArray else { continue }
        let tape = subject.element.tape
        var index = subject.index + 1
        while tape[index].kind != .endArray, issues.count < Issue.limit {
          checkValue(
            at: index, inside: subject, schema: schema, applicator: "items", attribute: attribute,
            issues: &issues)
          index = tape.end(ofValueAt: index)
        }
      case .members(let members):
        guard subject.kind == .startObject else { continue }
        checkMembers(members, of: subject, attribute: attribute, issues: &issues)
      case .reference(let schema): next = schema
      default:
        if !isSatisfied(rule, by: subject) {
          switch rule {
          case .minLength, .maxLength: hasRightLength = false
          default: break
          }
          issues.report(
            table.name(of: rule), attribute,
            "\(subject.excerpt) \(table.expectation(of: rule))")
        }
      }
    }
    return next
  }

  /// Counts the steps that a pattern may need for a text; returns false if these are too many for the record.
  ///
  /// They do not depend on what the pattern has cached from other records.
  private mutating func takeSteps(of pattern: borrowing Pattern, through text: Span<UInt8>) -> Bool
  {
    patternSteps -= text.count * (pattern.stepCount - Self.patternStepsPerByte)
    return patternSteps >= 0
  }

  private mutating func checkMembers(
    _ number: Int, of subject: RuleSubject, attribute: String?, issues: inout [Issue]
  ) {
    let members = table.members[number]
    let tape = subject.element.tape
    let firstSeen = seenNames.count
    seenNames.append(repeating: false, count: members.endName - members.firstName)
    var key = subject.index + 1
    while tape[key].kind == .key, issues.count < Issue.limit {
      let name = table.index(of: tape.text(of: tape[key]), in: members)
      if let name {
        let seen = firstSeen + name - members.firstName
        if seenNames[seen] {
          issues.report(
            "duplicate-key", attribute,
            "\(subject.excerpt) has the member \(JSONText.quoted(table.names[name].text)) twice")
        }
        seenNames[seen] = true
      }
      if let schema = name.flatMap({ table.names[$0].schema }) {
        checkValue(
          at: key + 1, inside: subject, schema: schema, applicator: "properties",
          attribute: attribute, issues: &issues)
      } else if let schema = members.additional {
        checkValue(
          at: key + 1, inside: subject, schema: schema, applicator: "additionalProperties",
          attribute: attribute, issues: &issues)
      }
      key = tape.end(ofValueAt: key + 1)
    }
    for name in members.firstName..<members.endName
    where table.names[name].isRequired && !seenNames[firstSeen + name - members.firstName]
      && issues.count < Issue.limit
    {
      issues.report(
        "required", attribute,
        "\(subject.excerpt) lacks the member "
          + JSONText.quoted(table.names[name].text))
    }
    for number in members.firstDependency..<members.endDependency
    where issues.count < Issue.limit {
      let dependency = table.dependencies[number]
      guard seenNames[firstSeen + dependency.name - members.firstName],
        !seenNames[firstSeen + dependency.needed - members.firstName]
      else { continue }
      issues.report(
        "dependentRequired", attribute,
        "\(subject.excerpt) has the member "
          + "\(JSONText.quoted(table.names[dependency.name].text)) and lacks "
          + JSONText.quoted(table.names[dependency.needed].text))
    }
    seenNames.truncate(to: firstSeen)
  }

  /// Whether a value satisfies a rule without schemas for its parts.
  private mutating func isSatisfied(_ rule: Rule, by subject: RuleSubject) -> Bool {
    switch rule {
    case .oneOf(let choice): isOne(of: table.choices[choice], subject)
    case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .multipleOf:
      subject.kind != .number || isSatisfied(rule, byNumber: subject.text)
    case .minLength, .maxLength, .format, .notBlank, .noControls:
      subject.kind != .string || isSatisfied(rule, byText: subject.text)
    case .minItems(let count):
      subject.kind != .startArray || subject.element.tape[subject.index].elementCount >= count
    case .maxItems(let count):
      subject.kind != .startArray || subject.element.tape[subject.index].elementCount <= count
    case .uniqueItems:
      subject.kind != .startArray
        || distinct.areDistinct(elementsAt: subject.index, of: subject.element.tape)
    case .minProperties(let count):
      subject.kind != .startObject || subject.element.tape[subject.index].elementCount >= count
    case .maxProperties(let count):
      subject.kind != .startObject || subject.element.tape[subject.index].elementCount <= count
    case .items, .members, .reference, .pattern: true
    }
  }

  private func isSatisfied(_ rule: Rule, byNumber lexeme: Span<UInt8>) -> Bool {
    switch rule {
    case .minimum(let bound): Number(lexeme).compare(bound) >= 0
    case .maximum(let bound): Number(lexeme).compare(bound) <= 0
    case .exclusiveMinimum(let bound): Number(lexeme).compare(bound) > 0
    case .exclusiveMaximum(let bound): Number(lexeme).compare(bound) < 0
    case .multipleOf(let divisor): table.divisors[divisor].divides(lexeme)
    default: true
    }
  }

  private func isSatisfied(_ rule: Rule, byText text: Span<UInt8>) -> Bool {
    switch rule {
    case .minLength(let count): text.scalarCount >= count
    case .maxLength(let count): text.scalarCount <= count
    case .format(let format): format.admits(text)
    case .notBlank: !VisibleText.isBlank(text)
    case .noControls: !VisibleText.holdsControl(text)
    default: true
    }
  }

  private func isOne(of choice: RuleTable.Choice, _ subject: RuleSubject) -> Bool {
    guard let constants = table.constants?.tape else { return false }
    func isEqual(_ number: Int) -> Bool {
      isValue(at: table.constantPlaces[number], of: constants, equalTo: subject)
    }
    if choice.numbersByHash.isEmpty {
      for number in choice.first..<choice.end where isEqual(number) { return true }
    } else {
      for number in choice.numbersByHash[subject.hash] ?? [] where isEqual(number) { return true }
    }
    return false
  }

  private func isValue(at place: Int, of constants: Tape, equalTo subject: RuleSubject) -> Bool {
    let constant = constants[place]
    guard constant.kind == subject.kind else { return false }
    switch subject.kind {
    case .number, .string, .key:
      return JSONScalar.areEqual(subject.kind, constants.text(of: constant), subject.text)
    case .startObject, .startArray:
      return constants.hasValue(at: place, equalTo: subject.index, of: subject.element.tape)
    default: return true
    }
  }
}

extension JSONTypes {
  /// Whether a value has one of the types; 2.0 is an integer.
  func allow(_ subject: RuleSubject) -> Bool {
    switch subject.kind {
    case .null: contains(.null)
    case .true, .false: contains(.boolean)
    case .number:
      contains(.number) || contains(.integer) && ExactNumber(subject.text).exponent >= 0
    case .string, .key: contains(.string)
    case .startObject, .endObject: contains(.object)
    case .startArray, .endArray: contains(.array)
    }
  }
}

extension Span where Element == UInt8 {
  var scalarCount: Int {
    var count = 0
    for index in indices where self[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }
}

extension Tape {
  func isDeeper(than limit: Int, valueAt start: Int) -> Bool {
    let end = end(ofValueAt: start)
    var (depth, index) = (0, start)
    while index < end {
      switch self[index].kind {
      case .startObject, .startArray:
        depth += 1
        if depth > limit { return true }
      case .endObject, .endArray: depth -= 1
      default: break
      }
      index += 1
    }
    return false
  }
}

/// Finds equal elements of an array; reuses its memory.
struct DistinctElements: ~Copyable {
  /// An element in the hash table; index 0 marks a free place, because no element starts there.
  package struct Entry: BitwiseCopyable {
    var hash: UInt64
    var index: Int
  }

  private var entries = GrowableBuffer<Entry>()

  mutating func areDistinct(elementsAt start: Int, of tape: Tape) -> Bool {
    let count = tape[start].elementCount
    guard count > 1 else { return true }
    var size = 4
    while size < count * 2 { size *= 2 }
    entries.removeAll()
    entries.append(repeating: Entry(hash: 0, index: 0), count: size)
    var index = start + 1
    while tape[index].kind != .endArray {
      let hash = tape.valueHash(at: index)
      var place = Int(truncatingIfNeeded: hash) & (size - 1)
      while entries[place].index > 0 {
        if entries[place].hash == hash,
          tape.hasValue(at: entries[place].index, equalTo: index, of: tape)
        {
          return false
        }
        place = (place + 1) & (size - 1)
      }
      entries[place] = Entry(hash: hash, index: index)
      index = tape.end(ofValueAt: index)
    }
    return true
  }
}
