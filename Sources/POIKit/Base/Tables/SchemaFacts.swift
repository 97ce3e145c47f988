internal import POIRecords
internal import POISQLite

/// What the schema may do when the rows of a model's tables are written, because of an app's additions.
///
/// The facts hold until the schema changes.
struct SchemaFacts {
  /// Whether a valid record can be refused.
  private(set) var mayRefuse: Bool

  /// Whether a foreign key of an app can refuse a record, if the connection enforces foreign keys.
  private(set) var mayRefuseReference = false

  /// Whether such a foreign key is deferred, so that SQLite checks it only at the commit.
  private(set) var mayRefuseCommit = false

  /// Whether a write may change or delete other rows of the tables: by triggers, which may change any row,
  /// or by foreign keys with actions.
  private(set) var changesOtherRows: Bool

  /// The tables with a constraint that has a conflict clause.
  private var tablesWithClause: [String] = []

  init(of model: Model, in connection: Connection) throws {
    let tables = [model.table] + model.tablesOfRelationsToOne + model.tablesOfRelationsToMany
    let deletesRows = model.tombstone?.removal == .delete
    let triggers = try Trigger.ofApp(in: connection)
    changesOtherRows = !triggers.isEmpty
    mayRefuse = deletesRows || triggers.contains { TableSchema.contains(tables, $0.table) }

    var constraints = try connection.prepare(Self.constraints, isPersistent: false)
    for table in tables {
      try constraints.bind(1, text: table)
      try constraints.bind(2, text: KeyEnforcer.indexName(table))
      try constraints.bind(3, integer: table == model.table ? 1 : 0)
      while try constraints.step() {
        mayRefuse = true
        if constraints.integer(0) == 1 { tablesWithClause.append(table) }
      }
    }

    let own = Self.ownReferences(of: model)
    let losing = own.map(\.child) + (deletesRows ? [model.table] : [])
    var references = try connection.prepare(Self.references, isPersistent: false)
    while try references.step() {
      let (name, column, target) = (references.text(0), references.text(1), references.text(2))
      let child = tables.first { TableSchema.isSame($0, name) }
      let parent = tables.first { TableSchema.isSame($0, target) }
      if references.integer(3) == 1, let child,
        !own.contains(where: { $0 == (child, column, parent) })
      {
        changesOtherRows = true
      }
      // The model's own references cannot refuse what an import writes.
      let isByOtherKey = references.integer(child == nil ? 5 : 4) == 1
      let refuses = child != nil ? isByOtherKey : parent.map { isByOtherKey || losing.contains($0) }
      guard refuses == true else { continue }
      mayRefuse = true
      mayRefuseReference = true
      if references.integer(6) == 1 { mayRefuseCommit = true }
    }
  }

  /// The words after `INSERT` or `UPDATE` that make a constraint violation an error.
  ///
  /// A constraint of an app's table may declare `ON CONFLICT REPLACE` or `IGNORE`. Then a record
  /// would silently delete other rows or be lost. For other tables the words are empty, because
  /// they would also override the conflict clauses in an app's triggers.
  ///
  /// Page: https://sqlite.org/lang_conflict.html
  func conflictClause(on table: String) -> SQL {
    tablesWithClause.containsExactly(table) ? "OR ABORT " : ""
  }

  /// The foreign keys that delete the rows of arrays with their parents.
  private static func ownReferences(
    of model: Model
  ) -> [(child: String, column: String, parent: String?)] {
    model.relations.flatMap { relation in
      let (child, column) =
        switch relation.link {
        case .parent(let column): (relation.element.table, column)
        case .join(let join, let column, _): (join, column)
        }
      return [(child, column, model.table)] + ownReferences(of: relation.element)
    }
  }

  /// Returns rows if the schema of a table can refuse a record, each with whether the table has a conflict
  /// clause. The reasons are:
  ///
  /// - a unique index that the toolkit did not create;
  /// - an index on expressions or with a condition, which may fail;
  /// - a generated column, a check, or a constraint with a conflict clause.
  private static let constraints: SQL = """
    SELECT 0 FROM pragma_index_list(?1, 'main') AS i
    WHERE i.name <> ?2
      AND (i."unique" = 1 AND (i.origin = 'c' OR ?3) OR i.partial = 1
        OR EXISTS (SELECT 1 FROM pragma_index_info(i.name, 'main') WHERE cid = -2))
    UNION ALL
    SELECT 0 FROM pragma_table_xinfo(?1, 'main') WHERE hidden IN (2, 3)
    UNION ALL
    SELECT sql LIKE '%CONFLICT%' FROM main.sqlite_schema
    WHERE type = 'table' AND name = ?1 COLLATE NOCASE AND (sql LIKE '%CHECK%' OR sql LIKE '%CONFLICT%')
    """

  /// Returns the parts of foreign keys: table, column and the table referred to, and
  ///
  /// - whether it has an action;
  /// - whether it refers to another column than a row id, for the table that refers;
  /// - the same for the other table, whose row id is meant if no column is named;
  /// - whether it may be deferred.
  private static var references: SQL {
    let id: SQL = "\(literal: StoreSchema.idColumn.text)"
    return """
      SELECT t.name, k."from", k."table",
        k.on_delete NOT IN ('NO ACTION', 'RESTRICT') OR k.on_update NOT IN ('NO ACTION', 'RESTRICT'),
        k."to" IS NOT \(id), coalesce(k."to", \(id)) <> \(id) COLLATE NOCASE, t.sql LIKE '%DEFERRED%'
      FROM main.sqlite_schema AS t, pragma_foreign_key_list(t.name, 'main') AS k
      WHERE t.type = 'table' AND t.sql LIKE '%REFERENCES%'
      """
  }
}
