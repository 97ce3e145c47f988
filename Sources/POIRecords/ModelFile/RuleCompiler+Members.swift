internal import JSONStreaming

/// The members of objects: `properties`, `required`, `additionalProperties`, `dependentRequired`.
extension RuleCompiler {
  /// A name that rules speak of, while the rules of its object are compiled.
  private struct Draft {
    var name: String
    var schema = -1
    var isRequired = false
  }

  /// - Returns: the index of the object's members.
  mutating func members(_ json: JSONValue, at place: String) throws(ModelError) -> Int {
    var drafts: [Draft] = []
    var numbers: [ExactText: Int] = [:]
    func number(of name: String) -> Int {
      if let known = numbers[ExactText(name)] { return known }
      numbers[ExactText(name)] = drafts.count
      drafts.append(Draft(name: name))
      return drafts.count - 1
    }
    if let properties = json["properties"] {
      guard let members = properties.members else {
        throw ModelError(
          message: "\"properties\" is an object of schemas", pointer: place + "/properties")
      }
      for member in members {
        let schema = try schema(
          member.value, at: place + "/properties" + JSONPointer.step(member.name))
        drafts[number(of: member.name)].schema = schema
      }
    }
    for name in try ModelReader.namesInArray(json["required"], at: place + "/required") {
      drafts[number(of: name)].isRequired = true
    }
    var additional = -1
    if let value = json["additionalProperties"] {
      additional = try schema(value, at: place + "/additionalProperties")
    }
    let dependencies = try dependencies(json["dependentRequired"], at: place)
      .map { (number(of: $0.name), number(of: $0.needed)) }
    let firstName = table.names.count
    let firstDependency = table.dependencies.count
    for (name, needed) in dependencies {
      table.dependencies.append(
        RuleTable.Dependency(name: firstName + name, needed: firstName + needed))
    }
    var size = 4
    while size < drafts.count * 2 { size *= 2 }
    let firstBucket = table.buckets.count
    table.buckets += Array(repeating: -1, count: size)
    for draft in drafts {
      let hash = draft.name.utf8Span.span.tableHash
      var bucket = Int(truncatingIfNeeded: hash) & (size - 1)
      while table.buckets[firstBucket + bucket] >= 0 { bucket = (bucket + 1) & (size - 1) }
      table.buckets[firstBucket + bucket] = Int32(table.names.count)
      table.names.append(
        RuleTable.Name(
          hash: hash, start: table.nameText.count, count: draft.name.utf8.count,
          schema: draft.schema, isRequired: draft.isRequired))
      table.nameText += draft.name.utf8
    }
    table.members.append(
      RuleTable.Members(
        firstName: firstName, endName: table.names.count, firstBucket: firstBucket,
        bucketMask: size - 1, additional: additional, firstDependency: firstDependency,
        endDependency: table.dependencies.count))
    return table.members.count - 1
  }

  /// The pairs of `dependentRequired`: where `name` stands, `needed` must stand, too.
  func dependencies(
    _ json: JSONValue?, at place: String
  ) throws(ModelError) -> [(name: String, needed: String)] {
    guard let json else { return [] }
    let place = place + "/dependentRequired"
    guard let members = json.members else {
      throw ModelError(
        message: "\"dependentRequired\" is an object of arrays of names", pointer: place)
    }
    var pairs: [(name: String, needed: String)] = []
    for member in members {
      let ownPlace = place + JSONPointer.step(member.name)
      pairs += try ModelReader.namesInArray(member.value, at: ownPlace).map { (member.name, $0) }
    }
    return pairs
  }
}
