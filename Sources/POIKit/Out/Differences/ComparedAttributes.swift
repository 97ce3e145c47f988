internal import POIRecords
internal import POISQLite

/// What two models share, so that it can be compared.
struct ComparedAttributes {
  /// A field or the unmapped members, with its columns in the rows of the two stores.
  struct Field {
    let name: String
    let older: Int
    let newer: Int
    let olderForm: ValueForm
    let newerForm: ValueForm
  }

  /// A relation to many, with its numbers in the two models.
  struct Many {
    let name: String
    let older: Int
    let newer: Int
  }

  private(set) var fields: [Field] = []
  private(set) var relations: [Many] = []

  /// What only one of the models has, or what they keep as different types.
  private(set) var uncompared: [String] = []

  /// - Throws: `StoreFailure` with `noSuchColumn` if neither model has an attribute to ignore.
  init(_ older: KeyedRows, _ newer: KeyedRows, ignoring ignored: [String]) throws {
    let names =
      [older, newer].flatMap { rows in
        rows.layout.fields.map(\.path) + rows.model.relations.map(\.name)
          + [rows.model.unmappedColumn].compactMap(\.self)
      }
    for name in ignored where !names.contains(where: { $0.isExactly(name) }) {
      throw StoreFailure(
        .noSuchColumn, "neither store has an attribute \"\(name)\" to ignore")
    }
    func isIgnored(_ name: String) -> Bool {
      ignored.contains { name.isExactly($0) || name.hasPrefix("\($0).") }
    }
    let (olderFields, newerFields) = (Self.plainFields(of: older), Self.plainFields(of: newer))
    for field in newerFields where !isIgnored(field.name) {
      let match = olderFields.first {
        $0.name.isExactly(field.name) && $0.isRelated == field.isRelated
      }
      guard let match, match.storage.isComparable(with: field.storage) else {
        uncompared.append(field.name)
        continue
      }
      fields.append(
        Field(
          name: field.name, older: match.column, newer: field.column, olderForm: match.form,
          newerForm: field.form))
    }
    for (number, relation) in newer.model.relations.enumerated() where !isIgnored(relation.name) {
      if let match = older.model.relations.firstIndex(where: { $0.name.isExactly(relation.name) }) {
        relations.append(Many(name: relation.name, older: match, newer: number))
      } else {
        uncompared.append(relation.name)
      }
    }
    let compared = newerFields.map(\.name) + newer.model.relations.map(\.name)
    for name in olderFields.map(\.name) + older.model.relations.map(\.name)
    where !isIgnored(name) && !compared.contains(where: { $0.isExactly(name) }) {
      uncompared.append(name)
    }
  }

  private typealias PlainField = (
    name: String, isRelated: Bool, column: Int, storage: Attribute.Storage, form: ValueForm
  )

  /// The fields that are not relations, and the unmapped members.
  private static func plainFields(of rows: KeyedRows) -> [PlainField] {
    var fields: [PlainField] = rows.layout.fields.enumerated().compactMap { place, field in
      guard field.attribute.relation == nil else { return nil }
      return (
        field.path, field.relationField != nil, place + 1, field.attribute.storage,
        ValueForm(field.attribute)
      )
    }
    if let column = rows.model.unmappedColumn {
      fields.append((column, false, rows.layout.fields.count + 1, .json, .json))
    }
    return fields
  }
}

extension Attribute.Storage {
  private enum Kind {
    case text, number, instant, any
  }

  private var kind: Kind {
    switch self {
    case .text, .date, .uuid, .json: .text
    case .integer, .real, .relation: .number
    case .instant: .instant
    case .any: .any
    }
  }

  /// Whether equal values of the two mean the same.
  func isComparable(with other: Attribute.Storage) -> Bool {
    kind == other.kind
      || (kind == .any) != (other.kind == .any) && kind != .instant
        && other.kind != .instant
  }
}
