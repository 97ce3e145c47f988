internal import JSONStreaming

/// The members of objects: `properties`, `required`, `additionalProperties`, `dependentRequired`.
extension RuleCompiler {
  /// Compiles the rules for the members of an object and returns their index.
  mutating func members(_ json: JSONValue, at place: String) throws(ModelError) -> Int {
    var names: [RuleTable.Name] = []
    var numbers: [ExactText: Int] = [:]
    func number(of name: String) -> Int {
      if let known = numbers[ExactText(name)] { return known }
      numbers[ExactText(name)] = names.count
      names.append(RuleTable.Name(text: name))
      return names.count - 1
    }
    if let properties = json["properties"] {
      guard let members = properties.members else {
        throw ModelError(
          message: "\"properties\" is an object of schemas", pointer: place + "/properties")
      }
      for member in members {
        let schema = try schema(
          member.value, at: place + "/properties" + JSONPointer.step(member.name))
        names[number(of: member.name)].schema = schema
      }
    }
    for name in try ModelReader.namesInArray(json["required"], at: place + "/required") {
      names[number(of: name)].isRequired = true
    }
    var additional: Int?
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
    var namesByHash: [UInt64: [Int]] = [:]
    for (number, name) in names.enumerated() {
      namesByHash[name.text.utf8Span.span.tableHash, default: []].append(firstName + number)
    }
    table.names += names
    table.members.append(
      RuleTable.Members(
        firstName: firstName, endName: table.names.count, namesByHash: namesByHash,
        additional: additional, firstDependency: firstDependency,
        endDependency: table.dependencies.count))
    return table.members.count - 1
  }

  /// The pairs of `dependentRequired`: an object with `name` must also have `needed`.
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
