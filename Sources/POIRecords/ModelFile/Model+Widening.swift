extension Model {
  /// The model that accepts, too, what its misfits need, as far as columns with the values so far can store it.
  ///
  /// - Returns: the model, and a phrase for each change; the same model and no phrase if nothing changes.
  package func widened(by misfits: Misfits) -> (model: Model, changes: [String]) {
    var model = self
    var changes: [String] = []
    for (index, need) in misfits.needs.sorted(by: { $0.key < $1.key }) {
      let before = model.attributes[index]
      guard let wider = model.widened(before, by: need),
        before.storage.isSameForm(as: wider.attributes[index].storage)
          || before.storage.widens(to: wider.attributes[index].storage)
      else { continue }
      model = wider
      let after = model.attributes[index]
      var parts: [String] = []
      if before.types != after.types {
        parts.append("from \(before.types.phrase) to \(after.types.phrase)")
      }
      if before.storage.isDate, !after.storage.isDate { parts.append("from date to any text") }
      if before.isRequired, !after.isRequired { parts.append("may be missing") }
      if !before.readsEmptyAsNull, after.readsEmptyAsNull { parts.append("null if empty") }
      if !before.isLenient, after.isLenient { parts.append("also in quotes") }
      if need.forms.contains(.otherDateTime) { parts.append("in any form of ISO 8601") }
      if need.forms.contains(.zoneless) { parts.append("in UTC without a zone") }
      changes.append("\(before.name) \(parts.joined(separator: ", "))")
    }
    return (model, changes)
  }

  /// The model with a wider attribute; nil if it would not be a model.
  private func widened(_ attribute: Attribute, by need: Misfits.Need) -> Model? {
    // Other columns refer to the rows of a relation.
    guard
      attribute.relation == nil
        || need.types.isSubset(of: .null) && need.forms.isSubset(of: .missing)
    else { return nil }
    var document = members
    var properties = document["properties"]?.members ?? []
    var property = properties[attribute.name]?.members ?? []
    if need.forms.contains(.missing) {
      let required = (document["required"]?.elements ?? []).filter {
        $0 != .string(attribute.name)
      }
      document["required"] = required.isEmpty ? nil : .array(required)
    }
    let more = need.types.subtracting(attribute.types)
    if !more.isEmpty {
      guard let type = property["type"] else { return nil }
      var names = type.elements ?? [type]
      if more.contains(.number) { names.removeAll { $0 == .string("integer") } }
      names += JSONTypes.named.filter { more.contains($0.value) }.map { .string($0.key) }
      property["type"] = names.count == 1 ? names[0] : .array(names)
    }
    if need.forms.contains(.emptyText) { property["x-empty-as-null"] = .bool(true) }
    if need.forms.contains(.numberText)
      || need.forms.contains(.emptyText) && !attribute.types.union(more).contains(.string)
    {
      property["x-lenient"] = .bool(true)
    }
    if need.forms.contains(.otherText) {
      property["format"] = nil
      property["x-date-pattern"] = nil
    }
    if need.forms.contains(.otherDateTime) { property["x-date-pattern"] = .string("iso8601") }
    if need.forms.contains(.zoneless) { property["x-zone"] = .string("UTC") }
    properties[attribute.name] = .object(property)
    document["properties"] = .object(properties)
    return try? Model(document)
  }

  /// The members of the model's document.
  var members: [JSONValue.Member] {
    guard case .object(let members)? = try? JSONValue(parsing: document) else {
      preconditionFailure("a model was read from its document")
    }
    return members
  }

  /// Reads a model's document.
  init(_ members: [JSONValue.Member]) throws(ModelError) {
    try self.init(parsing: JSONValue.object(members).indented() + "\n")
  }
}

extension Model {
  /// The model with the attributes of another one at places that this one does not map, under free names.
  ///
  /// - Returns: the model, and the names of the new attributes.
  package func adding(attributesOf other: Model) -> (model: Model, names: [String]) {
    var model = self
    var names: [String] = []
    let properties = other.members["properties"]?.members ?? []
    for attribute in other.attributes where !isMapped(attribute.source) {
      guard var property = properties[attribute.name]?.members else { continue }
      for number in 1...9 {
        let name = number == 1 ? attribute.name : "\(attribute.name)_\(number)"
        if number > 1 { property["x-source"] = .string(attribute.source.notation) }
        var document = model.members
        guard var all = document["properties"]?.members, all[name] == nil else { continue }
        all[name] = .object(property)
        document["properties"] = .object(all)
        guard let larger = try? Model(document) else { continue }
        model = larger
        names.append(name)
        break
      }
    }
    return (model, names)
  }

  /// Whether an attribute or a relation has the value at a place, a part of it, or a value around it.
  private func isMapped(_ place: Attribute.Source) -> Bool {
    (attributes.map(\.source) + relations.map(\.source)).contains { source in
      guard case .pointer(let left) = place, case .pointer(let right) = source else {
        return place == source
      }
      return zip(left, right).allSatisfy { $0.isExactly($1) }
    }
  }
}
