internal import POIRecords
internal import POISQLite

/// Conditions on rows, `t`, as SQL with the values of its parameters.
struct RowCondition {
  /// The most parameters of a statement.
  private static let valueLimit = 32_766

  private let layout: RecordLayout
  private let model: Model
  private let includesRemoved: Bool
  private let connection: Connection
  private var values: [RowValue] = []

  /// The `WHERE` clause, or nothing.
  private(set) var clause: SQL = ""

  /// - Throws: `StoreFailure` with `noSuchColumn` if the model has no such attribute, or with `invalidOptions` if a value
  ///   cannot be compared with one.
  init(
    _ filters: [RowFilter], _ layout: RecordLayout, of model: Model, includesRemoved: Bool = false,
    in connection: Connection
  ) throws {
    self.layout = layout
    self.model = model
    self.includesRemoved = includesRemoved
    self.connection = connection
    var conditions: [SQL] = []
    if !includesRemoved, model.tombstoneColumn != nil { conditions.append(model.isLive(in: "t")) }
    if !filters.isEmpty { conditions.append(try condition(.all(filters))) }
    guard values.count <= RowCondition.valueLimit else {
      throw StoreFailure(
        .invalidOptions,
        "the conditions have \(values.count) values, and SQLite takes \(RowCondition.valueLimit)")
    }
    if !conditions.isEmpty { clause = "WHERE \(conditions.joined(separator: " AND "))" }
  }

  /// Binds the values to the first parameters of a statement.
  func bind(to statement: inout Statement) throws {
    for (place, value) in values.enumerated() { try statement.bind(place + 1, value) }
  }

  private mutating func condition(_ filter: RowFilter) throws -> SQL {
    switch filter.form {
    case .comparison(let name, let comparison, let value):
      let (column, attribute) = try layout.column(named: name, of: model)
      values.append(try attribute.comparable(value))
      return "\(column) \(SQL(verbatim: comparison.rawValue)) ?"
    case .not(let filter): return "NOT (\(try condition(filter)))"
    case .all(let filters): return try condition(filters, " AND ", ofNone: "1")
    case .any(let filters): return try condition(filters, " OR ", ofNone: "0")
    case .within(let box): return try condition(box)
    }
  }

  private mutating func condition(
    _ filters: [RowFilter], _ separator: SQL, ofNone: SQL
  ) throws -> SQL {
    // SQLite bounds the depth of an expression, and counts a list of operators as a chain.
    guard filters.count > 1 else { return try filters.first.map { try condition($0) } ?? ofNone }
    let halves = [filters.prefix(filters.count / 2), filters.suffix(from: filters.count / 2)]
    var conditions: [SQL] = []
    for half in halves { conditions.append(try condition(Array(half), separator, ofNone: ofNone)) }
    return "(\(conditions.joined(separator: separator)))"
  }

  private mutating func condition(_ box: GeographicBox) throws -> SQL {
    let source = try GeometrySource(of: model)
    var condition: SQL = ""
    if let spatialIndex = try spatialIndex() {
      condition = """
        t.\(StoreSchema.idColumn) IN (SELECT id FROM \(spatialIndex) \
        WHERE \(touches(box, "minx", "maxx", "miny", "maxy"))) AND\u{20}
        """
    }
    let column = { [layout] (field: Int) in layout.column(field) }
    switch source {
    case .point(let latitude, let longitude):
      let (x, y) = (column(longitude), column(latitude))
      return """
        (\(condition)typeof(\(x)) IN ('integer', 'real') AND typeof(\(y)) IN ('integer', 'real') \
        AND \(touches(box, x, x, y, y)))
        """
    case .field(let field):
      func bound(_ function: SQL, _ key: SQL) -> SQL {
        "\(function)(j.value) FILTER (WHERE j.key = \(key))"
      }
      let isTouched = touches(
        box, bound("min", "0"), bound("max", "0"), bound("min", "1"), bound("max", "1"))
      return "(\(condition)(SELECT \(isTouched) FROM \(GeometrySource.numbers(of: column(field)))))"
    }
  }

  /// The spatial index of a shipped store; nil without one, or if its triggers are gone, so that it may be behind the
  /// rows. Rows that are marked as removed are not in it.
  private func spatialIndex() throws -> SQL? {
    let name = model.spatialIndex
    let triggers = try Trigger.all(withPrefix: name + "_", in: connection)
    let isIndexed =
      try !includesRemoved
      && triggers.count { TableSchema.isSame($0.table, model.table) } == Model.spatialTriggerCount
      && connection.integer(
        """
        SELECT 1 FROM main.sqlite_schema WHERE name = \(literal: name) COLLATE NOCASE
        AND sql LIKE 'CREATE VIRTUAL TABLE%USING rtree(id, minx, maxx, miny, maxy)'
        """) != nil
    return isIndexed ? "main.\(name: name)" : nil
  }

  /// The condition that a rectangle touches a box.
  private mutating func touches(
    _ box: GeographicBox, _ west: SQL, _ east: SQL, _ south: SQL, _ north: SQL
  ) -> SQL {
    values += [.real(box.north), .real(box.south), .real(box.east), .real(box.west)]
    // West is greater than east across the 180th meridian.
    return """
      (\(south) <= ? AND \(north) >= ? AND (\(west) <= ? \(box.west <= box.east ? "AND" : "OR") \(east) >= ?))
      """
  }
}
