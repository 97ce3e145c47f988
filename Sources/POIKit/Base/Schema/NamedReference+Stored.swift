internal import POIRecords
internal import POISQLite

/// The references that the database does not declare: the ones in `poikit_reference`, and what models say with
/// `x-references`.
///
/// The table exists from the first named reference on. A connection keeps new names in a temporary table that
/// hides the stored one, until a deduplication changes rows.
extension NamedReference {
  private static let columns: SQL = """
    (child_table TEXT NOT NULL, child_column TEXT NOT NULL, parent_table TEXT NOT NULL,
      parent_column TEXT NOT NULL, PRIMARY KEY (child_table, child_column)) STRICT, WITHOUT ROWID
    """

  /// The references whose tables and columns exist.
  ///
  /// - Parameter includesMissing: whether what they refer to may be missing.
  static func all(
    in connection: Connection, includesMissing: Bool = false
  ) throws -> [NamedReference] {
    var references: [NamedReference] = []
    if try exists("temp", in: connection) || exists("main", in: connection) {
      references += try connection.rows(
        "SELECT child_table, child_column, parent_table, parent_column FROM poikit_reference"
      ) {
        NamedReference(
          child: $0.text(0), column: $0.text(1), parent: $0.text(2), parentColumn: $0.text(3))
      }
    }
    references += try ofModels(in: connection)
    return try references.filter {
      try includesMissing && $0.hasColumn(in: connection) || $0.isThere(in: connection)
    }
  }

  /// Names references on this connection, after a check that their tables and columns exist.
  static func name(_ references: [NamedReference], in connection: Connection) throws {
    var checked: [NamedReference] = []
    for reference in references {
      let child = try TableSchema(of: reference.child, in: connection)
      let parent = try TableSchema(of: reference.parent, in: connection)
      let column = try child.column(reference.column)
      let target = try reference.parentColumn.map(parent.column) ?? parent.rowIDName
      let found = NamedReference(
        child: child.name, column: column, parent: parent.name, parentColumn: target)
      guard child.storedColumns.containsExactly(column) else {
        throw StoreFailure(
          .invalidOptions,
          "the column '\(column)' of '\(child.name)' is computed, so its references cannot move")
      }
      guard child.name != parent.name || column != target else {
        throw StoreFailure(.invalidOptions, "'\(child.name)'.'\(column)' cannot refer to itself")
      }
      guard
        !checked.contains(where: {
          $0.child == found.child && $0.column == column && $0 != found
        })
      else {
        throw StoreFailure(
          .invalidOptions,
          "'\(child.name)'.'\(column)' is named as a reference to two columns; name one")
      }
      checked.append(found)
    }
    guard !checked.isEmpty else { return }
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS poikit_reference \(columns)")
    if try exists("main", in: connection) {
      try connection.execute(
        "INSERT OR IGNORE INTO temp.poikit_reference SELECT * FROM main.poikit_reference")
    }
    for reference in checked {
      try connection.execute(
        """
        INSERT OR REPLACE INTO temp.poikit_reference VALUES (\(literal: reference.child),
          \(literal: reference.column), \(literal: reference.parent),
          \(literal: reference.parentColumn ?? ""))
        """)
    }
  }

  /// Stores the references that were named on this connection, in a transaction of its own.
  static func store(in connection: Connection) throws {
    guard try exists("temp", in: connection) else { return }
    try connection.inTransaction {
      try connection.execute(
        """
        CREATE TABLE IF NOT EXISTS main.poikit_reference \(columns);
        INSERT OR REPLACE INTO main.poikit_reference SELECT * FROM temp.poikit_reference;
        """)
    }
  }

  private static func exists(_ database: SQL, in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM \(database).sqlite_schema WHERE type = 'table' AND name = 'poikit_reference'")
      != nil
  }

  private func hasColumn(in connection: Connection) throws -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM pragma_table_xinfo(\(literal: child), 'main')
      WHERE name = \(literal: column) COLLATE NOCASE
      """) != nil
  }

  private func isThere(in connection: Connection) throws -> Bool {
    var statement = try connection.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1, 'main') WHERE name = ?2 COLLATE NOCASE)
        AND EXISTS (SELECT 1 FROM pragma_table_xinfo(?3, 'main')
          WHERE name = ?4 COLLATE NOCASE OR lower(?4) IN ('rowid', '_rowid_', 'oid'))
      """, isPersistent: false)
    for (place, text) in [child, column, parent, parentColumn ?? "rowid"].enumerated() {
      try statement.bind(place + 1, text: text)
    }
    return try statement.step() && statement.integer(0) == 1
  }
}

extension NamedReference {
  /// The references of the models that say `x-references`.
  private static func ofModels(in connection: Connection) throws -> [NamedReference] {
    guard try Bookkeeping.isComplete(in: connection) else { return [] }
    let models = try connection.rows(
      "SELECT model FROM main.poikit_table WHERE instr(model, '\"x-references\"') > 0 ORDER BY name"
    ) { try? Model(parsing: $0.text(0)) }
    var references: [NamedReference] = []
    for model in models.compactMap(\.self) { try add(model, to: &references, in: connection) }
    return references
  }

  /// Adds the references of a model and of the elements of its relations to many.
  private static func add(
    _ model: Model, to references: inout [NamedReference], in connection: Connection
  ) throws {
    for attribute in model.attributes {
      guard let target = attribute.target else { continue }
      let document = try Bookkeeping.document(ofTable: target.table, in: connection)
      let parent = document.flatMap { try? Model(parsing: $0) }
      references.append(
        NamedReference(
          child: model.table, column: attribute.column, parent: target.table,
          parentColumn: parent?.attribute(named: target.attribute)?.column ?? target.attribute))
    }
    for relation in model.relations { try add(relation.element, to: &references, in: connection) }
  }
}
