internal import POIRecords
internal import POISQLite

/// Whether the tables of a model may refuse a valid record: because of an app's additions to the schema, or
/// because other rows refer to a row that must be deleted.
struct RecordRefusals {
  /// Whether a record can be refused at all.
  let arePossible: Bool

  /// Whether a foreign key of an app can refuse a record, if the connection enforces foreign keys.
  let canBeByForeignKey: Bool

  /// Whether a foreign key is deferred, so that SQLite checks it only at the commit.
  let mayBeDeferred: Bool

  static func read(
    of model: Model, in connection: Connection
  ) throws -> RecordRefusals {
    let tables = [model.table] + model.tablesOfRelationsToOne + model.tablesOfRelationsToMany
    let deletesRows = model.tombstone?.removal == .delete
    let losing = tablesLosingRows(model) + (deletesRows ? [model.table] : [])
    var reasons = try connection.prepare(reasons, isPersistent: false)
    var references = try connection.prepare(references, isPersistent: false)
    var arePossible = deletesRows
    var canBeByForeignKey = false
    var mayBeDeferred = false
    for table in tables {
      try reasons.bind(1, text: table)
      try reasons.bind(2, text: KeyEnforcer.indexName(table))
      try reasons.bind(3, integer: table == model.table ? 1 : 0)
      while try reasons.step() { arePossible = true }
      try references.bind(1, text: table)
      try references.bind(2, integer: losing.contains(table) ? 1 : 0)
      while try references.step() {
        // The model's own references cannot refuse what an import writes.
        let name = references.text(0).lowercased()
        let isOwn = references.integer(1) == 0 && tables.contains { $0.lowercased() == name }
        guard !isOwn else { continue }
        canBeByForeignKey = true
        if references.integer(2) == 1 { mayBeDeferred = true }
      }
    }
    return RecordRefusals(
      arePossible: arePossible || canBeByForeignKey, canBeByForeignKey: canBeByForeignKey,
      mayBeDeferred: mayBeDeferred)
  }

  /// The tables whose rows are deleted when a record no longer has them; not the tables of shared rows.
  private static func tablesLosingRows(_ model: Model) -> [String] {
    model.relations.flatMap { relation in
      if case .join(let table, _, _) = relation.link { return [table] }
      return [relation.element.table] + tablesLosingRows(relation.element)
    }
  }

  /// Returns a row if the schema of a table can refuse a record. The reasons are:
  ///
  /// - a unique index or a trigger that the toolkit did not create;
  /// - an index on expressions or with a condition, which may fail;
  /// - a generated column, a check, or a constraint with a conflict clause.
  private static var reasons: SQL {
    """
    SELECT 1 FROM pragma_index_list(?1) AS i
    WHERE i.name <> ?2
      AND (i."unique" = 1 AND (i.origin = 'c' OR ?3) OR i.partial = 1
        OR EXISTS (SELECT 1 FROM pragma_index_info(i.name) WHERE cid = -2))
    UNION ALL
    SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden IN (2, 3)
    UNION ALL
    SELECT 1 FROM sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE
      AND (type = 'trigger' AND name NOT GLOB \(literal: Bookkeeping.prefix + "*")
        OR type = 'table' AND (sql LIKE '%CHECK%' OR sql LIKE '%CONFLICT%'))
    LIMIT 1
    """
  }

  /// Returns the tables with foreign keys that can refuse a change of a table:
  ///
  /// - tables that refer to its rows, if its rows may be deleted, or to other columns than the row id;
  /// - the table itself, if one of its columns refers to another column than a row id.
  ///
  /// Each comes with whether it is the latter, and whether a foreign key may be deferred.
  private static var references: SQL {
    let idColumn: SQL = "\(literal: StoreSchema.idColumn.text)"
    return """
      SELECT t.name, t.name = ?1 COLLATE NOCASE AND k."to" IS NOT \(idColumn), t.sql LIKE '%DEFERRED%'
      FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS k
      WHERE t.type = 'table' AND t.sql LIKE '%REFERENCES%'
        AND (t.name = ?1 COLLATE NOCASE AND k."to" IS NOT \(idColumn)
          OR k."table" = ?1 COLLATE NOCASE
            AND (?2 OR coalesce(k."to", \(idColumn)) <> \(idColumn) COLLATE NOCASE))
      """
  }
}
