internal import POISQLite

/// The keys of the stored rows in the order of the index that enforces them. It searches many keys
/// in that order with one pass.
struct StoredKeys: ~Copyable {
  private let columnCount: Int
  private var statement: Statement

  /// The prefix of the key that was read last: the least one before the first, nil after the last.
  private var prefix: IndexPrefix? = IndexPrefix(high: 0, low: 0)
  private var rowID: Int64?

  /// - Parameters:
  ///   - boundary: the greatest row id to search.
  ///   - exceptions: a statement that returns row ids to skip.
  init(
    _ table: String, key: EnforcedKey, upTo boundary: Int64, except exceptions: SQL,
    connection: Connection
  ) throws {
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

  /// Returns the first row whose key has a prefix.
  ///
  /// - Parameter wanted: the prefix; not less than in the call before.
  mutating func rowID(withPrefix wanted: IndexPrefix) throws -> Int64? {
    while let prefix, prefix < wanted || rowID == nil { try step() }
    return prefix == wanted ? rowID : nil
  }

  private mutating func step() throws {
    guard try statement.step() else {
      prefix = nil
      return
    }
    prefix = IndexPrefix(columnCount: columnCount, of: statement)
    rowID = statement.integer(columnCount)
  }
}
