internal import JSONStreaming

/// A model in flat form: one field, and so one slot, for each attribute, also of related objects.
package struct RecordLayout: Sendable {
  package struct Field: Sendable {
    package let attribute: Attribute
    /// The field of the relation that the attribute belongs to, if it is one of a related object.
    package let relationField: Int?
    /// The fields of the related object's attributes, for a relation.
    package let relatedFields: Range<Int>
    /// How messages call the attribute: `category.name`.
    package let path: String

    /// The field that a value which is not null goes to, for a relation to a plain one.
    var plainField: Int? {
      attribute.relation?.isPlain == true ? relatedFields.lowerBound : nil
    }
  }

  package struct Many: Sendable {
    package let relation: RelationToMany
    /// The slot that says whether the record names the array: `absent`, `null` or `related`.
    package let slot: Int
    package let layout: RecordLayout
  }

  /// The model's attributes in its order, then the attributes of related objects.
  package let fields: [Field]

  /// How many of `fields` are the model's own attributes.
  package let attributeCount: Int

  /// The slot of the members that no attribute maps, if the model keeps them.
  package let unmappedSlot: Int?

  package let relations: [Many]

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
      Many(
        relation: relation, slot: firstSlot + number, layout: RecordLayout(relation.element))
    }
    slotCount = firstSlot + relations.count
  }

  /// How messages call a field, or a relation to many, which are numbered behind the fields.
  func path(ofTarget number: Int) -> String {
    number < fields.count ? fields[number].path : relations[number - fields.count].relation.name
  }
}
