/// The form of a record in a program, instead of in the JSON that the model describes.
extension Model {
  /// The same model for records as a program has them: each value is a member with the name of its attribute, an
  /// instant is RFC 3339 text, a date `YYYY-MM-DD`, and what may be missing may be null.
  ///
  /// Batches and tables are the same. No record is a removal, and each value must fit its column.
  ///
  /// - Parameter time: the timestamp of new records that have none.
  package func ofValues(at time: Instant) -> Model {
    var model = ofValues
    guard let field = attributes.index(named: timestamp),
      case .instant(let notation) = attributes[field].storage
    else { return model }
    model.attributes[field].isRequired = false
    model.defaults.entries.removeAll { $0.field == field }
    model.defaults.entries.append(
      DefaultValues.Entry(
        field: field, slot: .integer(time.microseconds / notation.unit * notation.unit)))
    return model
  }

  fileprivate var ofValues: Model {
    var model = self
    model.attributes = attributes.map(\.ofValue)
    model.relations = relations.map(\.ofValues)
    model.tombstone = nil
    model.keepsMisfits = false
    return model
  }
}

extension RelationToMany {
  fileprivate var ofValues: RelationToMany {
    RelationToMany(
      name: name, source: .pointer([name]), isRequired: isRequired,
      allowsNull: allowsNull || !isRequired, minItems: minItems, maxItems: maxItems,
      element: element.ofValues, isPlain: isPlain, link: link)
  }
}

extension Attribute {
  fileprivate var ofValue: Attribute {
    var (types, storage) = (types, storage)
    if case .instant = storage {
      storage = .instant(.rfc3339(defaultOffsetMinutes: nil))
      types = types.intersection(.null).union(.string)
    }
    if case .date = storage { storage = .date(nil) }
    var attribute = Attribute(
      name: name, column: column, source: .pointer([name]), types: types, storage: storage,
      isRequired: isRequired, isLenient: isLenient, readsEmptyAsNull: false, allowsNUL: allowsNUL,
      defaultValue: defaultValue, mergeRule: mergeRule, schema: schema,
      relation: relation.map { relation in
        Relation(
          table: relation.table, attributes: relation.attributes.map(\.ofValue),
          isPlain: relation.isPlain, foreignKey: relation.foreignKey)
      })
    attribute.target = target
    attribute.clearsByNull = !isRequired && !types.contains(.null)
    return attribute
  }
}
