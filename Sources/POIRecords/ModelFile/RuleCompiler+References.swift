internal import JSONStreaming

extension RuleCompiler {
  /// The schema that a reference points to, and its place in the document.
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
    var isSchema = true
    var holdsSchemas = false
    for (step, token) in pointer.tokens.enumerated() {
      let isDefinition = step == 1 && pointer.tokens[0].isExactly("$defs")
      let next =
        (isDefinition ? definitions[ExactText(token)] : target[token])
        ?? target.elements.flatMap { elements in
          JSONPointer.arrayIndex(token).flatMap {
            elements.indices.contains($0) ? elements[$0] : nil
          }
        }
      guard let next else {
        throw ModelError(message: "\(reference) does not exist in the document", pointer: place)
      }
      target = next
      (isSchema, holdsSchemas) = (
        holdsSchemas || isSchema && ["items", "additionalProperties"].contains(token),
        isSchema && ["properties", "$defs"].contains(token)
      )
    }
    guard isSchema else {
      throw ModelError(
        message:
          "\(reference) is not a schema; a reference points to one, such as \"#/$defs/name\"",
        pointer: place)
    }
    return (target, pointer.description)
  }

  /// The schema of an attribute, followed by the chain of schemas that it refers to.
  func chain(
    from json: JSONValue, at place: String
  ) throws(ModelError) -> [(json: JSONValue, place: String)] {
    var chain = [(json: json, place: place)]
    var places: Set<ExactText> = []
    while let reference = chain[chain.count - 1].json["$ref"] {
      let origin = chain[chain.count - 1].place
      places.insert(ExactText(origin))
      let target = try target(of: reference, at: origin + "/$ref")
      guard !places.contains(ExactText(target.place)) else {
        throw ModelError(message: "the reference leads back to itself", pointer: origin + "/$ref")
      }
      chain.append(target)
    }
    return chain
  }

  /// A URI fragment with its percent-encoded bytes decoded; nil if it is invalid.
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

  /// Also checks definitions that are not used, for example for unknown keywords.
  mutating func checkDefinitions(_ json: JSONValue?, at place: String) throws(ModelError) {
    guard let json else { return }
    guard let definitions = json.members else {
      throw ModelError(message: "\"$defs\" is an object of schemas", pointer: place)
    }
    for definition in definitions {
      let ownPlace = place + JSONPointer.step(definition.name)
      guard schemasByPlace[ExactText(ownPlace)] == nil else { continue }
      let members = definition.value.members ?? []
      let rules = members.filter { !ModelReader.attributeKeywords.contains($0.name) }
      if rules.count == members.count {
        _ = try schema(definition.value, at: ownPlace)
      } else {
        // Only the top level of a definition can contain attribute keywords.
        try check(.object(rules), at: ownPlace)
      }
    }
  }

  func refuseEndlessReferences() throws(ModelError) {
    // The number of the walk that visited a schema, or 0.
    var walks = Array(repeating: 0, count: table.schemas.count)
    for (number, (place, start)) in schemasByPlace.sorted(by: { $0.key < $1.key }).enumerated() {
      var schema = start
      while walks[schema] == 0, let next = reference(of: schema) {
        walks[schema] = number + 1
        schema = next
        guard walks[schema] != number + 1 else {
          throw ModelError(
            message: "the reference leads back to itself", pointer: place.text + "/$ref")
        }
      }
    }
  }

  /// The schema that a schema refers to: a reference is always its last rule.
  private func reference(of schema: Int) -> Int? {
    if case .reference(let target)? = table.rules(of: schema).last { target } else { nil }
  }
}
