internal import POIRecords
internal import SQLiteKit

/// Temporary triggers that keep what is deleted or changed with deleted rows. SQLite follows the foreign
/// keys; the triggers write each deleted row to the archive of its table, and each changed reference to
/// the journal.
struct JournalTriggers {
  private let run: Int64

  /// The archives that were not there before.
  private var newArchives: [ArchiveTable] = []

  private var names: [SQL] = []

  /// The number of rows that the run had archived before.
  private let archivedBefore: Int

  /// Makes the triggers.
  ///
  /// - Throws: `StoreFailure` when a table whose rows go or change has no row ids, or one whose rows can
  ///   go has a column with a name that archives need.
  init(
    for root: TableSchema, run: Int64, in connection: Connection
  ) throws {
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
        try keep(column, of: table, in: connection)
      }
    }
  }

  /// The references of one kind to a table, and to the tables that refer to it by one of them; each
  /// with the table that refers.
  private static func references(
    to root: TableSchema, in connection: Connection, where isFollowed: (TableReference) -> Bool
  ) throws -> [(TableReference, TableSchema)] {
    var tables = [root]
    var found: [(TableReference, TableSchema)] = []
    var place = 0
    while place < tables.count {
      for reference in try TableReference.all(to: tables[place], in: connection)
      where isFollowed(reference) {
        let child: TableSchema
        do {
          child = try TableSchema(of: reference.childTable, in: connection)
        } catch let error as StoreFailure where error.code == .unsupportedTable && place == 0 {
          let isReferredTo =
            try connection.integer(
              reference.findAny(to: "SELECT row FROM \(RowRemoval.list)", of: root))
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

  private mutating func archive(
    _ table: TableSchema, in connection: Connection
  ) throws {
    let archive = ArchiveTable(source: table)
    let isThere = try !ArchiveTable.columns(of: table.name, in: connection).isEmpty
    try archive.prepare(in: connection)
    if !isThere { newArchives.append(archive) }
    let targets = (ArchiveTable.ownColumns + table.storedColumns).map(SQL.init(name:))
    let values: [SQL] =
      ["\(run)", "OLD.\(name: table.rowIDName)", "NULL", Journal.lastChange]
      + table.storedColumns.map { "OLD.\(name: $0)" }
    try make(
      "AFTER DELETE ON main.\(name: table.name)",
      """
      INSERT INTO \(name: ArchiveTable.prefix + table.name) (\(targets.joined(separator: ", ")))
      VALUES (\(values.joined(separator: ", ")))
      """, in: connection)
  }

  private mutating func keep(
    _ column: String, of table: TableSchema, in connection: Connection
  ) throws {
    try ReservedRowIDs.reserve(allOf: table, in: connection)
    let name = SQL(name: column)
    try make(
      """
      AFTER UPDATE OF \(name) ON main.\(name: table.name)
      WHEN +OLD.\(name) IS NOT NEW.\(name) COLLATE BINARY
      """,
      """
      INSERT INTO poikit_journal \(Journal.columns)
      VALUES (\(run), \(literal: table.name), NEW.\(name: table.rowIDName), \(literal: column),
        \(literal: Journal.Kind.reference.rawValue), OLD.\(name), NEW.\(name))
      """, in: connection)
  }

  private mutating func make(
    _ event: SQL, _ body: SQL, in connection: Connection
  ) throws {
    let name: SQL = "poikit_keep_\(names.count)"
    try connection.execute(
      """
      DROP TRIGGER IF EXISTS temp.\(name);
      CREATE TEMP TRIGGER \(name) \(event) BEGIN \(body); END
      """)
    names.append(name)
  }

  /// Drops the triggers, and the archives that they made for nothing.
  ///
  /// - Returns: how many rows they archived.
  func drop(in connection: Connection) throws -> Int {
    for name in names { try connection.execute("DROP TRIGGER temp.\(name)") }
    for archive in newArchives {
      let isUsed = try connection.integer("SELECT 1 FROM \(archive.quotedName) LIMIT 1") != nil
      if !isUsed { try connection.execute("DROP TABLE \(archive.quotedName)") }
    }
    return try ArchiveTable.rowCount(ofRun: run, in: connection) - archivedBefore
  }
}

extension TableReference {
  /// Whether SQLite deletes the rows that refer to one which is deleted.
  fileprivate var deletesRows: Bool { deleteAction == "CASCADE" }
}
