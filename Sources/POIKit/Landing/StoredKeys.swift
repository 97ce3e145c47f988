internal import SQLiteKit

/// The keys of the stored rows in the order of the index that enforces them, for a search of many
/// keys in that order.
struct StoredKeys: ~Copyable {
  private let columnCount: Int
  private var statement: Statement

  /// The key that was read last: the least before any is, nothing behind the last.
  private var prefix: IndexPrefix? = IndexPrefix(high: 0, low: 0)
  private var rowID: Int64?

  /// - Parameters:
  ///   - boundary: the greatest row id that is looked at.
  ///   - exceptions: a statement that returns row ids that are not looked at.
  init(
    _ table: String, key: EnforcedKey, upTo boundary: Int64, except exceptions: SQL,
    connection: Connection
  ) throws(SQLiteError) {
    let names = key.isHashed ? [KeyEnforcer.hashColumn] : key.columns
    let columns = names.map(SQL.init(name:))
    let index = SQL(name: KeyEnforcer.indexName(table))
    var statement = try connection.prepare(
      """
      SELECT \(columns.joined(separator: ", ")), \(StoreSchema.idColumn)
      FROM \(name: table) INDEXED BY \(index)
      WHERE \(columns[0]) IS NOT NULL AND \(StoreSchema.idColumn) <= ?1
        AND \(StoreSchema.idColumn) NOT IN (\(exceptions))
      ORDER BY \(columns.joined(separator: ", "))
      """)
    try statement.bind(1, integer: boundary)
    columnCount = columns.count
    self.statement = statement
  }

  /// The first of the rows whose keys have a prefix.
  ///
  /// - Parameter wanted: not before the one that was asked for last.
  mutating func rowID(withPrefix wanted: IndexPrefix) throws(SQLiteError) -> Int64? {
    while let prefix, prefix < wanted || rowID == nil { try step() }
    return prefix == wanted ? rowID : nil
  }

  private mutating func step() throws(SQLiteError) {
    guard try statement.step() else {
      prefix = nil
      return
    }
    prefix = IndexPrefix(columnCount: columnCount, of: statement)
    rowID = statement.integer(columnCount)
  }
}
