internal import POIRecords
public import POISQLite

extension TableLayout {
  /// The layout of a table that the toolkit did not create.
  ///
  /// Every stored column is content, except a row id column that is not part of the key. If a
  /// foreign key of one column refers to a unique column of the same table, the content is the key
  /// of that row. So moving references to a winner changes no record.
  ///
  /// - Parameters:
  ///   - table: the table's name, in which SQLite ignores the case of ASCII letters.
  ///   - connection: the database.
  ///   - key: the columns that identify a record; at least one.
  ///   - timestamp: the column with the time of a record's last change.
  ///   - tombstone: the column that marks a record as a removal.
  /// - Throws: `StoreError` when there is no such table or column, and when the table is a view, is
  ///   virtual or has no row ids.
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

    let references = try TableReference.all(to: schema)
    let columns = try (schema.storedColumns + schema.generatedColumns).map { name in
      Attribute(
        column: name,
        relation: try Self.ownReference(
          from: name, references, of: schema, key: keyColumns, in: connection))
    }
    let model = Model(ofTable: schema.name, columns)
    var content = model
    content.removeParts { name in
      schema.generatedColumns.containsExactly(name)
        || name == schema.rowIDColumn && !keyColumns.contains(name)
    }
    self.init(
      model, content: content, isToolkitTable: false, keyColumns: keyColumns,
      timestampColumn: try timestamp.map(schema.column),
      tombstoneColumn: try tombstone.map(schema.column))
  }

  /// The row of the same table that a column refers to by a foreign key of this column alone.
  private static func ownReference(
    from column: String, _ references: [TableReference], of schema: TableSchema, key: [String],
    in connection: Connection
  ) throws -> Relation? {
    for reference in references
    where reference.childTable.isExactly(schema.name) && reference.childColumns.count == 1
      && reference.childColumns[0].isExactly(column) && reference.parentColumns.count == 1
    {
      let target = reference.parentColumns[0]
      var collation: String?
      if target != schema.rowIDColumn {
        collation = try schema.uniqueCollation(of: target)
        if collation == nil { continue }
      }
      return Relation(
        ofTable: schema.name, key, foreignKey: .init(column: target, collation: collation))
    }
    return nil
  }
}
