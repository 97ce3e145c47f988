internal import JSONStreaming

/// References: `$ref` and `$defs`.
extension RuleCompiler {
  /// The schema that a reference points at, and its place in the document.
  func target(
    of reference: JSONValue, at place: String
  ) throws(ModelError) -> (json: JSONValue, place: String) {
    guard let text = reference.string, text.utf8.first == UInt8(ascii: "#"),
      let unescaped = Self.withoutPercents(text.utf8.dropFirst()),
      let pointer = try? JSONPointer(parsing: unescaped)
    else {
      throw ModelError(
        message: "\(reference) cannot be followed; a reference points into this document, such as "
          + "\"#/$defs/name\"", pointer: place)
    }
    guard !pointer.tokens.isEmpty else {
      throw ModelError(
        message: "a model does not refer to itself as a whole; put what is shared in \"$defs\"",
        pointer: place)
    }
    var target = document
    for token in pointer.tokens {
      let next =
        target[token]
        ?? target.elements.flatMap { elements in
          Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        }
      guard let next else {
        throw ModelError(message: "there is nothing at \(reference)", pointer: place)
      }
      target = next
    }
    guard Self.isSchema(pointer.tokens) else {
      throw ModelError(
        message: "\(reference) is no schema; a reference points at one, such as \"#/$defs/name\"",
        pointer: place)
    }
    return (target, pointer.description)
  }

  /// The schema of an attribute and those that it refers to, one after the other.
  func chain(
    from json: JSONValue, at place: String
  ) throws(ModelError) -> [(json: JSONValue, place: String)] {
    var chain = [(json: json, place: place)]
    while let reference = chain[chain.count - 1].json["$ref"] {
      let place = chain[chain.count - 1].place + "/$ref"
      let target = try target(of: reference, at: place)
      guard !chain.contains(where: { $0.place == target.place }) else {
        throw ModelError(message: "the reference leads back to itself", pointer: place)
      }
      chain.append(target)
    }
    return chain
  }

  /// Whether what stands at a place of the document is a schema.
  private static func isSchema(_ tokens: [String]) -> Bool {
    var index = 0
    while index < tokens.count {
      switch tokens[index] {
      case "properties", "$defs": index += 2
      case "items", "additionalProperties": index += 1
      default: return false
      }
    }
    return index == tokens.count
  }

  /// The text of a URI's fragment with its percent-encoded bytes decoded.
  private static func withoutPercents(_ text: Substring.UTF8View.SubSequence) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy(\.isHexadecimalDigit),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Checks the definitions that nothing refers to as well: their keywords must be known ones.
  mutating func checkDefinitions(_ json: JSONValue?, at place: String) throws(ModelError) {
    guard let json else { return }
    guard let definitions = json.members else {
      throw ModelError(message: "\"$defs\" is an object of schemas", pointer: place)
    }
    for definition in definitions {
      // What an attribute that refers to it may say stands at its top.
      let ownPlace = place + JSONPointer.step(definition.name)
      guard schemasByPlace[ownPlace] == nil else { continue }
      guard let members = definition.value.members else {
        _ = try schema(definition.value, at: ownPlace)
        continue
      }
      let rules = members.filter { !ModelReader.attributeKeywords.contains($0.name) }
      var unused = RuleCompiler(document)
      _ = try unused.schema(.object(rules), at: ownPlace)
    }
  }

  /// Refuses references that lead to themselves without a step into the value: checking one would
  /// not end.
  func refuseEndlessReferences() throws(ModelError) {
    for (place, start) in schemasByPlace.sorted(by: { $0.key < $1.key }) {
      var schema = start
      var stepCount = 0
      while let next = reference(of: schema) {
        stepCount += 1
        guard stepCount <= table.schemas.count else {
          throw ModelError(message: "the reference leads back to itself", pointer: place + "/$ref")
        }
        schema = next
      }
    }
  }

  private func reference(of schema: Int) -> Int? {
    for rule in table.rules(of: schema) {
      if case .reference(let target) = rule { return target }
    }
    return nil
  }
}
