internal import POIRecords

/// The columns of a model's records in a flat table, such as CSV: attributes of related records are columns of the record.
struct TableColumns {
  enum Content: BitwiseCopyable, Equatable {
    /// A field of the record, or of the record of a relation to one.
    case field(Int)
    /// The records of a relation to many, as JSON.
    case rows(relation: Int)
    /// The members that the model does not map, as JSON.
    case unmapped
  }

  /// The names, such as `name` and `category.name`, and what the columns hold.
  private(set) var all: [(name: String, content: Content)] = []

  /// - Parameter names: attributes, relations or attributes of related records, in their order; empty for all.
  /// - Throws: `StoreFailure` with `noSuchColumn` if the model has none of a name.
  init(of model: Model, named names: [String]) throws {
    let layout = RecordLayout(model)
    for attribute in layout.fields[..<layout.attributeCount].indices {
      let related = layout.fields[attribute].relatedFields
      let fields = related.isEmpty ? attribute..<attribute + 1 : related
      all += fields.map { (name: layout.fields[$0].path, content: .field($0)) }
    }
    for (number, relation) in model.relations.enumerated() {
      all.append((name: relation.name, content: .rows(relation: number)))
    }
    if let column = model.unmappedColumn { all.append((name: column, content: .unmapped)) }
    // An attribute may have the name that an attribute of a related record has here.
    for place in all.indices {
      while all[..<place].contains(where: { $0.name.isExactly(all[place].name) }) {
        all[place].name += "_"
      }
    }
    guard !names.isEmpty else { return }
    var chosenColumns: [(name: String, content: Content)] = []
    for name in names {
      var chosen = all.filter { $0.name.isExactly(name) }
      if chosen.isEmpty { chosen = all.filter { $0.name.hasPrefix("\(name).") } }
      guard !chosen.isEmpty else {
        throw StoreFailure(
          .noSuchColumn,
          "the model \"\(model.name)\" has no attribute \"\(name)\" to export; it has "
            + all.map(\.name).joined(separator: ", "))
      }
      chosenColumns += chosen.filter { column in
        !chosenColumns.contains { $0.content == column.content }
      }
    }
    all = chosenColumns
  }
}
