internal import POIRecords

/// What a table of records needs to fit another model, or why it cannot fit.
///
/// | the new model | the table |
/// |---|---|
/// | has another title, description, source, rule, order of attributes, or notation of an instant | stays |
/// | has an attribute or a relation to many that records may lack | gets it; rows have the default |
/// | requires an attribute that it did not require | stays, if all rows have a value |
/// | accepts null where the column refuses it, numbers where it has integers, or any value where it has text, numbers or JSON | is rebuilt with wider columns |
/// | has another key, timestamp or tombstone | stays, if its key is not enforced and no removals are remembered that another one would misunderstand |
/// | lacks an attribute or a relation, or keeps one in another form | is refused |
///
/// A model may not lose an attribute: records would come without it, and programs could not tell whether
/// its values were removed or never requested.
struct ModelChange {
  struct Table {
    var notNullColumns: Set<ExactText>
    /// All columns, in lower case: an app may have added some.
    var columns: Set<String>
    var rowCount: Int
    var isKeyEnforced: Bool
    /// The newly required columns that have NULL in some row.
    var columnsWithNull: Set<ExactText>
    /// The columns of integers that become numbers and have an integer beyond 2^53.
    var columnsWithWideIntegers: Set<ExactText> = []
    /// The number of stored tombstones, if the new model stores them in another form.
    var unfitRemovalCount = 0
  }

  /// The new attributes.
  private(set) var attributes: [Attribute] = []

  /// The attributes whose columns must accept more.
  private(set) var widened: [(before: Attribute, after: Attribute)] = []

  private(set) var relations: [RelationToMany] = []

  /// The new column for unmapped members, if any.
  private(set) var unmappedColumn: String?

  /// Why the model does not fit, with remedies; empty if it fits.
  private(set) var obstacles: [String] = []

  private(set) var advice: [Advice] = []

  private let old: Model
  private let new: Model
  private let table: Table

  init(from old: Model, to new: Model, table: Table) {
    self.old = old
    self.new = new
    self.table = table
    compareAttributes()
    compareRelations()
    compareUnmappedColumns()
    compareWinnerRules()
  }

  static func newlyRequired(from old: Model, to new: Model) -> [Attribute] {
    new.attributes.filter { attribute in
      guard let before = old.attributes.first(where: { $0.column.isExactly(attribute.column) })
      else {
        return false
      }
      return attribute.isColumnNotNull && !before.isColumnNotNull
    }
  }

  // MARK: Comparisons

  private mutating func compareAttributes() {
    for before in old.attributes {
      guard let after = new.attributes.first(where: { $0.column.isExactly(before.column) }) else {
        obstacles.append(
          "\"\(before.name)\" is missing, and its values would be lost; take it back into the model"
        )
        continue
      }
      compare(before, after)
    }
    for added in new.attributes
    where !old.attributes.contains(where: { $0.column.isExactly(added.column) }) {
      if table.columns.contains(added.column.lowercased()) {
        obstacles.append(
          "\"\(added.name)\" would have the column \"\(added.column)\", which another program has "
            + "added; name another one with \"x-column\"")
      } else if added.isColumnNotNull, table.rowCount > 0 {
        obstacles.append(
          "\"\(added.name)\" is required, and the \(table.rowCount) rows have no value; let records "
            + "lack it")
      } else {
        attributes.append(added)
      }
    }
  }

  private mutating func compare(_ before: Attribute, _ after: Attribute) {
    let schemas = (StoreSchema(old), StoreSchema(new))
    if let old = before.relation, let new = after.relation {
      if schemas.0.creation(of: old) != schemas.1.creation(of: new) {
        obstacles.append(
          "the relation \"\(after.name)\" has another table or other attributes; keep them as they "
            + "were")
      } else {
        compareForms(old.attributes, new.attributes, of: after.name)
      }
    } else if !before.storage.widens(to: after.storage) {
      compareForms(before, after, name: after.name)
    } else if table.columnsWithWideIntegers.contains(ExactText(after.column)) {
      obstacles.append(
        "\"\(after.name)\" has integers beyond 2^53, which would lose digits as a number; keep the type "
          + "integer")
    }
    let acceptsNull =
      !after.isColumnNotNull && table.notNullColumns.contains(ExactText(after.column))
    if acceptsNull || before.storage.widens(to: after.storage) { widened.append((before, after)) }
    if table.columnsWithNull.contains(ExactText(after.column)) {
      obstacles.append(
        "\"\(after.name)\" is required, and some rows have no value; let records lack it")
    }
  }

