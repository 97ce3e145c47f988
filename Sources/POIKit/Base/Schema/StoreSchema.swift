internal import POIRecords
internal import POISQLite

/// The SQL that creates a model's tables. Names are quoted; it never contains values.
final class StoreSchema: Sendable {
  let model: Model
  let layout: RecordLayout

  init(_ model: Model) {
    self.model = model
    layout = RecordLayout(model)
  }

  static let idColumn: SQL = "poikit_id"

  func creation(of relation: Relation) -> SQL {
    let columns: [SQL] = relation.attributes.map {
      "\(name: $0.column) \(columnType(of: $0)) NOT NULL"
    }
    let unique = relation.attributes.map { SQL(name: $0.column) }.joined(separator: ", ")
    return """
      CREATE TABLE \(name: relation.table) (
        \(StoreSchema.idColumn) INTEGER PRIMARY KEY,
        \(columns.joined(separator: ",\n  ")),
        UNIQUE (\(unique))
      ) STRICT
      """
  }

  /// A query that returns 1 if an existing table can hold the rows of a relation. The table may have
  /// more columns if they accept NULL or have a default.
  func compatibilityCheck(of relation: Relation) -> SQL {
    let table: SQL = "\(literal: relation.table)"
    let columns: [SQL] = relation.attributes.map { "\(literal: $0.column)" }
    var conditions: [SQL] = [
      "(SELECT strict FROM pragma_table_list WHERE schema = 'main' AND name = \(table))",
      """
      NOT EXISTS (
        SELECT 1 FROM pragma_table_info(\(table), 'main')
        WHERE "notnull" = 1 AND dflt_value IS NULL
          AND name NOT IN (\(columns.joined(separator: ", "))))
      """,
      """
      EXISTS (
        SELECT 1 FROM pragma_index_list(\(table), 'main') AS i
        WHERE i."unique" = 1 AND i.partial = 0
          AND (SELECT json_group_array(name) FROM (
            SELECT name FROM pragma_index_info(i.name, 'main') ORDER BY seqno))
            = json_array(\(columns.joined(separator: ", "))))
      """,
    ]
    let types: [SQL] = ["'INTEGER'"] + relation.attributes.map { "'\(columnType(of: $0))'" }
    let places = zip(["\(literal: StoreSchema.idColumn.text)"] + columns, types)
    conditions += places.map { column, type in
      """
      EXISTS (
        SELECT 1 FROM pragma_table_info(\(table), 'main') WHERE name = \(column) AND type = \(type))
      """
    }
    return "SELECT \(conditions.joined(separator: "\nAND "))"
  }

  var creation: SQL {
    var statements: [SQL] = []
    var columns: [SQL] = ["\(StoreSchema.idColumn) INTEGER PRIMARY KEY"]
    columns += model.attributes.map { definition(of: $0) }
    if let unmapped = model.unmappedColumn { columns.append("\(name: unmapped) TEXT") }
    statements.append(
      """
      CREATE TABLE \(name: model.table) (
        \(columns.joined(separator: ",\n  "))
      ) STRICT;
      """)
    statements.append(readableView)
    return statements.joined(separator: "\n")
  }

  /// The definition of an attribute's column.
  ///
  /// - Parameter acceptsNull: whether it accepts NULL even if the model requires a value.
  func definition(of attribute: Attribute, acceptsNull: Bool = false) -> SQL {
    var definition: SQL = "\(name: attribute.column) \(columnType(of: attribute))"
    if attribute.isColumnNotNull && !acceptsNull { definition += " NOT NULL" }
    if let relation = attribute.relation {
      definition += " REFERENCES \(name: relation.table) (\(StoreSchema.idColumn))"
    }
    return definition
  }

  var viewName: String { model.readableView }

  /// A view of the table for people. It shows instants as RFC 3339 text, related rows by their
  /// identifying values, and the number of rows of each relation to many.
  var readableView: SQL {
    var columns: [SQL] = ["t.\(StoreSchema.idColumn)"]
    var joins: SQL = ""
    for (index, attribute) in model.attributes.enumerated() {
      let column: SQL = "t.\(name: attribute.column)"
      if let relation = attribute.relation {
        let alias: SQL = "r\(index)"
        joins += """
          \nLEFT JOIN \(name: relation.table) AS \(alias) \
          ON \(alias).\(StoreSchema.idColumn) = \(column)
          """
        // One unique attribute represents the relation; several get a column each.
        columns += relation.attributes.map { inner in
          let name =
            relation.attributes.count == 1
            ? attribute.column : "\(attribute.column).\(inner.column)"
          let value = StoreSchema.readable("\(alias).\(name: inner.column)", of: inner)
          return "\(value) AS \(name: name)"
        }
      } else {
        columns.append(
          "\(StoreSchema.readable(column, of: attribute)) AS \(name: attribute.column)")
      }
    }
    if let unmapped = model.unmappedColumn { columns.append("t.\(name: unmapped)") }
    columns += model.relations.map(count)
    return """
      CREATE VIEW \(name: viewName) AS
      SELECT \(columns.joined(separator: ",\n  "))
      FROM \(name: model.table) AS t\(joins);
      """
  }

  /// The value of an attribute's column in the readable view.
  private static func readable(_ column: SQL, of attribute: Attribute) -> SQL {
    guard case .instant = attribute.storage else { return column }
    // Floored division: SQLite's / and % round towards zero, and instants before 1970 are negative.
    let microseconds: SQL = "((\(column) % 1000000 + 1000000) % 1000000)"
    return """
      strftime('%Y-%m-%dT%H:%M:%S', (\(column) - \(microseconds)) / 1000000, 'unixepoch') \
      || printf('.%06dZ', \(microseconds))
      """
  }

  /// The value of a timestamp's column in microseconds since 1970. A date is the start of its day in UTC.
  /// A text that is no date is NULL, as for the winner rule; SQLite alone takes the 31st of February, and "now".
  static func microseconds(_ column: SQL, isDate: Bool) -> SQL {
    guard isDate else { return column }
    let day: SQL = "substr(\(column), 1, 10)"
    return """
      CASE WHEN \(day) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' AND date(\(day), '+0 days') = \(day) \
      THEN unixepoch(\(column)) * 1000000 END
      """
  }

  var columnCount: Int { model.attributes.count + (model.unmappedColumn == nil ? 0 : 1) }

  /// The statement that finds a related row by its identifying values.
  static func lookup(in relation: Relation) -> SQL {
    let conditions: [SQL] = relation.attributes.map { "\(name: $0.column) = ?" }
    return """
      SELECT \(idColumn) FROM \(name: relation.table) \
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  func columnType(of attribute: Attribute) -> SQL {
    switch attribute.storage {
    case .text, .date, .uuid, .json: "TEXT"
    case .integer, .instant, .relation: "INTEGER"
    case .real: "REAL"
    case .any: "ANY"
    }
  }
}
