extension Model {
  /// The model that accepts, too, what its misfits need, as far as columns with the values so far can store it.
  ///
  /// - Parameter obstacle: returns why the store cannot have a model; nil if it can.
  /// - Returns: the model, a phrase for each change, and a phrase for each change that the store cannot have.
  package func widened<Failure>(
    by misfits: Misfits, unless obstacle: (Model) throws(Failure) -> String?
  ) throws(Failure) -> (model: Model, changes: [String], refusals: [String]) {
    var model = self
    var changes: [String] = []
    var refusals: [String] = []
    for (index, need) in misfits.needs.sorted(by: { $0.key < $1.key }) {
      let before = model.attributes[index]
      guard let wider = model.widened(before, by: need),
        before.storage.isSameForm(as: wider.attributes[index].storage)
          || before.storage.widens(to: wider.attributes[index].storage)
      else { continue }
      if let reason = try obstacle(wider) {
        refusals.append("\(before.name): \(reason)")
        continue
      }
      model = wider
      changes.append(Self.phrase(before, wider.attributes[index], need))
    }
    return (model, changes, refusals)
  }

  private static func phrase(
    _ before: Attribute, _ after: Attribute, _ need: Misfits.Need
  ) -> String {
    var parts: [String] = []
    if before.types != after.types {
      parts.append("from \(before.types.phrase) to \(after.types.phrase)")
    }
    if before.storage.isDate, !after.storage.isDate { parts.append("from date to any text") }
    if before.isRequired, !after.isRequired { parts.append("may be missing") }
    if !before.readsEmptyAsNull, after.readsEmptyAsNull { parts.append("null if empty") }
    if !before.isLenient, after.isLenient { parts.append("also in quotes") }
    if need.forms.contains(.bigInteger) { parts.append("with all digits") }
    if need.forms.contains(.otherDateTime) { parts.append("in any form of ISO 8601") }
    if need.forms.contains(.zoneless) { parts.append("in UTC without a zone") }
    return "\(before.name) \(parts.joined(separator: ", "))"
  }

  /// The model with the attributes of a stored one where these accept more or are missing here, as after an
  /// earlier widening.
  package func widened(to stored: Model) -> Model {
    var document = members
    var properties = document["properties"]?.members ?? []
    let storedProperties = stored.members["properties"]?.members ?? []
    var required = document["required"]?.elements ?? []
    for other in stored.attributes {
      let own = attribute(named: other.name)
      let isWider =
        own.map { own in
          own.column.isExactly(other.column)
            && (own.storage.isSameForm(as: other.storage)
              || own.storage.widens(to: other.storage))
            && own.types.isSubset(of: other.types.union(other.storage == .real ? .integer : []))
            && (own.types != other.types || own.isRequired && !other.isRequired)
        } ?? true
      guard isWider else { continue }
      properties[other.name] = storedProperties[other.name]
      if !other.isRequired { required.removeAll { $0 == .string(other.name) } }
    }
    document["properties"] = .object(properties)
    document["required"] = required.isEmpty ? nil : .array(required)
    return document == members ? self : (try? Model(document)) ?? self
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
      guard let type = property["type"], property["enum"] == nil, property["const"] == nil
      else { return nil }
      var names = type.elements ?? [type]
      if more.contains(.number) { names.removeAll { $0 == .string("integer") } }
      names += JSONTypes.named.filter { more.contains($0.value) }.map { .string($0.key) }
      property["type"] = names.count == 1 ? names[0] : .array(names)
    }
    if need.forms.contains(.emptyText) { property["x-empty-as-null"] = .bool(true) }
    // A text is never read as a number if texts are accepted.
    if !need.forms.isDisjoint(with: [.numberText, .emptyText]),
      !attribute.types.union(more).contains(.string)
    {
      property["x-lenient"] = .bool(true)
    }
    if need.forms.contains(.otherText) {
      property["format"] = nil
      property["x-date-pattern"] = nil
    }
    if need.forms.contains(.bigInteger), !attribute.types.union(more).contains(.string) {
      property["x-digits"] = .bool(true)
    }
    if need.forms.contains(.otherDateTime) { property["x-date-pattern"] = .string("iso8601") }
    // The times so far have a zone.
    if need.forms.contains(.zoneless) { property["x-zone"] = .string("Z") }
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
  /// - Parameter obstacle: returns why the store cannot have a model; nil if it can.
  /// - Returns: the model, and the names of the new attributes.
  package func adding<Failure>(
    attributesOf other: Model, unless obstacle: (Model) throws(Failure) -> String?
  ) throws(Failure) -> (model: Model, names: [String]) {
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
        guard let larger = try? Model(document), try obstacle(larger) == nil else { continue }
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