  /// Compares the attributes of related rows, or of elements.
  private mutating func compareForms(
    _ before: [Attribute], _ after: [Attribute], of relation: String
  ) {
    for before in before {
      guard let after = after.first(where: { $0.column.isExactly(before.column) }) else { continue }
      compareForms(before, after, name: "\(relation).\(after.name)")
      if let old = before.relation, let new = after.relation {
        compareForms(old.attributes, new.attributes, of: "\(relation).\(after.name)")
      }
    }
  }

  private mutating func compareForms(_ before: Attribute, _ after: Attribute, name: String) {
    guard !before.storage.isSameForm(as: after.storage) else { return }
    obstacles.append(
      "\"\(name)\" is kept in another form: it was \(before.storage.phrase) and would be "
        + "\(after.storage.phrase); keep it, or name another attribute with its own column")
  }

  private mutating func compareForms(
    _ before: RelationToMany, _ after: RelationToMany, name: String
  ) {
    compareForms(before.element.attributes, after.element.attributes, of: name)
    // Their tables are the same, so they correspond even if their arrays have other names.
    for (inner, other) in zip(before.element.relations, after.element.relations) {
      compareForms(inner, other, name: "\(name).\(other.name)")
    }
  }

  private mutating func compareRelations() {
    for before in old.relations {
      guard let after = new.relations.first(where: { $0.name.isExactly(before.name) }) else {
        obstacles.append(
          "the relation \"\(before.name)\" is missing, and its rows would be lost; take it back into "
            + "the model")
        continue
      }
      if StoreSchema(old).tables(of: before) != StoreSchema(new).tables(of: after) {
        obstacles.append(
          "the relation \"\(after.name)\" has other tables or attributes; keep them as they were")
      } else {
        compareForms(before, after, name: after.name)
      }
    }
    for added in new.relations
    where !old.relations.contains(where: { $0.name.isExactly(added.name) }) {
      if added.isRequired, table.rowCount > 0 {
        obstacles.append(
          "the relation \"\(added.name)\" is required, and the \(table.rowCount) rows have none; let "
            + "records lack it")
      } else {
        relations.append(added)
      }
    }
  }

  private mutating func compareUnmappedColumns() {
    guard old.unmappedColumn != new.unmappedColumn else { return }
    if let before = old.unmappedColumn {
      obstacles.append(
        "the unmapped members were kept in \"\(before)\"; keep \"x-unmapped-column\": \"\(before)\""
      )
    } else if let added = new.unmappedColumn {
      if table.columns.contains(added.lowercased()) {
        obstacles.append(
          "another program has added a column \"\(added)\"; name another one with "
            + "\"x-unmapped-column\"")
      } else {
        unmappedColumn = added
      }
    }
  }

  private var changesKey: Bool { old.places(of: old.key) != new.places(of: new.key) }

  private var changesTimestamp: Bool {
    old.places(of: [old.timestamp]) != new.places(of: [new.timestamp])
  }

  /// Whether the stored latest record has no meaning in the new model.
  var outdatesTokens: Bool { changesKey || changesTimestamp }

  /// The rules that chose the rows under an enforced key, or that stored tombstones depend on, must stay.
  private mutating func compareWinnerRules() {
    if table.unfitRemovalCount > 0 {
      obstacles.append(
        "\(table.unfitRemovalCount) removals are remembered by the old key and timestamp; keep "
          + "\"x-key\", \"x-timestamp\" and the \"removal\" of \"x-tombstone\"")
      advice.append(.purgeTombstones)
    }
    guard table.isKeyEnforced else { return }
    let parts: [(String, String, Bool)] = [
      ("x-key", "key", !changesKey),
      ("x-timestamp", "timestamp", !changesTimestamp),
      (
        "x-tombstone", "tombstone",
        old.tombstone == new.tombstone
          && old.tombstoneAttributeColumn.map(ExactText.init)
            == new.tombstoneAttributeColumn.map(ExactText.init)
      ),
    ]
    for (keyword, name, isSame) in parts where !isSame {
      obstacles.append(
        "the \(name) is another one, and the rows were chosen by the old one; keep \"\(keyword)\"")
    }
  }
}

extension Model {
  /// The names of attributes, each with its column's name.
  fileprivate func places(of names: [String?]) -> [ExactText] {
    names.compactMap { $0 }.flatMap { name in
      [ExactText(name), ExactText(attribute(named: name)?.column ?? "")]
    }
  }
}

extension Attribute.Storage {
  var phrase: String {
    switch self {
    case .text: "text"
    case .date: "a date"
    case .uuid: "a uuid"
    case .integer: "an integer"
    case .real: "a real number"
    case .instant: "an instant"
    case .json: "JSON"
    case .any: "a value of any type"
    case .relation: "a related row"
    }
  }
}
