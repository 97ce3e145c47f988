internal import POIRecords
internal import POISQLite

/// The indexes that a shipped store gets, checked before anything is written.
struct ShippedIndexes {
  private let model: Model
  private let indexes: [[String]]
  private let texts: [String]
  private let geometry: GeometrySource?

  /// The condition that `new` can replace a row, `t`.
  private let replacement: SQL

  private var table: SQL { SQL(name: model.table) }
  private var spatialIndex: String { model.spatialIndex }
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
    let made = [
      options.hasSpatialIndex ? model.spatialIndex : nil,
      texts.isEmpty ? nil : Self.textIndex(of: model),
    ].compactMap(\.self)
    replacement = made.isEmpty ? "" : try Self.replacement(of: model.table, in: connection)
    for name in made.flatMap({ [$0, Self.notes(of: $0)] }) where try Self.has(name, in: connection)
    {
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
    var others = try connection.prepare(
      entries(geometry, where: "t.\(StoreSchema.idColumn) = ?1"))
    var reader = GeometryReader(geometry)
    var count = 0
    while try rows.step() {
      count += 1
      if count.isMultiple(of: 4_096) { try Store.proceed(progress, rowCount: count) }
      if reader.read(rows, firstColumn: 1), reader.geometry.isPlain {
        if reader.geometry.envelope.isIndexable {
          try index.add(row: rows.integer(0), reader.geometry.envelope)
        }
        continue
      }
      // The query of the triggers decides what else is indexed.
      try others.bind(1, integer: rows.integer(0))
      while try others.step() {
        var envelope = Envelope()
        envelope.include(longitude: others.real(1), latitude: others.real(3))
        envelope.include(longitude: others.real(2), latitude: others.real(4))
        try index.add(row: rows.integer(0), envelope)
      }
    }
    try index.finish()
    let id = StoreSchema.idColumn
    try makeTriggers(
      of: spatialIndex, noting: [id], in: connection,
      deletion: "DELETE FROM \(name: spatialIndex) WHERE id = old.\(id)",
      deletionOfNoted: { noted in "DELETE FROM \(name: spatialIndex) WHERE id IN (\(noted))" },
      insertion: """
        INSERT INTO \(name: spatialIndex) \(entries(geometry, where: "t.\(id) = new.\(id)"))
        """)
  }

  /// A query of the entries of rows, `t`. It never fails.
  private func entries(_ geometry: GeometrySource, where condition: SQL) -> SQL {
    func column(_ field: Int) -> SQL { "t.\(name: model.attributes[field].column)" }
    let id: SQL = "t.\(StoreSchema.idColumn)"
    let condition: SQL = "\(condition) AND \(model.isLive(in: "t"))"
    switch geometry {
    case .point(let latitude, let longitude):
      let (x, y) = (column(longitude), column(latitude))
      let areNumbers = [x, y].map { number in
        "typeof(\(number)) IN ('integer', 'real') AND abs(\(number) + 0.0) <= 1e38" as SQL
      }
      return """
        SELECT \(id), \(x), \(x), \(y), \(y) FROM \(table) AS t
        WHERE \(condition) AND \(areNumbers.joined(separator: " AND "))
        """
    case .field(let field):
      return """
        SELECT \(id), min(j.value) FILTER (WHERE j.key = 0) AS minx, max(j.value) FILTER (WHERE j.key = 0), \
        min(j.value) FILTER (WHERE j.key = 1) AS miny, max(j.value) FILTER (WHERE j.key = 1)
        FROM \(table) AS t, \(GeometrySource.numbers(of: column(field))) AND \(condition)
        GROUP BY \(id) HAVING minx NOT NULL AND miny NOT NULL \
        AND max(abs(j.value + 0.0)) FILTER (WHERE j.key IN (0, 1)) <= 1e38
        """
    }
  }

  // MARK: The search

  private func makeTextIndex(in connection: Connection) throws {
    let columns = texts.map { SQL(name: $0) }.joined(separator: ", ")
    let (new, old) = (values("new"), values("old"))
    let index = SQL(name: textIndex)
    let id = StoreSchema.idColumn
    try connection.execute(
      """
      CREATE VIRTUAL TABLE \(index) USING fts5(
        \(columns), content = \(literal: model.table), content_rowid = \(literal: id.text),
        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3');
      INSERT INTO \(index) (rowid, \(columns))
        SELECT \(id), \(columns) FROM main.\(table) AS t WHERE \(model.isLive(in: "t"));
      INSERT INTO \(index) (\(index)) VALUES ('optimize');
      """)
    let deletion: SQL = "INSERT INTO \(index) (\(index), rowid, \(columns)) SELECT 'delete'"
    try makeTriggers(
      of: textIndex, noting: [id] + texts.map { SQL(name: $0) }, in: connection,
      deletion: "\(deletion), old.\(id), \(old) WHERE \(model.isLive(in: "old"))",
      deletionOfNoted: { noted in "\(deletion), * FROM (\(noted))" },
      insertion: """
        INSERT INTO \(index) (rowid, \(columns)) SELECT new.\(id), \(new)
        WHERE \(model.isLive(in: "new"))
        """)
  }

