internal import POIRecords
internal import SQLiteKit

/// Temporary triggers that keep what goes or changes with deleted rows: SQLite follows the foreign keys, and
/// the triggers write each row that goes to the archive of its table, and each reference that SQLite
/// changes to the journal.
struct JournalTriggers {
  private let run: Int64

  /// The tables whose rows can go or change, the one that rows are deleted from first.
  private var tables: [TableSchema]

  /// The archives that were not there before.
  private var newArchives: [ArchiveTable] = []

  /// Why rows cannot be kept, by the text that a trigger raises.
  private var obstacles: [String: StoreFailure] = [:]

  private var names: [SQL] = []

  /// How many rows the run had archived before.
  private var archivedBefore = 0

  /// Makes the triggers.
  ///
  /// - Throws: `StoreFailure` when `root` has a column with a name that archives need.
  init(
    for root: TableSchema, run: Int64, in connection: Connection
  ) throws {
    self.run = run
    tables = [root]
    archivedBefore = try ArchiveTable.rowCount(ofRun: run, in: connection)
    var place = 0
    var references: [TableReference] = []
    while place < tables.count {
      for reference in try TableReference.all(to: tables[place], in: connection)
      where reference.changesRows {
        references.append(reference)
        try add(reference, in: connection)
      }
      place += 1
    }
    try archive(root, in: connection)
    for table in tables.dropFirst() {
      do {
        try archive(table, in: connection)
      } catch let error as StoreFailure where error.code == .unsupportedTable {
        try refuse(["DELETE"], on: table.name, because: error, in: connection)
      }
    }
    for table in tables {
      var columns: [String] = []
      for reference in references where reference.childTable.isExactly(table.name) {
        for column in reference.childColumns where !TableSchema.contains(columns, column) {
          columns.append(column)
          try keep(column, of: table, in: connection)
        }
      }
    }
  }

  /// Adds the table that refers; rows of one without row ids may neither go nor change.
  private mutating func add(
    _ reference: TableReference, in connection: Connection
  ) throws {
    let name = reference.childTable
    guard !tables.contains(where: { $0.name.isExactly(name) }) else { return }
    do {
      tables.append(try TableSchema(of: name, in: connection))
    } catch let error as StoreFailure where error.code != .database {
      try refuse(["DELETE", "UPDATE"], on: name, because: error, in: connection)
    }
  }

  /// Makes triggers that refuse changes of a table whose rows cannot be kept.
  private mutating func refuse(
    _ events: [SQL], on table: String, because error: StoreFailure, in connection: Connection
  ) throws {
    let text = "poikit: rows of '\(table)' cannot be kept"
    guard obstacles.updateValue(error, forKey: text) == nil else { return }
    for event in events {
      try make(
        "BEFORE \(event) ON main.\(name: table)", "SELECT RAISE(ABORT, \(literal: text))",
        in: connection)
    }
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

  /// Why a row could not be kept, if that is what an error says.
  func obstacle(to error: SQLiteError) -> StoreFailure? {
    obstacles.first { error.message.contains($0.key) }?.value
  }
}
