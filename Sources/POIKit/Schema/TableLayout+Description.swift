internal import POIRecords
public import SQLiteKit

extension TableLayout {
  /// The layout of a table that the toolkit did not make.
  ///
  /// Every column that holds a value of its own is content, except a column that is nothing but the
  /// row id, unless it is part of the key. A column that refers to another row of the same table, by
  /// its row id or by one unique column, has that row's key as its content, so moving references to
  /// a winner changes no record.
  ///
  /// - Parameters:
  ///   - table: the table's name, in which SQLite ignores the case of ASCII letters.
  ///   - connection: the database.
  ///   - key: the columns that identify a record; at least one.
  ///   - timestamp: the column that says when a record was last changed.
  ///   - tombstone: the column that says whether a record is a removal.
  /// - Throws: `StoreError` when there is no such table or column, and when the table is a
  ///   view, is virtual or has no row ids.
  public init(
    describing table: String, in connection: Connection, key: [String],
    timestamp: String? = nil, tombstone: String? = nil
  ) throws(StoreError) {
    self = try StoreError.converting(path: connection.path) {
      try TableLayout(
        reading: table, in: connection, key: key, timestamp: timestamp, tombstone: tombstone)
    }
  }

  private init(
    reading table: String, in connection: Connection, key: [String], timestamp: String?,
    tombstone: String?
  ) throws {
    let schema = try TableSchema(of: table, in: connection)
    var keyColumns: [String] = []
    for name in key { keyColumns.append(try schema.column(name)) }

    let references = try TableReference.all(to: schema, in: connection)
    var content: [ContentColumn] = []
    for name in schema.storedColumns where name != schema.rowIDColumn || keyColumns.contains(name) {
      content.append(
        ContentColumn(
          name,
          relation: try Self.ownReference(
            from: name, references, of: schema, key: keyColumns, in: connection)))
    }
    self.init(
      table: schema.name, contentColumns: content, keyColumns: keyColumns,
      timestampColumn: try timestamp.map(schema.column),
      tombstoneColumn: try tombstone.map(schema.column))
  }

  /// The row of the same table that a column refers to, if a foreign key of it alone says so.
  private static func ownReference(
    from column: String, _ references: [TableReference], of schema: TableSchema, key: [String],
    in connection: Connection
  ) throws -> RelatedRow? {
    for reference in references
    where reference.childTable.isExactly(schema.name) && reference.childColumns.count == 1
      && reference.childColumns[0].isExactly(column) && reference.parentColumns.count == 1
    {
      let target = reference.parentColumns[0]
      var collation: String?
      if target != schema.rowIDColumn {
        collation = try schema.uniqueCollation(of: target, in: connection)
        if collation == nil { continue }
      }
      return RelatedRow(
        table: schema.name, idColumn: target, uniqueColumns: key, idCollation: collation)
    }
    return nil
  }
}
