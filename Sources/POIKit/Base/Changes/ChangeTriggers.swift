internal import POIRecords
internal import POISQLite

/// The triggers that log local changes of a table, give changed rows a new timestamp, and remember removals.
///
/// They run in any program that writes, so they use nothing but SQLite's own functions. `trusted_schema` may be off, and
/// `recursive_triggers` on or off. The conflict clause of the statement that fires a trigger overrides those inside, so
/// no statement relies on one.
///
/// Page: https://sqlite.org/lang_createtrigger.html
struct ChangeTriggers {
  static let prefix = Bookkeeping.prefix + "track_"

  private let log: ChangeLog
  private let columns: [String]
  private let clock: ChangeClock?

  /// The columns of each unique index of a table, with their collations.
  private typealias UniqueIndexes = [[(column: String, collation: String)]]

  private let uniqueIndexes: UniqueIndexes

  /// - Throws: `StoreFailure` with `unsupportedTable` if an expression must be unique.
  init(_ log: ChangeLog) throws {
    self.log = log
    columns = log.model.columns.filter { !$0.isExactly(Model.versionColumn) }
    clock = ChangeClock(log.model)
    uniqueIndexes = try Self.uniqueIndexes(of: log.model.table, in: log.connection)
  }

  private static func uniqueIndexes(
    of table: String, in connection: Connection
  ) throws -> UniqueIndexes {
    var indexes: UniqueIndexes = []
    var last = ""
    let parts = try connection.rows(
      """
      SELECT i.name, x.name, x.coll FROM pragma_index_list(\(literal: table), 'main') AS i
      JOIN pragma_index_xinfo(i.name, 'main') AS x
      WHERE i."unique" = 1 AND x.key = 1 ORDER BY i.name, x.seqno
      """
    ) { (index: $0.text(0), column: $0.isNull(1) ? nil : $0.text(1), collation: $0.text(2)) }
    for part in parts {
      guard let column = part.column else {
        throw StoreFailure(
          .unsupportedTable,
          "the index \"\(part.index)\" makes an expression unique, so changes by REPLACE cannot be tracked; drop it"
        )
      }
      if part.index.isExactly(last) {
        indexes[indexes.count - 1].append((column, part.collation))
      } else {
        indexes.append([(column, part.collation)])
      }
      last = part.index
    }
    return indexes
  }

  /// Whether no triggers but those that log local changes fire when records of a model are written.
  static func areAlone(on model: Model, in connection: Connection) throws -> Bool {
    let tables = [model.table] + model.tablesOfRelationsToOne + model.tablesOfRelationsToMany
    return try Trigger.all(withPrefix: "", in: connection).allSatisfy { trigger in
      let isOfApp = !trigger.name.utf8.starts(with: Bookkeeping.prefix.utf8)
      return trigger.name.utf8.starts(with: prefix.utf8)
        || !isOfApp && !TableSchema.contains(tables, trigger.table)
    }
  }

  /// All triggers, on the table and on the tables of its relations.
  private func all() throws -> [Trigger] {
    var triggers = [insertion, update, deletion, replacingInsertion, replacingUpdate]
    // Several relations may use one table.
    for trigger in try related(of: log.model)
    where !triggers.contains(where: { $0.name.isExactly(trigger.name) }) {
      triggers.append(trigger)
    }
    return triggers
  }

  func create() throws {
    for trigger in try all() { try trigger.create(in: log.connection) }
  }

  /// Drops the stored triggers, also those for another model of the table.
  func drop() throws {
    for name in try stored().keys { try Trigger.drop(name.text, in: log.connection) }
  }

  /// The names of the triggers that are not stored as they should be.
  func lost() throws -> [String] {
    let stored = try stored()
    return try all().filter { stored[ExactText($0.name)] != $0.storedText }.map(\.name)
  }

  /// The statements that created the stored triggers, by name.
  private func stored() throws -> [ExactText: String] {
    // Each of them writes into the log, whose quoted name no other one has.
    let prefix = ChangeTriggers.prefix
    let found = try log.connection.rows(
      """
      SELECT name, sql FROM main.sqlite_schema
      WHERE type = 'trigger' AND substr(name, 1, \(prefix.utf8.count)) = \(literal: prefix)
        AND instr(sql, \(literal: SQL(name: log.name).text)) > 0
      """
    ) { (ExactText($0.text(0)), $0.text(1)) }
    return Dictionary(found) { $1 }
  }
}

// MARK: - The table itself

extension ChangeTriggers {
  private var table: SQL { SQL(name: log.model.table) }

  private var id: SQL { StoreSchema.idColumn }

  /// An entry for the row `row`, if it has a key.
  private func entry(
    _ kind: ChangeLog.Kind, _ row: SQL, from source: SQL = "", where conditions: SQL...
  ) -> SQL {
    let keys = log.keyColumns.joined(separator: ", ")
    let time = kind == .appeared ? "NULL" : log.tombstones.time(ofRow: row)
    let former: SQL =
      kind == .appeared
      ? "(SELECT \(ServerLink.version) FROM \(name: log.tombstones.name) AS d WHERE \(log.isSameKey("d", row)))"
      : "\(row).\(ServerLink.version)"
    let (column, version): (SQL, SQL) =
      log.hasVersions ? (", \(ServerLink.version)", ", \(former)") : ("", "")
    return """
      INSERT INTO \(name: log.name) (\(keys), \(ChangeLog.kind), \(ChangeLog.time)\(column))
      SELECT \(log.key(of: row)), \(kind.rawValue), \(time)\(version) \(source)
      WHERE \(([hasKey(row)] + conditions).joined(separator: " AND "))
      """
  }

