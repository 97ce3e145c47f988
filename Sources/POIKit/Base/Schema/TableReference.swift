internal import POIRecords
internal import POISQLite

/// A foreign key, or a reference that only the toolkit knows: columns of one table whose values refer to a row
/// of another or the same table.
struct TableReference {
  /// The table that refers.
  let childTable: String

  let childColumns: [String]

  /// The columns referred to, one for each of `childColumns`, spelled as in their table.
  let parentColumns: [String]

  /// Empty if the database does not declare the reference.
  let deleteAction: String

  let updateAction: String

  var isDeclared: Bool { !deleteAction.isEmpty }

  /// The references to the rows of `parent` from all tables of the database: the foreign keys in the order of
  /// the names of these tables, then the references that the database does not declare.
  static func all(to parent: TableSchema) throws -> [TableReference] {
    var references = try read(to: parent)
    for named in try NamedReference.all(in: parent.connection)
    where TableSchema.isSame(named.parent, parent.name) {
      let reference = TableReference(
        childTable: named.child, childColumns: [named.column],
        parentColumns: [named.parentColumn ?? parent.rowIDName], deleteAction: "", updateAction: "")
      if !references.contains(reference) { references.append(reference) }
    }
    return references
  }

  /// Whether SQLite deletes the referring rows when a row is deleted.
  var deletesRows: Bool { deleteAction == "CASCADE" }

  /// Whether SQLite deletes or changes the referring rows when a row is deleted or changed.
  var changesRows: Bool {
    [deleteAction, updateAction].contains { ["CASCADE", "SET NULL", "SET DEFAULT"].contains($0) }
  }

  /// Returns 1 if some row refers to one whose id the statement `rows` returns.
  func findAny(to rows: SQL, of parent: TableSchema) -> SQL {
    let conditions = zip(childColumns, parentColumns).map {
      TableReference.refers("c", $0, to: "l", $1)
    }
    return """
      SELECT 1 FROM main.\(name: parent.name) AS l
      JOIN main.\(name: childTable) AS c
      WHERE l.\(name: parent.rowIDName) IN (\(rows))
        AND \(conditions.joined(separator: " AND ")) LIMIT 1
      """
  }

  /// The condition that one column refers to another: equal by the affinity and the collation of
  /// the parent's column.
  ///
  /// - SeeAlso: https://sqlite.org/foreignkeys.html#fk_indexes
  static func refers(
    _ childTable: SQL, _ childColumn: String, to parentTable: SQL, _ parentColumn: String
  ) -> SQL {
    """
    \(parentTable).\(name: parentColumn) \
    = +\(childTable).\(name: childColumn)
    """
  }

  /// A foreign key as the child table declares it, or a reference that the database does not declare.
  struct Declaration {
    let parent: String

    fileprivate(set) var columns: [String] = []

    /// The columns referred to, as declared; empty if the primary key is meant.
    fileprivate(set) var parentColumns: [String] = []

    /// The columns referred to; nil if they belong to another table than `table`.
    func parentColumns(in table: TableSchema) -> [String]? {
      guard TableSchema.isSame(parent, table.name) else { return nil }
      guard parentColumns.isEmpty else { return parentColumns.map(table.spelling) }
      return table.primaryKey.isEmpty ? [table.rowIDName] : table.primaryKey
    }
  }

  /// The references from a table: the foreign keys in the order in which SQLite lists them, then the references
  /// that the database does not declare.
  ///
  /// - Parameter includesMissing: whether what a named one refers to may be missing.
  static func declared(
    by child: String, _ statements: PreparedStatements, includesMissing: Bool = false
  ) throws -> [Declaration] {
    var references: [Declaration] = []
    let list = try statements.statement(
      """
      SELECT seq, "table", "from", "to" FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq
      """)
    try list.statement.bind(1, text: child)
    while try list.statement.step() {
      if list.statement.integer(0) == 0 {
        references.append(Declaration(parent: list.statement.text(1)))
      }
      let last = references.count - 1
      references[last].columns.append(list.statement.text(2))
      if !list.statement.isNull(3) { references[last].parentColumns.append(list.statement.text(3)) }
    }
    for named in try NamedReference.all(in: statements.connection, includesMissing: includesMissing)
    where TableSchema.isSame(named.child, child) {
      references.append(
        Declaration(
          parent: named.parent, columns: [named.column],
          parentColumns: [
            named.parentColumn
              ?? (try? TableSchema(of: named.parent, in: statements.connection).rowIDName)
              ?? "rowid"
          ]))
    }
    return references
  }

  private static func read(to parent: TableSchema) throws -> [TableReference] {
    var references: [TableReference] = []
    var child = ""
    var childColumns: [String] = []
    var parentColumns: [String] = []
    var actions = (delete: "", update: "")
    func finish() {
      guard !childColumns.isEmpty else { return }
      references.append(
        TableReference(
          childTable: child, childColumns: childColumns, parentColumns: parentColumns,
          deleteAction: actions.delete, updateAction: actions.update))
      childColumns = []
      parentColumns = []
    }
    var statement = try parent.connection.prepare(
      """
      SELECT t.name, f.seq, f."from", f."to", f.on_delete, f.on_update
      FROM main.sqlite_schema AS t JOIN pragma_foreign_key_list(t.name, 'main') AS f
      WHERE t.type = 'table' AND f."table" = ?1 COLLATE NOCASE
        AND NOT \(Bookkeeping.owns("t.name"))
      ORDER BY t.name, f.id, f.seq
      """, isPersistent: false)
    try statement.bind(1, text: parent.name)
    while try statement.step() {
      let place = Int(statement.integer(1))
      if place == 0 { finish() }
      child = statement.text(0)
      actions = (statement.text(4), statement.text(5))
      childColumns.append(statement.text(2))
      // The value is NULL if the parent's primary key is meant.
      if !statement.isNull(3) {
        parentColumns.append(parent.spelling(of: statement.text(3)))
      } else if place < parent.primaryKey.count {
        parentColumns.append(parent.primaryKey[place])
      } else {
        parentColumns.append(parent.rowIDName)
      }
    }
    finish()
    return references
  }
}

extension TableReference: Hashable {
  /// The names, compared exactly: names that look alike may consist of different scalars.
  private var names: [ExactText] {
    ([childTable] + childColumns + parentColumns).map(ExactText.init)
  }

  static func == (left: TableReference, right: TableReference) -> Bool { left.names == right.names }

  func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
