internal import POIRecords
internal import POISQLite

/// Recreates a table with wider columns, because SQLite cannot change the type of a column. Row ids, indexes,
/// triggers and an app's own columns stay; views and foreign keys find the table by its name.
///
/// Page: ALTER TABLE, section 8, "Making Other Kinds Of Table Schema Changes"
struct TableRebuild {
  private static let temporaryName: SQL = "main.poikit_rebuild"

  /// The attributes whose columns accept more, before and after.
  let attributes: [(before: Attribute, after: Attribute)]
  let schema: StoreSchema
  let connection: Connection

  /// Rebuilds the table.
  ///
  /// - Precondition: a transaction is open, and foreign keys are not enforced: else dropping the table would
  ///   delete the rows that refer to it.
  /// - Throws: `StoreFailure` if another program has changed the definition of a column.
  func run() throws {
    guard try connection.integer("PRAGMA foreign_keys") == 0 else {
      throw StoreFailure(.internalCheck, "foreign keys are enforced while a table is rebuilt")
    }
    let table = try TableSchema(of: schema.model.table, in: connection)
    let dependents = try statements(ofTypes: "'index', 'trigger'")
    // Renaming would check, and change, what refers to the table.
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
    try connection.execute(try creation())
    let columns = table.storedColumns.map(SQL.init(name:)).joined(separator: ", ")
    let name = SQL(name: table.name)
    try connection.execute(
      "INSERT INTO \(Self.temporaryName) (\(columns)) SELECT \(columns) FROM main.\(name)")
    try connection.execute("DROP TABLE main.\(name)")
    try connection.execute("ALTER TABLE \(Self.temporaryName) RENAME TO \(name)")
    for statement in dependents { try connection.execute(SQL(verbatim: statement)) }
    try convertArchive()
  }

  /// Gives archived integers the type that they get when they are restored into a column of numbers.
  private func convertArchive() throws {
    let table = schema.model.table
    let archived = try ArchiveTable.columns(of: table, in: connection)
    for (before, after) in attributes where before.storage == .integer && after.storage == .real {
      guard TableSchema.contains(archived, after.column) else { continue }
      let column = SQL(name: after.column)
      try connection.execute(
        "UPDATE main.\(name: ArchiveTable.prefix + table) SET \(column) = CAST(\(column) AS REAL)")
    }
  }

  /// The statements that created the table's parts of some types, in their order.
  private func statements(ofTypes types: SQL) throws -> [String] {
    try connection.rows(
      """
      SELECT sql FROM main.sqlite_schema
      WHERE type IN (\(types)) AND tbl_name = \(literal: schema.model.table) COLLATE NOCASE
        AND sql IS NOT NULL ORDER BY rowid
      """
    ) { $0.text(0) }
  }

  /// The statement that creates the new table.
  func creation() throws -> SQL {
    let old = try statements(ofTypes: "'table'").first ?? ""
    let beginning = "CREATE TABLE \(SQL(name: schema.model.table).text) "
    var definitions = old.hasPrefix(beginning) ? String(old.dropFirst(beginning.count)) : ""
    for (before, after) in attributes {
      let found = [false, true].lazy.map { schema.definition(of: before, acceptsNull: $0).text }
        .map { definitions.utf8.ranges(of: $0.utf8).filter { Self.isWhole($0, in: definitions) } }
        .first { !$0.isEmpty }
      guard let found, found.count == 1 else { throw failure(old) }
      definitions.replaceSubrange(found[0], with: schema.definition(of: after).text)
    }
    return "CREATE TABLE \(Self.temporaryName) \(SQL(verbatim: definitions))"
  }

  /// Whether a part of a list of columns ends where the definition of a column ends.
  private static func isWhole(_ range: Range<String.Index>, in list: String) -> Bool {
    let end = list.utf8[range.upperBound...].first { $0 != UInt8(ascii: "\n") }
    return end == UInt8(ascii: ",") || end == UInt8(ascii: ")")
  }

  private func failure(_ sql: String) -> StoreFailure {
    StoreFailure(
      .modelDiffers,
      "the columns of the table \"\(schema.model.table)\" cannot be widened, because another program has "
        + "changed their definitions: \(sql)", advice: [.useOtherStore])
  }
}