  private func hasKey(_ row: SQL) -> SQL {
    log.keyColumns.map { "\(row).\($0) IS NOT NULL" }.joined(separator: " AND ")
  }

  private func name(_ event: String) -> String {
    "\(ChangeTriggers.prefix)\(event)_\(log.model.table)"
  }

  private var insertion: Trigger {
    Trigger(
      name: name("insert"), event: .insert, table: log.model.table, condition: OwnWrites.areLogged,
      body: ([entry(.appeared, "NEW")] + arrival(latest: latestTime())).joined(separator: "; "))
  }

  private var update: Trigger {
    // With another row id, other rows of relations to many belong to the record.
    let columns = [id.text] + columns
    let isChanged: [SQL] = columns.map { "OLD.\(name: $0) IS NOT NEW.\(name: $0)" }
    let isSameKey = log.keyColumns.map { "OLD.\($0) IS NEW.\($0)" as SQL }
      .joined(separator: " AND ")
    let isOtherKey: SQL = "NOT (\(isSameKey))"
    // No other row had the key, and it does not count as removed.
    let own = clock.flatMap { stamp(after: "OLD.\(name: $0.column)", where: isSameKey) }
    let latest = latestTime(and: clock.map { "SELECT OLD.\(name: $0.column)" })
    return Trigger(
      name: name("update"), event: .update, columns: columns, table: log.model.table,
      condition: "\(OwnWrites.areLogged) AND (\(isChanged.joined(separator: " OR ")))",
      body: ([
        entry(.changed, "OLD"), own, entry(.appeared, "NEW", where: isOtherKey),
        tombstone(where: isOtherKey),
      ].compactMap { $0 } + arrival(latest: latest, where: isOtherKey)).joined(separator: "; "))
  }

  private var deletion: Trigger {
    Trigger(
      name: name("delete"), event: .delete, table: log.model.table, condition: OwnWrites.areLogged,
      body: "\(entry(.changed, "OLD")); \(tombstone())")
  }

  /// `REPLACE` deletes rows without a trigger, so the rows that it may delete are logged before.
  private var replacingInsertion: Trigger {
    Trigger(
      name: name("replace"), timing: .before, event: .insert, table: log.model.table,
      condition: OwnWrites.areLogged, body: threats(except: nil).joined(separator: "; "))
  }

  private var replacingUpdate: Trigger {
    Trigger(
      name: name("overwrite"), timing: .before, event: .update,
      columns: uniqueColumns(uniqueIndexes), table: log.model.table, condition: OwnWrites.areLogged,
      body: threats(except: "t.\(id) <> OLD.\(id)").joined(separator: "; "))
  }

  /// Entries for the rows that have a unique value of the new row.
  private func threats(except condition: SQL?) -> [SQL] {
    collisions(uniqueIndexes).map {
      entry(.threatened, "t", from: "FROM \(table) AS t", where: $0, condition ?? "1")
    }
  }

  /// The conditions that a row `t` has a unique value of the new row, or its row id.
  private func collisions(_ indexes: UniqueIndexes) -> [SQL] {
    ["t.\(id) = NEW.\(id)"]
      + indexes.map { index in
        index.map {
          "t.\(name: $0.column) = NEW.\(name: $0.column) COLLATE \(name: $0.collation)"
        }
        .joined(separator: " AND ")
      }
  }

  private func uniqueColumns(_ indexes: UniqueIndexes) -> [String] {
    Set([id.text] + indexes.flatMap { $0.map(\.column) }).sorted()
  }

  /// What follows if a key has a row: the row gets a time later than all that its key had, and the key no longer counts
  /// as removed.
  private func arrival(latest: SQL, where condition: SQL = "1") -> [SQL] {
    let forgetting: SQL = """
      DELETE FROM \(name: log.tombstones.name)
      WHERE \(log.isSameKey(SQL(name: log.tombstones.name), "NEW")) AND \(condition)
      """
    return (stamp(after: latest, where: condition).map { [$0] } ?? []) + [forgetting]
  }

  /// Gives the new row the clock's time if its own is not after another one; nil if the model has no clock.
  private func stamp(after latest: SQL, where condition: SQL) -> SQL? {
    guard let clock else { return nil }
    let column = SQL(name: clock.column)
    return """
      UPDATE \(table) SET \(column) = \(clock.time(after: latest))
      WHERE \(id) = NEW.\(id) AND \(condition) AND \(OwnWrites.areStamped)
        AND (NEW.\(column) IS NULL OR NEW.\(column) <= \(latest))
      """
  }