  private func values(_ row: SQL) -> SQL {
    texts.map { "\(row).\(name: $0)" as SQL }.joined(separator: ", ")
  }

  // MARK: Changes

  private static func notes(of index: String) -> String { index + "_replaced" }

  /// The condition that the row `new` can replace a row, `t`: they are equal in a unique key.
  ///
  /// - Throws: `StoreFailure` with `invalidOptions` for a unique index on an expression.
  private static func replacement(of table: String, in connection: Connection) throws -> SQL {
    var keys: [(index: String, parts: [SQL])] = []
    var statement = try connection.prepare(
      """
      SELECT i.name, x.name, x.coll FROM pragma_index_list(\(literal: table), 'main') AS i
      JOIN pragma_index_xinfo(i.name, 'main') AS x
      WHERE i."unique" = 1 AND x.key = 1 ORDER BY i.seq, x.seqno
      """)
    while try statement.step() {
      let index = statement.text(0)
      guard !statement.isNull(1) else {
        throw StoreFailure(
          .invalidOptions,
          "the unique index \"\(index)\" is on an expression, so triggers cannot follow the rows that it "
            + "replaces; drop it, or ship without a spatial index and a search")
      }
      let column = SQL(name: statement.text(1))
      if keys.last?.index != index { keys.append((index, [])) }
      keys[keys.count - 1].parts.append(
        "t.\(column) = new.\(column) COLLATE \(name: statement.text(2))")
    }
    let id = StoreSchema.idColumn
    let all = ["t.\(id) = new.\(id)"] + keys.map { $0.parts.joined(separator: " AND ") }
    return all.map { "(\($0))" as SQL }.joined(separator: " OR ")
  }

  /// Creates the triggers that keep an index up to date when rows change.
  ///
  /// `INSERT OR REPLACE` and `UPDATE OR REPLACE` delete other rows without a delete trigger, unless
  /// `recursive_triggers` is on. So a before trigger notes the rows that may go, in a table; it cannot remove their
  /// entries, because the row may still be ignored. The after trigger removes the entries of those that are gone. A
  /// noted row that exists has its noted values; an insertion forgets it.
  ///
  /// The statements have no conflict clause: the one of the statement that fires the trigger overrides it.
  ///
  /// - Parameters:
  ///   - columns: the row id, and what the deletion of an entry needs.
  ///   - deletion: deletes the entry of `old`.
  ///   - deletionOfNoted: deletes the entries of rows that a query returns.
  ///   - insertion: inserts the entry of `new`.
  private func makeTriggers(
    of index: String, noting columns: [SQL], in connection: Connection, deletion: SQL,
    deletionOfNoted: (SQL) -> SQL, insertion: SQL
  ) throws {
    let id = StoreSchema.idColumn
    let notes = SQL(name: Self.notes(of: index))
    let list = columns.joined(separator: ", ")
    let values = columns.map { "t.\($0)" as SQL }.joined(separator: ", ")
    let isGone: SQL = "(\(id) = new.\(id) OR \(id) NOT IN (SELECT \(id) FROM \(table)))"
    // A nested update, by a foreign key, may change a row that is replaced next.
    let isOther: SQL = "\(isGone) AND \(id) <> old.\(id)"
    let renewal: SQL = """
      UPDATE \(notes) SET (\(list)) = (\(columns.map { "new.\($0)" as SQL }.joined(separator: ", "))) \
      WHERE \(id) = old.\(id); DELETE FROM \(notes) WHERE \(id) = new.\(id) AND NOT \(model.isLive(in: "new"))
      """
    let note: SQL = """
      INSERT INTO \(notes) SELECT \(values) FROM \(table) AS t
      WHERE (\(replacement)) AND \(model.isLive(in: "t")) AND t.\(id) NOT IN (SELECT \(id) FROM \(notes))
      """
    func removal(_ condition: SQL) -> SQL {
      """
      \(deletionOfNoted("SELECT \(list) FROM \(notes) WHERE \(condition)"));
      DELETE FROM \(notes) WHERE \(condition)
      """
    }
    let forgetting: SQL = "DELETE FROM \(notes) WHERE \(id)"
    try connection.execute("CREATE TABLE \(notes) (\(list))")
    for (timing, event, body) in [
      (.before, .insert, "\(forgetting) IN (SELECT \(id) FROM \(table)); \(note)"),
      (.before, .update, "\(note) AND t.\(id) <> old.\(id)"),
      (.before, .delete, "\(forgetting) = old.\(id)"),
      (.after, .insert, "\(removal(isGone)); \(insertion)"),
      (.after, .update, "\(deletion); \(removal(isOther)); \(renewal); \(insertion)"),
      (.after, .delete, deletion),
    ] as [(Trigger.Timing, Trigger.Event, SQL)] {
      let trigger = Trigger(
        name: "\(index)_\(timing)_\(event)", timing: timing, event: event, table: model.table,
        body: body)
      try trigger.create(in: connection)
    }
  }
}
