internal import POISQLite

extension DanglingReference {
  /// All references of the database, each with its values without a row.
  static func all(in connection: Connection) throws -> [DanglingReference] {
    let tables = try connection.rows(
      """
      SELECT name FROM main.sqlite_schema
      WHERE type = 'table' AND NOT \(Bookkeeping.owns("name")) ORDER BY name
      """
    ) { $0.text(0) }
    let statements = PreparedStatements(connection)
    return try tables.flatMap { (child) throws in
      try TableReference.declared(by: child, statements, includesMissing: true)
        .map { (reference) throws in try search(reference, from: child, in: connection) }
    }
  }

  private static func search(
    _ reference: TableReference.Declaration, from child: String, in connection: Connection
  ) throws -> DanglingReference {
    let values = reference.columns.map { SQL("CAST(c.\(name: $0) AS TEXT)") }
    let text = values.joined(separator: " || ', ' || ")
    let rows = try reference.danglingRows(of: child, in: connection)
    var examples: [String] = []
    let count = try connection.integer("SELECT count(*) FROM \(rows)") ?? 0
    if count > 0 {
      examples = try connection.rows(
        "SELECT DISTINCT \(text) FROM \(rows) ORDER BY 1 LIMIT 3"
      ) { $0.text(0) }
    }
    return DanglingReference(
      child: child, columns: reference.columns, parent: reference.parent, rowCount: Int(count),
      examples: examples)
  }
}

extension TableReference.Declaration {
  /// The rows of the table that refer to a missing row, as `c` in the rest of a query from FROM on, to which
  /// conditions can be added.
  func danglingRows(of child: String, in connection: Connection) throws -> SQL {
    let isReferring = columns.map { SQL("c.\(name: $0) IS NOT NULL") }.joined(separator: " AND ")
    let targets = try parentColumns(in: connection)
    guard targets.count == columns.count, let first = targets.first else {
      return "main.\(name: child) AS c WHERE \(isReferring)"
    }
    let match = zip(columns, targets).map { TableReference.refers("c", $0, to: "p", $1) }
    return """
      main.\(name: child) AS c LEFT JOIN main.\(name: parent) AS p
      ON \(match.joined(separator: " AND ")) WHERE \(isReferring) AND p.\(name: first) IS NULL
      """
  }

  /// The columns referred to, in a table of any kind; empty if the table or a column is missing.
  fileprivate func parentColumns(in connection: Connection) throws -> [String] {
    let columns = try connection.rows(
      "SELECT name, pk FROM pragma_table_xinfo(\(literal: parent), 'main') ORDER BY pk"
    ) { (name: $0.text(0), isKey: $0.integer(1) > 0) }
    guard !columns.isEmpty else { return [] }
    let primaryKey = columns.filter(\.isKey).map(\.name)
    guard !parentColumns.isEmpty else { return primaryKey.isEmpty ? ["rowid"] : primaryKey }
    let known = columns.map(\.name) + ["rowid", "_rowid_", "oid"]
    return parentColumns.allSatisfy { TableSchema.contains(known, $0) } ? parentColumns : []
  }
}

/// A reference, declared or named, and its values without a row.
public struct DanglingReference: Sendable, Hashable {
  /// The table that refers.
  public let child: String

  /// The columns that refer.
  public let columns: [String]

  /// The table referred to.
  public let parent: String

  /// The number of rows whose row is missing; 0 if every row has its own.
  public let rowCount: Int

  /// Different values without a row, at most three; the values of several columns are separated by commas.
  public let examples: [String]
}
