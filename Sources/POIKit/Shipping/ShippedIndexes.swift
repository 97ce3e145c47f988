internal import POIRecords
internal import SQLiteKit

/// The indexes that a shipped store gets, checked before anything is written.
struct ShippedIndexes {
  private let model: Model
  private let indexes: [[String]]
  private let texts: [String]
  private let geometry: GeometrySource?

  private var table: SQL { SQL(name: model.table) }
  private var spatialIndex: String { model.table + "_spatial" }
  private var textIndex: String { Self.textIndex(of: model) }

  private static func textIndex(of model: Model) -> String { model.table + "_text" }

  /// - Throws: `StoreFailure` with `noSuchColumn` or `invalidOptions` if the model has not what is to be indexed, or
  ///   if a table of the store has the name of an index.
  init(of model: Model, _ options: ShippingOptions, in connection: Connection) throws {
    self.model = model
    func attribute(_ name: String) throws -> Attribute {
      guard let attribute = model.attributes.first(where: { $0.name.isExactly(name) }) else {
        throw StoreFailure(
          .noSuchColumn,
          "the model \"\(model.name)\" has no attribute \"\(name)\" to index; it has "
            + model.attributes.map(\.name).joined(separator: ", "))
      }
      return attribute
    }
    var indexes: [[String]] = []
    for names in options.indexes {
      let columns = try names.map { try attribute($0).column }
      if !indexes.contains(columns) { indexes.append(columns) }
    }
    self.indexes = indexes
    texts = try options.fullText.map { name in
      let attribute = try attribute(name)
      guard [.text, .any].contains(attribute.storage) else {
        throw StoreFailure(
          .invalidOptions, "\"\(name)\" is not a text, so its words cannot be searched")
      }
      let isReserved = (Self.textColumns + [Self.textIndex(of: model)]).contains {
        TableSchema.isSame($0, attribute.column)
      }
      guard !isReserved else {
        throw StoreFailure(
          .invalidOptions, "a search cannot have a column called \"\(attribute.column)\"")
      }
      return attribute.column
    }
    geometry = options.hasSpatialIndex ? try GeometrySource(of: model) : nil
    let made = [geometry == nil ? nil : spatialIndex, texts.isEmpty ? nil : textIndex]
    for name in made.compactMap(\.self) where try Self.has(name, in: connection) {
      throw StoreFailure(
        .invalidOptions,
        "the store has a table \"\(name)\" already; ship the store that it was made from")
    }
  }

  /// The columns that FTS5 has itself.
  private static let textColumns = ["rank", "rowid"]

  private static func has(_ name: String, in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE name = \(literal: name) COLLATE NOCASE") != nil
  }

  /// Creates the indexes in the copy.
  ///
  /// - Throws: `StoreFailure` with `interrupted` if `progress` stops it.
  func make(in connection: Connection, _ progress: (StoreProgress) -> BatchDecision) throws {
    for columns in indexes {
      var name = ([model.table] + columns).joined(separator: "_")
      while try Self.has(name, in: connection) { name += "_" }
      try connection.execute(
        """
        CREATE INDEX \(name: name) ON \(table) \
        (\(columns.map { SQL(name: $0) }.joined(separator: ", ")))
        """)
    }
    if let geometry { try makeSpatialIndex(geometry, in: connection, progress) }
    try Store.proceed(progress)
    if !texts.isEmpty { try makeTextIndex(in: connection) }
    if !indexes.isEmpty { try connection.execute("ANALYZE main.\(table)") }
  }

  // MARK: The spatial index

