internal import POIRecords
internal import POISQLite

/// Temporary triggers that log what SQLite changes because of foreign keys: each deleted row in the archive
/// of its table, and each changed reference in the journal.
///
/// After an error the caller must roll back, which also drops the triggers.
struct JournalTriggers {
  private let run: Int64

  /// The archives that the triggers needed and that did not exist before.
  private var newArchives: [ArchiveTable] = []

  private var names: [String] = []

  private let archivedBefore: Int

  /// - Throws: `StoreFailure` when an affected table has no row ids, or when a table that may lose rows has a
  ///   column with a name that archives need.
  init(for root: TableSchema, run: Int64, in connection: Connection) throws {
    self.run = run
    archivedBefore = try ArchiveTable.rowCount(ofRun: run, in: connection)
    try archive(root, in: connection)
    var archived = [root.name]
    for (_, table) in try Self.references(to: root, in: connection, where: \.deletesRows)
    where !archived.containsExactly(table.name) {
      archived.append(table.name)
      try archive(table, in: connection)
    }
    var kept: [(table: String, column: String)] = []
    for (reference, table) in try Self.references(to: root, in: connection, where: \.changesRows) {
      for column in reference.childColumns
      where !kept.contains(where: {
        $0.table.isExactly(table.name) && TableSchema.isSame($0.column, column)
      }) {
        kept.append((table.name, column))
        try logChanges(of: column, from: table, in: connection)
      }
    }
  }

  /// The references to a table that satisfy a condition, followed transitively, each with the child table.
  private static func references(
    to root: TableSchema, in connection: Connection, where isFollowed: (TableReference) -> Bool
  ) throws -> [(TableReference, TableSchema)] {
    var tables = [root]
    var found: [(TableReference, TableSchema)] = []
    var place = 0
    while place < tables.count {
      for reference in try TableReference.all(to: tables[place])
      where isFollowed(reference) {
        let child: TableSchema
        do {
          child = try TableSchema(of: reference.childTable, in: connection)
        } catch let error as StoreFailure where error.code == .unsupportedTable && place == 0 {
          // Only the deleted rows of the root are known before the deletion.
          let isReferredTo =
            try connection.integer(
              reference.findAny(to: "SELECT row FROM \(RowRemoval.listTable)", of: root))
            != nil
          guard !isReferredTo else { throw error }
          continue
        }
        found.append((reference, child))
        if !tables.contains(where: { $0.name.isExactly(child.name) }) { tables.append(child) }
      }
      place += 1
    }
    return found
  }

  private mutating func archive(_ table: TableSchema, in connection: Connection) throws {
    let archive = ArchiveTable(source: table)
    let isThere = try !ArchiveTable.columns(of: table.name, in: connection).isEmpty
    try archive.prepare()
    if !isThere { newArchives.append(archive) }
    let targets = (ArchiveTable.ownColumns + table.storedColumns).map(SQL.init(name:))
    let values: [SQL] =
      ["\(run)", "OLD.\(name: table.rowIDName)", "NULL", Journal.lastChange]
      + table.storedColumns.map { "OLD.\(name: $0)" }
    try createTrigger(
      on: table, event: .delete,
      """
      INSERT INTO \(name: ArchiveTable.prefix + table.name) (\(targets.joined(separator: ", ")))
      VALUES (\(values.joined(separator: ", ")))
      """, in: connection)
  }

  private mutating func logChanges(
    of column: String, from table: TableSchema, in connection: Connection
  ) throws {
    try ReservedRowIDs.reserve(allOf: table)
    let name = SQL(name: column)
    try createTrigger(
      on: table, event: .update, columns: [column],
      condition: "+OLD.\(name) IS NOT NEW.\(name) COLLATE BINARY",
      """
      INSERT INTO poikit_journal \(Journal.columns)
      VALUES (\(run), \(literal: table.name), NEW.\(name: table.rowIDName), \(literal: column),
        \(literal: Journal.Kind.reference.rawValue), OLD.\(name), NEW.\(name))
      """, in: connection)
  }

  private mutating func createTrigger(
    on table: TableSchema, event: Trigger.Event, columns: [String] = [], condition: SQL? = nil,
    _ statement: SQL, in connection: Connection
  ) throws {
    let trigger = Trigger(
      database: "temp", name: "poikit_keep_\(names.count)", event: event, columns: columns,
      table: table.name, condition: condition, body: statement)
    try Trigger.drop(trigger.name, from: "temp", in: connection)
    try trigger.create(in: connection)
    names.append(trigger.name)
  }

  /// Drops the triggers, and new archives that stayed empty.
  ///
  /// - Returns: the number of rows that the triggers archived.
  func dropTriggers(in connection: Connection) throws -> Int {
    for name in names { try Trigger.drop(name, from: "temp", in: connection) }
    for archive in newArchives {
      let isUsed = try connection.integer("SELECT 1 FROM \(archive.quotedName) LIMIT 1") != nil
      if !isUsed { try connection.execute("DROP TABLE \(archive.quotedName)") }
    }
    return try ArchiveTable.rowCount(ofRun: run, in: connection) - archivedBefore
  }
}
