internal import SQLiteKit

/// The SQL that a model's tables are made and filled with.
///
/// Names reach SQL only through `Connection.quoteIdentifier`; values never do.
struct StoreSchema {
  let model: Model
  let layout: RecordLayout

  init(_ model: Model) {
    self.model = model
    layout = RecordLayout(model)
  }

  /// The row id of every table of records.
  static let idColumn = Bookkeeping.prefix + "id"

  /// The statement that creates a relation's table.
  func creation(of relation: Relation) -> String {
    let columns = relation.attributes.map { "\(quoted($0.column)) \(columnType(of: $0)) NOT NULL" }
    let unique = relation.attributes.map { quoted($0.column) }.joined(separator: ", ")
    return """
      CREATE TABLE \(quoted(relation.table)) (
        \(StoreSchema.idColumn) INTEGER PRIMARY KEY,
        \(columns.joined(separator: ",\n  ")),
        UNIQUE (\(unique))
      ) STRICT
      """
  }

  /// The statements that create the table of records and its readable view.
  var creation: String {
    var statements: [String] = []
    var columns = model.attributes.map { definition(of: $0) }
    if let unmapped = model.unmappedColumn { columns.append("\(quoted(unmapped)) TEXT") }
    statements.append(
      """
      CREATE TABLE \(quoted(model.table)) (
        \(StoreSchema.idColumn) INTEGER PRIMARY KEY,
        \(columns.joined(separator: ",\n  "))
      ) STRICT;
      """)
    statements.append(readableView)
    return statements.joined(separator: "\n")
  }

  /// The definition of an attribute's column.
  ///
  /// - Parameter acceptsNull: whether it accepts NULL whatever the model says.
  func definition(of attribute: Attribute, acceptsNull: Bool = false) -> String {
    let reference =
      attribute.relation.map {
        " REFERENCES \(quoted($0.table)) (\(StoreSchema.idColumn))"
      } ?? ""
    return "\(quoted(attribute.column)) \(columnType(of: attribute))"
      + (attribute.isColumnNotNull && !acceptsNull ? " NOT NULL" : "") + reference
  }

  /// The name of the readable view.
  var viewName: String { Bookkeeping.prefix + "readable_" + model.table }

  /// A view of the table with instants as RFC 3339 text, related rows by what identifies them and
  /// the number of rows of each relation to many.
  var readableView: String {
    var columns = ["t.\(StoreSchema.idColumn)"]
    var joins = ""
    for (index, attribute) in model.attributes.enumerated() {
      let column = "t.\(quoted(attribute.column))"
      if case .instant = attribute.storage {
        // Floored division: SQLite's / and % round towards zero, instants before 1970 are negative.
        let microseconds = "((\(column) % 1000000 + 1000000) % 1000000)"
        columns.append(
          "strftime('%Y-%m-%dT%H:%M:%S', (\(column) - \(microseconds)) / 1000000, 'unixepoch') "
            + "|| printf('.%06dZ', \(microseconds)) AS \(quoted(attribute.column))")
      } else if let relation = attribute.relation {
        let alias = "r\(index)"
        joins +=
          "\nLEFT JOIN \(quoted(relation.table)) AS \(alias)"
          + " ON \(alias).\(StoreSchema.idColumn) = \(column)"
        // One unique attribute stands for the relation; several get columns of their own.
        columns += relation.attributes.map { inner in
          let name =
            relation.attributes.count == 1
            ? attribute.column : "\(attribute.column).\(inner.column)"
          return "\(alias).\(quoted(inner.column)) AS \(quoted(name))"
        }
      } else {
        columns.append(column)
      }
    }
    if let unmapped = model.unmappedColumn { columns.append("t.\(quoted(unmapped))") }
    columns += model.relations.map(count)
    return """
      CREATE VIEW \(quoted(viewName)) AS
      SELECT \(columns.joined(separator: ",\n  "))
      FROM \(quoted(model.table)) AS t\(joins);
      """
  }

  /// How many columns a record has of its own.
  var columnCount: Int { model.attributes.count + (model.unmappedColumn == nil ? 0 : 1) }

  /// The statement that inserts a related row.
  static func insertion(into relation: Relation) -> String {
    let columns = relation.attributes.map { Connection.quoteIdentifier($0.column) }
    return "INSERT INTO \(Connection.quoteIdentifier(relation.table)) "
      + "(\(columns.joined(separator: ", "))) "
      + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
  }

  /// The statement that finds a related row by what identifies it.
  static func lookup(in relation: Relation) -> String {
    let conditions = relation.attributes.map { "\(Connection.quoteIdentifier($0.column)) = ?" }
    return "SELECT \(idColumn) FROM \(Connection.quoteIdentifier(relation.table)) "
      + "WHERE \(conditions.joined(separator: " AND "))"
  }

  func columnType(of attribute: Attribute) -> String {
    switch attribute.storage {
    case .text, .uuid, .json: "TEXT"
    case .integer, .instant, .relation: "INTEGER"
    case .real: "REAL"
    case .any: "ANY"
    }
  }

  func quoted(_ name: String) -> String { Connection.quoteIdentifier(name) }
}