  private func makeSpatialIndex(
    _ geometry: GeometrySource, in connection: Connection,
    _ progress: (StoreProgress) -> BatchDecision
  ) throws {
    var index = try PackedSpatialIndex(spatialIndex, in: connection)
    let columns: [SQL] = model.attributes.map { SQL(name: $0.column) }
    var rows = try connection.prepare(
      """
      SELECT \(StoreSchema.idColumn), \(columns.joined(separator: ", ")) FROM main.\(table) AS t \
      WHERE \(model.isLive(in: "t"))
      """)
    var reader = GeometryReader(geometry)
    var count = 0
    while try rows.step() {
      count += 1
      if count.isMultiple(of: 4_096) { try Store.proceed(progress, rowCount: count) }
      if reader.read(rows, firstColumn: 1), !reader.geometry.envelope.isEmpty {
        try index.add(row: rows.integer(0), reader.geometry.envelope)
      }
    }
    try index.finish()
    try makeTriggers(
      of: spatialIndex, in: connection,
      insertion: """
        INSERT INTO \(name: spatialIndex) SELECT * FROM (\(envelope(of: geometry)))
        WHERE minx + maxy NOT NULL AND \(model.isLive(in: "new"))
        """,
      deletion: "DELETE FROM \(name: spatialIndex) WHERE id = old.\(StoreSchema.idColumn)")
  }

  /// The row of the index for the row `new` of the table.
  private func envelope(of geometry: GeometrySource) -> SQL {
    let id: SQL = "new.\(StoreSchema.idColumn) AS id"
    func column(_ field: Int) -> SQL { "new.\(name: model.attributes[field].column)" }
    switch geometry {
    case .point(let latitude, let longitude):
      return """
        SELECT \(id), \(column(longitude)) AS minx, \(column(longitude)) AS maxx, \
        \(column(latitude)) AS miny, \(column(latitude)) AS maxy
        """
    case .field(let field):
      // The numbers of each position are the first and second elements of an array.
      let json: SQL = "CASE WHEN json_valid(\(column(field))) THEN \(column(field)) END"
      return """
        SELECT \(id), min(value) FILTER (WHERE key = 0) AS minx, max(value) FILTER (WHERE key = 0) AS maxx, \
        min(value) FILTER (WHERE key = 1) AS miny, max(value) FILTER (WHERE key = 1) AS maxy \
        FROM json_tree(\(json)) WHERE type IN ('integer', 'real') \
        AND abs(value) < 9e999 AND (path = '$.coordinates' OR path GLOB '$.coordinates[[]*' \
        OR path GLOB '$.geometries[[]*.coordinates' OR path GLOB '$.geometries[[]*.coordinates[[]*')
        """
    }
  }

  // MARK: The search

  private func makeTextIndex(in connection: Connection) throws {
    let columns = texts.map { SQL(name: $0) }.joined(separator: ", ")
    let (new, old) = (values("new"), values("old"))
    let index = SQL(name: textIndex)
    try connection.execute(
      """
      CREATE VIRTUAL TABLE \(index) USING fts5(
        \(columns), content = \(literal: model.table), content_rowid = \(literal: StoreSchema.idColumn.text),
        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3');
      INSERT INTO \(index) (rowid, \(columns))
        SELECT \(StoreSchema.idColumn), \(columns) FROM main.\(table) AS t WHERE \(model.isLive(in: "t"));
      INSERT INTO \(index) (\(index)) VALUES ('optimize');
      """)
    try makeTriggers(
      of: textIndex, in: connection,
      insertion: """
        INSERT INTO \(index) (rowid, \(columns)) SELECT new.\(StoreSchema.idColumn), \(new)
        WHERE \(model.isLive(in: "new"))
        """,
      deletion: """
        INSERT INTO \(index) (\(index), rowid, \(columns)) \
        SELECT 'delete', old.\(StoreSchema.idColumn), \(old) WHERE \(model.isLive(in: "old"))
        """)
  }

  private func values(_ row: SQL) -> SQL {
    texts.map { "\(row).\(name: $0)" as SQL }.joined(separator: ", ")
  }

  /// Creates the triggers that keep an index up to date when rows change.
  private func makeTriggers(
    of index: String, in connection: Connection, insertion: SQL, deletion: SQL
  ) throws {
    for (event, actions) in [
      ("INSERT", insertion), ("DELETE", deletion), ("UPDATE", "\(deletion); \(insertion)"),
    ] as [(SQL, SQL)] {
      try connection.execute(
        """
        CREATE TRIGGER \(name: "\(index)_\(event.text.lowercased())") AFTER \(event) ON \(table)
        BEGIN \(actions); END
        """)
    }
  }
}
