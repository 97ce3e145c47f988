internal import JSONStreaming

/// A flattened model: one field and one slot for each attribute, including attributes of related objects.
package struct RecordLayout: Sendable {
  package struct Field: Sendable {
    package let attribute: Attribute
    /// The field of the relation that the attribute belongs to; nil for the record's own attributes.
    package let relationField: Int?
    /// The fields of the related object; empty if the attribute is not a relation.
    package let relatedFields: Range<Int>
    /// How messages call the attribute: `category.name`.
    package let path: String

    /// The field of the value, for a relation to a plain value.
    var valueField: Int? {
      attribute.relation?.isPlain == true ? relatedFields.lowerBound : nil
    }
  }

  /// A relation to many, and the layout of its elements.
  package struct RelationLayout: Sendable {
    package let relation: RelationToMany
    /// The slot of the array: `absent`, `null` or `related`.
    package let slot: Int
    package let layout: RecordLayout
  }

  /// The model's attributes in their order, then the attributes of related objects.
  ///
  /// The slot of a field is its index here, so the index of an attribute in the model is its slot as well.
  package let fields: [Field]

  /// The number of `fields` that are the model's own attributes.
  package let attributeCount: Int

  /// The slot of the unmapped members, if the model keeps them.
  package let unmappedSlot: Int?

  package let relations: [RelationLayout]

  package let slotCount: Int

  package init(_ model: Model) {
    var fields: [Field] = []
    var related: [Field] = []
    for attribute in model.attributes {
      let first = model.attributes.count + related.count
      if let relation = attribute.relation {
        for inner in relation.attributes {
          related.append(
            Field(
              attribute: inner, relationField: fields.count, relatedFields: 0..<0,
              path: relation.isPlain ? attribute.name : "\(attribute.name).\(inner.name)"))
        }
      }
      fields.append(
        Field(
          attribute: attribute, relationField: nil,
          relatedFields: first..<(model.attributes.count + related.count), path: attribute.name))
    }
    self.fields = fields + related
    attributeCount = fields.count
    unmappedSlot = model.unmappedColumn == nil ? nil : self.fields.count
    let firstSlot = self.fields.count + (unmappedSlot == nil ? 0 : 1)
    relations = model.relations.enumerated().map { number, relation in
      RelationLayout(
        relation: relation, slot: firstSlot + number, layout: RecordLayout(relation.element))
    }
    slotCount = firstSlot + relations.count
  }

  /// The name in messages of a field or, numbered after the fields, of a relation to many.
  func path(ofFieldOrRelation number: Int) -> String {
    number < fields.count ? fields[number].path : relations[number - fields.count].relation.name
  }

  /// The steps to the values of columns in a flat table, by the names of the columns: `a.b` for the member `b` of `a`,
  /// and the path of a field. A member of the record has precedence.
  package var columnPlaces: [[UInt8]: [String]] {
    var places: [[UInt8]: [String]] = [:]
    var paths: [(name: String, steps: [String])] = []
    var ownNames: Set<String> = []
    func add(_ path: String, _ source: Attribute.Source, inside outer: Attribute.Source? = nil) {
      guard case .pointer(var steps) = source else { return }
      if case .pointer(let outer)? = outer { steps = outer + steps }
      paths.append((path, steps))
      ownNames.insert(steps[0])
    }
    for field in fields where field.relatedFields.isEmpty {
      let outer = field.relationField.map { fields[$0] }
      add(
        field.path, field.attribute.source,
        inside: outer?.valueField == nil ? outer?.attribute.source : nil)
    }
    for many in relations { add(many.relation.name, many.relation.source) }
    for (path, steps) in paths { places[Array(path.utf8)] = steps }
    for (_, steps) in paths where steps.count > 1 {
      places[Array(steps.joined(separator: ".").utf8)] = steps
    }
    for name in ownNames { places[Array(name.utf8)] = nil }
    return places
  }

  /// The names of the required attributes and relations that a record does not name.
  package func missingAttributes(of record: Int, in batch: borrowing RecordBatch) -> [String] {
    var names: [String] = []
    for slot in 0..<attributeCount where fields[slot].attribute.isRequired {
      if batch[record, slot].kind == .absent || batch[record, slot].isDefault {
        names.append(fields[slot].path)
      }
    }
    for many in relations
    where many.relation.isRequired && batch[record, many.slot].kind == .absent {
      names.append(many.relation.name)
    }
    return names
  }
}
