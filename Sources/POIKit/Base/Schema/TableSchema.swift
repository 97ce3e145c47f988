internal import POISQLite

/// The schema of one ordinary table with row ids, as the database of a connection declares it.
struct TableSchema {
  let connection: Connection

  /// The name, spelled as declared.
  let name: String

  /// The columns that store values, in the order of the table.
  let storedColumns: [String]

  let generatedColumns: [String]

  let primaryKey: [String]

  /// The column that is the row id; nil if no column is.
  let rowIDColumn: String?

  /// A name that reads the row id of this table, whatever its columns are called.
  let rowIDName: String

  /// The declared types of the columns, by their lower-case names.
  private let types: [String: String]

  /// Reads the schema of the table that SQLite knows as `table`.
  ///
  /// - Throws: `StoreFailure` when there is no such table, or when it has no row ids or hides them.
  init(of table: String, in connection: Connection) throws {
    self.connection = connection
    name = try Self.find(table, in: connection)
    let columns = try Self.columns(of: name, in: connection)
    types = Dictionary(
      columns.map { ($0.name.lowercased(), $0.type.lowercased()) }, uniquingKeysWith: { $1 })
    storedColumns = columns.filter(\.isStored).map(\.name)
    generatedColumns = columns.filter { !$0.isStored }.map(\.name)
    let keyColumns = columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
    primaryKey = keyColumns.map(\.name)

    // A primary key is the row id if it is one column of type INTEGER without an index of its own.
    let keyIndexCount = try Self.keyIndexCount(of: name, in: connection)
    if let only = keyColumns.first, keyColumns.count == 1, keyIndexCount == 0,
      only.type.lowercased() == "integer"
    {
      rowIDColumn = only.name
      rowIDName = only.name
    } else {
      let taken = Set(columns.map { $0.name.lowercased() })
      guard let free = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) else {
        throw StoreFailure(
          .unsupportedTable,
          "'\(name)' has columns called rowid, _rowid_ and oid, which hide its row ids")
      }
      rowIDColumn = nil
      rowIDName = free
    }
  }

  /// Whether a column turns numbers into texts.
  ///
  /// Page: Datatypes In SQLite, section 3.1
  func isText(_ column: String) -> Bool {
    let type = types[column.lowercased()] ?? ""
    return !type.contains("int") && ["char", "clob", "text"].contains(where: type.contains)
  }

  func rowCount() throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM main.\(name: name)") ?? 0)
  }

  /// The collation of a unique index on this column alone; nil if there is no such index.
  func uniqueCollation(of column: String) throws -> String? {
    try connection.text(
      """
      SELECT min(x.coll) FROM pragma_index_list(\(literal: name), 'main') AS i
      JOIN pragma_index_xinfo(i.name, 'main') AS x
      WHERE i."unique" = 1 AND i.partial = 0 AND x.key = 1
      GROUP BY i.seq HAVING count(*) = 1 AND min(x.name) = \(literal: column) ORDER BY 1
      """)
  }

  /// The column called `name`, spelled as declared.
  ///
  /// - Throws: `StoreFailure` when there is no such column; it lists the columns of the table.
  func column(_ name: String) throws -> String {
    let all = storedColumns + generatedColumns
    let spelling = spelling(of: name)
    if all.containsExactly(spelling) { return spelling }
    throw StoreFailure(
      .noSuchColumn,
      "'\(self.name)' has no column '\(name)': it has \(Self.list(all))")
  }

  /// The name of a column as declared, or `name` itself if there is no such column.
  func spelling(of name: String) -> String {
    let all = storedColumns + generatedColumns
    // An exact match comes first, then SQLite's comparison, which ignores the case of ASCII
    // letters.
    return all.first { $0.utf8.elementsEqual(name.utf8) }
      ?? all.first { Self.isSame($0, name) } ?? name
  }

  /// Whether two names are the same column to SQLite, which ignores the case of ASCII letters only;
  /// false if one is nil.
  static func isSame(_ name: String, _ other: String?) -> Bool {
    guard let other else { return false }
    return name.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  static func contains(_ names: [String], _ column: String) -> Bool {
    names.contains { isSame($0, column) }
  }

  static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }
}

extension TableSchema {
  private struct Column {
    let name: String
    let type: String
    let keyPlace: Int64
    let isStored: Bool
  }

  private static func find(_ table: String, in connection: Connection) throws -> String {
    let found: (name: String, type: String, hasRowIDs: Bool)?
    let others: [String]
    found = try kind(of: table, in: connection)
    others = found == nil ? try tables(in: connection) : []
    guard let found else {
      let list = others.isEmpty ? "no tables" : Self.list(others)
      throw StoreFailure(
        .noSuchTable, "there is no table '\(table)': the database has \(list)")
    }
    let obstacle: String? =
      if found.name.lowercased().hasPrefix(Bookkeeping.prefix)
        || found.name.lowercased().hasPrefix("sqlite_")
      {
        "a table of bookkeeping"
      } else {
        switch found.type {
        case "table": found.hasRowIDs ? nil : "a table without row ids (WITHOUT ROWID)"
        case "view": "a view"
        default: "a virtual table or a part of one"
        }
      }
    if let obstacle {
      throw StoreFailure(
        .unsupportedTable,
        "'\(found.name)' is \(obstacle): only ordinary tables with row ids can be deduplicated")
    }
    return found.name
  }

  private static func kind(
    of table: String, in connection: Connection
  ) throws -> (name: String, type: String, hasRowIDs: Bool)? {
    try connection.rows(
      """
      SELECT name, type, wr FROM pragma_table_list
      WHERE schema = 'main' AND name = \(literal: table) COLLATE NOCASE
      """
    ) { ($0.text(0), $0.text(1), $0.integer(2) == 0) }.first
  }

  private static func tables(in connection: Connection) throws -> [String] {
    try connection.rows(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND NOT \(Bookkeeping.owns("name"))
      ORDER BY name
      """
    ) { $0.text(0) }
  }

  private static func columns(of table: String, in connection: Connection) throws -> [Column] {
    try connection.rows(
      """
      SELECT name, type, pk, hidden FROM pragma_table_xinfo(\(literal: table), 'main') ORDER BY cid
      """
    ) {
      Column(
        name: $0.text(0), type: $0.text(1), keyPlace: $0.integer(2), isStored: $0.integer(3) == 0)
    }
  }

  private static func keyIndexCount(of table: String, in connection: Connection) throws -> Int64 {
    try connection.integer(
      "SELECT count(*) FROM pragma_index_list(\(literal: table), 'main') WHERE origin = 'pk'") ?? 0
  }
}
