internal import POIRecords
internal import POISQLite

/// The table of stored tombstones, for a model whose removals delete rows, and for a tracked table: the greatest
/// timestamp of a removal for each key.
struct TombstoneTable: Sendable, Hashable {
  static let timestampColumn: SQL = "poikit_timestamp"

  let records: String

  let keyColumns: [String]

  private let timestamp: String?
  private let isTimestampDate: Bool

  /// The columns of the records that decide whether a tombstone supersedes them.
  var columns: [String] { keyColumns + (timestamp.map { [$0] } ?? []) }

  private let creation: SQL

  /// The table for a model; nil if removals delete no rows.
  init?(_ model: Model) {
    guard model.tombstone?.removal == .delete else { return nil }
    self.init(of: model)
  }

  /// The table for a model, whatever its removals do.
  init(of model: Model) {
    let key = model.key.compactMap(model.attribute(named:))
    records = model.table
    keyColumns = key.map(\.column)
    let timestampAttribute = model.timestamp.flatMap(model.attribute(named:))
    timestamp = timestampAttribute?.column
    isTimestampDate = timestampAttribute?.storage.isDate == true
    let names = keyColumns.map(SQL.init(name:))
    let schema = StoreSchema(model)
    let columns: [SQL] = zip(names, key).map { "\($0) \(schema.columnType(of: $1)) NOT NULL" }
    creation = """
      CREATE TABLE IF NOT EXISTS \(TombstoneTable.quotedName(of: model.table)) (
        \(columns.joined(separator: ",\n  ")),
        \(TombstoneTable.timestampColumn) INTEGER,
        PRIMARY KEY (\(names.joined(separator: ", ")))
      ) STRICT, WITHOUT ROWID
      """
  }

  /// The table that a model needs, or that its tracked table has.
  static func used(by model: Model, in connection: Connection) throws -> TombstoneTable? {
    let isNeeded = try TombstoneTable(model) != nil || exists(for: model.table, in: connection)
    return isNeeded ? TombstoneTable(of: model) : nil
  }

  var quotedName: SQL { TombstoneTable.quotedName(of: records) }

  var name: String { TombstoneTable.name(of: records) }

  static func name(of table: String) -> String { Bookkeeping.prefix + "tombstone_" + table }

  private static func quotedName(of table: String) -> SQL {
    "main.\(name: name(of: table))"
  }

  /// The existing table for a table of records, by the model that the records were last changed to.
  static func stored(for records: String, in connection: Connection) throws -> TombstoneTable? {
    guard try exists(for: records, in: connection),
      let document = try Bookkeeping.document(ofTable: records, in: connection)
    else { return nil }
    return (try? Model(parsing: document)).map(TombstoneTable.init(of:))
  }

  /// The number of stored tombstones of a table of records, by any key.
  static func removalCount(of records: String, in connection: Connection) throws -> Int {
    guard try exists(for: records, in: connection) else { return 0 }
    return Int(try connection.integer("SELECT count(*) FROM \(quotedName(of: records))") ?? 0)
  }

  /// Drops the table of a table of records, if it exists.
  static func remove(for records: String, in connection: Connection) throws {
    try connection.execute("DROP TABLE IF EXISTS \(quotedName(of: records))")
  }

  func prepare(in connection: Connection) throws {
    try connection.execute(creation)
  }

  func exists(in connection: Connection) throws -> Bool {
    try TombstoneTable.exists(for: records, in: connection)
  }

  private static func exists(for records: String, in connection: Connection) throws -> Bool {
    let name: SQL = "\(literal: name(of: records))"
    return try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = \(name)") != nil
  }

  /// The condition that a stored tombstone supersedes a row: the row is not newer than the removal.
  ///
  /// - Parameters:
  ///   - row: the alias of the row's table.
  ///   - isLater: whether the removal must be later, not only as late.
  func condition(ofRow row: SQL, isLater: Bool = false) -> SQL {
    var conditions: [SQL] = keyColumns.map { "d.\(name: $0) = \(row).\(name: $0)" }
    if timestamp != nil {
      let time = time(ofRow: row)
      conditions.append(
        "(\(time) IS NULL OR d.\(TombstoneTable.timestampColumn) \(isLater ? ">" : ">=") \(time))")
    }
    return
      "EXISTS (SELECT 1 FROM \(quotedName) AS d WHERE \(conditions.joined(separator: " AND ")))"
  }

  /// The timestamp of a row, as tombstones have it; NULL if the model has none.
  ///
  /// - Parameter row: the alias of the row's table.
  func time(ofRow row: SQL) -> SQL {
    timestamp.map { StoreSchema.microseconds("\(row).\(name: $0)", isDate: isTimestampDate) }
      ?? "NULL"
  }

  /// The value of the records' timestamp for a time of a tombstone.
  func value(ofTime time: SQL) -> SQL {
    isTimestampDate ? "date((\(time)) / 1000000, 'unixepoch')" : time
  }
}
