internal import POIRecords
internal import POISQLite

/// What a table's records are, and the columns that make their key and timestamp.
///
/// For a table of the toolkit it follows from the model; for any other table `init(describing:…)`
/// reads it from the database.
public struct TableLayout: Sendable {
  /// What the records are; of a table that the toolkit did not create, its columns as they are.
  package let model: Model

  /// The part of the model that is a record's content.
  package var content: Model

  /// The name of the table.
  public var table: String { model.table }

  /// The columns that identify a record: rows with equal values in all of them are duplicates. At
  /// least one.
  public var keyColumns: [String]

  /// Whether the key was inferred and may not identify a record. Then only identical rows are removed.
  package var isKeyDoubtful = false

  /// The column with the time of a record's last change: numbers in any unit, or texts with a date.
  public var timestampColumn: String?

  /// Whether numbers in the timestamp column are microseconds since 1970 UTC. Only then differences
  /// have a unit.
  package var isTimestampInstant: Bool

  /// The column that marks a record as a removal, by any value except NULL, zero and an empty text.
  package var tombstoneColumn: String?

  /// What decides between rows that are equally new: the row ids, the greater one being the later one, or digests.
  var ties = TieRule.digest

  /// The table of the stored tombstones.
  var removals: TombstoneTable?

  /// The columns by which other systems know a record, if they are not the key. If a loser and its
  /// winner differ in them, a redirect is stored.
  package var identityColumns: [String]

  /// Whether the toolkit created the table, so that it may add its own columns.
  package let isToolkitTable: Bool

  /// The model of a table of the toolkit; nil for another table, which has no rules.
  var ownModel: Model? { isToolkitTable ? model : nil }

  /// The layout without columns and relations to many that do not count as content.
  ///
  /// - Parameter names: attributes, relations or columns.
  /// - Throws: `StoreFailure` with `noSuchColumn` if the table has no such column.
  func ignoring(_ names: [String], of schema: TableSchema) throws -> TableLayout {
    var layout = self
    for name in names {
      if model.relations.contains(where: { $0.name.isExactly(name) }) {
        layout.content.removeParts { $0.isExactly(name) }
      } else {
        let column = try schema.column(model.attribute(named: name)?.column ?? name)
        layout.content.removeParts { TableSchema.isSame($0, column) }
      }
    }
    return layout
  }

  /// A layout with the given parts.
  ///
  /// - Parameter content: the part of the model that is content; nil for all of it.
  package init(
    _ model: Model, content: Model? = nil, isToolkitTable: Bool, keyColumns: [String] = [],
    timestampColumn: String? = nil, isTimestampInstant: Bool = false,
    tombstoneColumn: String? = nil, identityColumns: [String] = []
  ) {
    self.model = model
    self.content = content ?? model
    self.isToolkitTable = isToolkitTable
    self.keyColumns = keyColumns
    self.timestampColumn = timestampColumn
    self.isTimestampInstant = isTimestampInstant
    self.tombstoneColumn = tombstoneColumn
    self.identityColumns = identityColumns
  }
}

extension TableLayout {
  /// The identity of a row as one text, as redirects name it.
  func identity(of table: SQL) -> SQL {
    let values: [SQL] = identityColumns.map { column in
      let value: SQL = "\(table).\(name: column)"
      return "CASE typeof(\(value)) WHEN 'blob' THEN hex(\(value)) ELSE \(value) END"
    }
    guard values.count > 1 else { return "CAST(\(values[0]) AS TEXT)" }
    return .jsonArray(values)
  }
}

extension SQL {
  /// The number of arguments that every build of SQLite accepts for a function.
  private static let argumentLimit = 100

  fileprivate static func jsonArray(_ values: [SQL]) -> SQL {
    guard values.count > argumentLimit else {
      return "json_array(\(values.joined(separator: ", ")))"
    }
    let parts: [SQL] = stride(from: 0, to: values.count, by: argumentLimit).map { start in
      let part = values[start..<min(start + argumentLimit, values.count)]
      return "trim(json_array(\(part.joined(separator: ", "))), '[]')"
    }
    return "'[' || \(parts.joined(separator: " || ',' || ")) || ']'"
  }
}
