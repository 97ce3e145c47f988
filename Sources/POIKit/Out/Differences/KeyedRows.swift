internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// The rows of a store's table, found by key.
///
/// Without an index over the key, a temporary table gets one.
final class KeyedRows {
  let model: Model
  let layout: RecordLayout

  /// Reads the row that was found.
  let reader: RowReader

  /// The fields of the key.
  let keyFields: [Int]

  /// The number of keys that several rows have.
  let repeatedKeyCount: Int

  let connection: Connection
  private var search: Statement

  /// Finds a key that several rows have; nil if there is no such key.
  private var repeatedSearch: Statement?

  /// - Throws: `StoreFailure` with `invalidOptions` or `noSuchColumn` if the model has no such key.
  init(of model: Model, key: [String], in connection: Connection) throws {
    let layout = RecordLayout(model)
    self.model = model
    self.layout = layout
    self.connection = connection
    keyFields = try key.map { name in
      let field = layout.fields.lastIndex {
        $0.path.isExactly(name) && $0.attribute.relation == nil
      }
      guard let field else {
        throw StoreFailure(
          .noSuchColumn,
          "the model \"\(model.name)\" has no attribute \"\(name)\" for a key; it has "
            + layout.fields.filter { $0.attribute.relation == nil }.map(\.path).joined(
              separator: ", "))
      }
      return field
    }
    let columns = keyFields.map { layout.fields[$0].attribute.column }
    reader = try RowReader(rowOf: model, in: connection)
    let enforced = try EnforcedKey.read(of: model, in: connection)
    let isIndexed =
      enforced.map { !$0.isHashed && $0.columns.sorted() == columns.sorted() } ?? false
      && keyFields.allSatisfy { layout.fields[$0].relationField == nil }
    if isIndexed {
      search = try connection.prepare(
        """
        SELECT t.\(StoreSchema.idColumn) FROM main.\(name: model.table) AS t \
        WHERE \(Self.condition(keyFields.map(layout.column)))
        """)
      repeatedKeyCount = 0
    } else {
      let names = keyFields.indices.map { "k\($0)" as SQL }
      let list = names.joined(separator: ", ")
      let whole = names.map { "\($0) NOT NULL" as SQL }.joined(separator: " AND ")
      let results = zip(keyFields.map(layout.column), names).map { "\($0) AS \($1)" as SQL }
      try connection.execute(
        """
        CREATE TEMP TABLE poikit_keys AS
          SELECT \(results.joined(separator: ", ")), t.\(StoreSchema.idColumn) AS id
          FROM main.\(name: model.table) AS t\(layout.joins) WHERE \(model.isLive(in: "t"));
        CREATE INDEX temp.poikit_keys_index ON poikit_keys (\(list));
        CREATE TEMP TABLE poikit_repeated_keys AS
          SELECT \(list) FROM temp.poikit_keys WHERE \(whole) GROUP BY \(list) HAVING count(*) > 1;
        CREATE INDEX temp.poikit_repeated_keys_index ON poikit_repeated_keys (\(list))
        """)
      repeatedKeyCount = Int(
        try connection.integer("SELECT count(*) FROM temp.poikit_repeated_keys") ?? 0)
      search = try connection.prepare(
        "SELECT id FROM temp.poikit_keys WHERE \(Self.condition(names))")
      if repeatedKeyCount > 0 {
        repeatedSearch = try connection.prepare(
          "SELECT 1 FROM temp.poikit_repeated_keys WHERE \(Self.condition(names))")
      }
    }
  }

  private static func condition(_ columns: [SQL]) -> SQL {
    columns.enumerated().map { "\($1) = ?\($0 + 1)" as SQL }.joined(separator: " AND ")
  }

  /// The number of rows that are not marked as removed.
  func count() throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM main.\(name: model.table) AS t WHERE \(model.isLive(in: "t"))") ?? 0)
  }

  /// Finds the row with the key of another store's row.
  ///
  /// - Returns: false if there is no such row.
  func find(_ row: borrowing Statement, keyFields other: [Int]) throws -> Bool {
    // In a copy, or after deliveries, most records have the same row id.
    if try read(row.integer(0)), hasKey(of: row, other) { return true }
    try Self.bind(row, other, to: &search)
    guard try search.step() else { return false }
    let id = search.integer(0)
    try search.reset()
    // SQLite converts a text to the type of the column.
    return try read(id) && hasKey(of: row, other)
  }

  /// Removes the temporary tables.
  static func clear(_ connection: Connection) throws {
    try connection.execute(
      """
      DROP TABLE IF EXISTS temp.poikit_keys; DROP TABLE IF EXISTS temp.poikit_repeated_keys
      """)
  }

  private func read(_ id: Int64) throws -> Bool {
    try reader.restart(atRowsOf: id)
    return try reader.step()
  }

  private func hasKey(of row: borrowing Statement, _ other: [Int]) -> Bool {
    for (own, other) in zip(keyFields, other) {
      if !reader.statement.hasSameValue(own + 1, as: other + 1, of: row) { return false }
    }
    return true
  }

  /// Whether several rows have the key of another row.
  func isRepeated(_ row: borrowing Statement, keyFields other: [Int]) throws -> Bool {
    guard repeatedSearch != nil else { return false }
    try Self.bind(row, other, to: &repeatedSearch!)
    return try repeatedSearch!.step()
  }

  private static func bind(
    _ row: borrowing Statement, _ fields: [Int], to statement: inout Statement
  ) throws {
    try statement.reset()
    for (part, field) in fields.enumerated() {
      try statement.bind(part + 1, column: field + 1, of: row)
    }
  }
}

extension Statement {
  /// Whether two columns have equal values; an integer equals a real number of its value.
  func hasSameValue(_ column: Int, as other: Int, of statement: borrowing Statement) -> Bool {
    switch (value(column), statement.value(other)) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.integer(let left), .real(let right)), (.real(let right), .integer(let left)):
      Number.integer(left) == .real(right)
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      left.hasSameBytes(as: right)
    default: false
    }
  }
}
