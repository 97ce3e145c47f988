package import JSONStreaming

/// A JSON value in memory, for models, checkpoints and options; records stay on the tape.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number in its original notation.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// Members in the order of the text.
  case object([Member])

  /// A name and its value.
  package struct Member: Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  package subscript(name: String) -> JSONValue? {
    members?[name]
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number as a 64-bit integer; nil for any other value.
  package var integer: Int? {
    if case .number(let lexeme) = self { Int(lexeme) } else { nil }
  }

  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The value with the members of all objects sorted by their names.
  package var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        members.map { Member(name: $0.name, value: $0.value.sorted) }
          .sorted { ExactText($0.name) < ExactText($1.name) })
    case .null, .bool, .number, .string: self
    }
  }

  var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension [JSONValue.Member] {
  /// The value of a member; setting it replaces or appends the member, or removes it if it is nil.
  package subscript(name: String) -> JSONValue? {
    get { first { $0.name.isExactly(name) }?.value }
    set {
      let index = firstIndex { $0.name.isExactly(name) }
      switch (index, newValue) {
      case (let index?, let value?): self[index].value = value
      case (let index?, nil): remove(at: index)
      case (nil, let value?): append(JSONValue.Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}

// MARK: - Comparing

/// Names and strings are compared by Unicode scalars, numbers by their text.
extension JSONValue: Equatable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
      left.isExactly(right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSONValue.Member: Equatable {
  package static func == (left: JSONValue.Member, right: JSONValue.Member) -> Bool {
    left.name.isExactly(right.name) && left.value == right.value
  }
}

// MARK: - Reading

extension JSONValue {
  /// Reads one JSON text.
  ///
  /// - Throws: `JSONValueError` if `text` is not exactly one JSON value, or if an object repeats a name.
  package init(parsing text: Span<UInt8>) throws(JSONValueError) {
    var reader = ElementReader(shape: .sequence)
    reader.append(text)
    reader.finish()
    do {
      switch try reader.next() {
      case .element:
        var index = reader.elementTokens.lowerBound
        self = try JSONValue.value(at: &index, of: reader.tape)
      case .malformed(let malformation):
        let place = reader.location(ofByteOffset: malformation.byteOffset)
        throw JSONValueError.malformed(
          malformation.message, line: place.line + 1, column: place.column + 1)
      case .end, .needsInput:
        throw JSONValueError.malformed("the text is empty", line: 1, column: 1)
      }
      guard case .end = try reader.next() else {
        throw JSONValueError.malformed(
          "something follows the first JSON value", line: 1, column: 1)
      }
    } catch let error as ReadingError {
      throw .malformed(error.message, line: error.line + 1, column: error.column + 1)
    } catch let error as JSONValueError {
      throw error
    } catch {
      throw .malformed("\(error)", line: 1, column: 1)
    }
  }

  init(parsing text: String) throws(JSONValueError) {
    try self.init(parsing: Array(text.utf8).span)
  }

  private static func value(
    at index: inout Int, of tape: Tape
  ) throws(JSONValueError) -> JSONValue {
    let token = tape[index]
    index += 1
    switch token.kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .number: return .number(String(copying: tape.text(of: token)))
    case .string, .key: return .string(String(copying: tape.text(of: token)))
    case .startArray:
      var elements: [JSONValue] = []
      elements.reserveCapacity(token.elementCount)
      while tape[index].kind != .endArray {
        do {
          elements.append(try value(at: &index, of: tape))
        } catch {
          throw error.inside("\(elements.count)")
        }
      }
      index += 1
      return .array(elements)
    case .startObject:
      var members: [Member] = []
      members.reserveCapacity(token.elementCount)
      var names = Set<ExactText>(minimumCapacity: token.elementCount)
      while tape[index].kind != .endObject {
        let name = String(copying: tape.text(of: tape[index]))
        guard names.insert(ExactText(name)).inserted else {
          throw .repeatedMember(name, in: JSONPointer(tokens: []))
        }
        index += 1
        do {
          members.append(Member(name: name, value: try value(at: &index, of: tape)))
        } catch {
          throw error.inside(name)
        }
      }
      index += 1
      return .object(members)
    case .endArray, .endObject:
      preconditionFailure("an end token without its start")
    }
  }
}

// MARK: - Writing

extension JSONValue: CustomStringConvertible {
  /// Compact JSON text.
  package var description: String {
    var text = GrowableBuffer<UInt8>(minimumCapacity: 256)
    append(to: &text)
    return String(copying: text.span)
  }

  private func append(to output: inout GrowableBuffer<UInt8>) {
    switch self {
    case .null: JSONText.append("null", to: &output)
    case .bool(true): JSONText.append("true", to: &output)
    case .bool(false): JSONText.append("false", to: &output)
    case .number(let lexeme): output.append(copying: lexeme.utf8Span.span)
    case .string(let text): JSONText.appendQuoted(text.utf8Span.span, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (place, element) in elements.enumerated() {
        if place > 0 { output.append(UInt8(ascii: ",")) }
        element.append(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { output.append(UInt8(ascii: ",")) }
        JSONText.appendQuoted(member.name.utf8Span.span, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.append(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// A number, or `null` for nil.
  package static func number(_ value: (some BinaryInteger)?) -> JSONValue {
    value.map { .number(String($0)) } ?? .null
  }

  /// A string, or `null` for nil.
  package static func string(_ text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

  /// An object of counts by name, in the given order.
  package static func counts(_ counts: [(String, Int)]) -> JSONValue {
    .object(counts.map { Member(name: $0.0, value: .number($0.1)) })
  }

  /// An object of objects of counts, sorted by name.
  package static func counts(nested counts: [String: [String: Int]]) -> JSONValue {
    .object(
      counts.sorted { $0.key < $1.key }.map { name, counts in
        Member(
          name: name, value: .counts(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
      })
  }

  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }
}

/// The reason why a text is not a JSON value.
package enum JSONValueError: Error, Sendable {
  /// A syntax error; line and column (in bytes) are 1-based.
  case malformed(_ message: String, line: Int, column: Int)

  /// The object at the pointer has two members of this name.
  case repeatedMember(_ name: String, in: JSONPointer)

  /// The error seen from the enclosing value, with `step` before its pointer.
  fileprivate func inside(_ step: String) -> JSONValueError {
    guard case .repeatedMember(let name, let object) = self else { return self }
    return .repeatedMember(name, in: JSONPointer(tokens: [step] + object.tokens))
  }
}