  /// The latest time that the key of the new row had: as a removal, or in a row that was just replaced.
  private func latestTime(and other: SQL? = nil) -> SQL {
    let removal: SQL =
      "SELECT \(TombstoneTable.timestampColumn) FROM \(name: log.tombstones.name) AS d WHERE \(log.isSameKey("d", "NEW"))"
    // The entries of this statement are the last ones: one for each unique index and the row id, and two of the row.
    let replaced: SQL = """
      SELECT \(ChangeLog.time) FROM (
        SELECT * FROM \(name: log.name) ORDER BY \(ChangeLog.number) DESC LIMIT \(uniqueIndexes.count + 3)) AS l
      WHERE \(log.isSameKey("l", "NEW"))
      """
    return
      "(SELECT max(\(TombstoneTable.timestampColumn)) FROM (\(([removal, replaced] + (other.map { [$0] } ?? [])).joined(separator: " UNION ALL "))))"
  }

  /// Remembers the removal of the old row, later than its time. What a deduplication removes may come back with a
  /// delivery, which is folded again.
  private func tombstone(where condition: SQL = "1") -> SQL {
    let time = TombstoneTable.timestampColumn
    let own = log.tombstones.time(ofRow: "OLD")
    let value = clock?.time(after: own) ?? own
    let keys = log.keyColumns.joined(separator: ", ")
    return """
      INSERT INTO \(name: log.tombstones.name) (\(keys), \(time))
      SELECT \(log.key(of: "OLD")), \(value) WHERE \(hasKey("OLD")) AND \(OwnWrites.areStamped) AND \(condition)
      ON CONFLICT (\(keys)) DO UPDATE
      SET \(time) = max(coalesce(\(time), excluded.\(time)), coalesce(excluded.\(time), \(time)))
      """
  }
}

// MARK: - The tables of relations

extension ChangeTriggers {
  /// The triggers on the tables of a model's relations.
  private func related(of model: Model) throws -> [Trigger] {
    var triggers = try model.attributes.compactMap(\.relation).flatMap(shared)
    for relation in model.relations {
      switch relation.link {
      case .parent(let column):
        let columns = [column] + relation.element.columns
        triggers += try touches(
          on: relation.element.table, columns, via: model.table, SQL(name: column))
      case .join(let join, let parent, let row):
        triggers += try touches(on: join, [parent, row], via: model.table, SQL(name: parent))
        triggers += try shared(relation.sharedRows)
      }
      triggers += try related(of: relation.element)
    }
    return triggers
  }

  /// The triggers on a table whose rows several records have.
  private func shared(_ relation: Relation) throws -> [Trigger] {
    try touches(
      on: relation.table, relation.attributes.map(\.column), via: relation.table, id)
  }

  /// The triggers on a table with parts of records. A row that is written or goes touches the records that have it.
  ///
  /// - Parameters:
  ///   - columns: the columns that are content.
  ///   - other: the table whose rows lead to the records.
  ///   - column: the column with the ids of these rows.
  private func touches(
    on part: String, _ columns: [String], via other: String, _ column: SQL
  ) throws -> [Trigger] {
    let columns = [id.text] + columns
    let isChanged: [SQL] = columns.map { "OLD.\(name: $0) IS NOT NEW.\(name: $0)" }
    let indexes = try Self.uniqueIndexes(of: part, in: log.connection)
    func touch(_ row: SQL) -> SQL { entry(via: other, "\(row).\(column)") }
    // `REPLACE` deletes rows without a trigger.
    func replaced(except condition: SQL = "1") -> SQL {
      collisions(indexes).map {
        entry(
          via: other, "t.\(column)",
          from: "FROM \(name: part) AS t WHERE \($0) AND \(condition)")
      }.joined(separator: "; ")
    }
    return [
      trigger(.insert, part, touch("NEW")),
      trigger(.update, part, "\(touch("OLD")); \(touch("NEW"))", columns, isChanged),
      trigger(.delete, part, touch("OLD")),
      trigger(.insert, part, replaced(), timing: .before),
      trigger(
        .update, part, replaced(except: "t.\(id) <> OLD.\(id)"), uniqueColumns(indexes),
        timing: .before),
    ]
  }

  private func entry(via table: String, _ row: SQL, from source: SQL = "") -> SQL {
    """
    INSERT INTO \(name: log.name) (\(ChangeLog.kind), \(ChangeLog.via), \(ChangeLog.row))
    SELECT CASE WHEN \(OwnWrites.areStamped) THEN \(ChangeLog.Kind.changed.rawValue)
      ELSE \(ChangeLog.Kind.moved.rawValue) END, \(literal: table), \(row) \(source)
    """
  }

  private func trigger(
    _ event: Trigger.Event, _ table: String, _ body: SQL, _ columns: [String] = [],
    _ isChanged: [SQL] = [],
    timing: Trigger.Timing = .after
  ) -> Trigger {
    let condition: SQL = isChanged.isEmpty ? "" : " AND (\(isChanged.joined(separator: " OR ")))"
    return Trigger(
      name: name("\(timing)_\(event)_\(table)_of"), timing: timing, event: event, columns: columns,
      table: table,
      condition: "\(OwnWrites.areLogged)\(condition)", body: body)
  }
}
