internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Rows as values of a program.
extension RowReader {
  /// A reader of the rows of a model's table.
  ///
  /// - Parameter includesRemoved: whether rows that are marked as removed are read, too.
  /// - Throws: `StoreFailure` with `noSuchColumn` if the model has no such attribute, or with
  ///   `invalidOptions` if a value cannot be compared with one.
  convenience init(
    _ model: Model, where filters: [RowFilter] = [], orderedBy orders: [RowOrder] = [],
    limit: Int? = nil, offset: Int = 0, includesRemoved: Bool = false,
    rowID: SQL? = RowReader.rowID, in connection: Connection
  ) throws {
    for (name, number) in [("a limit", limit ?? 0), ("an offset", offset)] where number < 0 {
      throw StoreFailure(.invalidOptions, "\(name) of rows cannot be negative, as \(number) is")
    }
    let layout = RecordLayout(model)
    let condition = try RowCondition(
      filters, layout, of: model, includesRemoved: includesRemoved, in: connection)
    var terms: [SQL] = []
    for order in orders {
      let column = try layout.column(named: order.attribute, of: model).column
      terms.append(order.isDescending ? "\(column) DESC" : column)
    }
    // One order for rows that are equal in it.
    if rowID != nil { terms.append("1") }
    let order: SQL = terms.isEmpty ? "" : "ORDER BY \(terms.joined(separator: ", "))"
    try self.init(
      layout, of: model, rowID: rowID ?? "NULL",
      rest: "\(condition.clause) \(order) LIMIT \(limit ?? -1) OFFSET \(offset)",
      in: connection)
    try condition.bind(to: &statement)
  }

  /// The number of rows of a model's table that meet conditions.
  static func count(
    of model: Model, where filters: [RowFilter], in connection: Connection
  ) throws -> Int {
    let layout = RecordLayout(model)
    let condition = try RowCondition(filters, layout, of: model, in: connection)
    var statement = try connection.prepare(
      "SELECT count(*) FROM (\(layout.query(of: model, rest: condition.clause)))",
      isPersistent: false)
    try condition.bind(to: &statement)
    guard try statement.step() else { return 0 }
    return Int(statement.integer(0))
  }

  /// A reader of single rows; `restart(atRowsOf:)` with the id of a row reads it, unless it is marked as removed.
  convenience init(rowOf model: Model, in connection: Connection) throws {
    try self.init(
      RecordLayout(model), of: model,
      rest: "WHERE t.\(StoreSchema.idColumn) = ?1 AND \(model.isLive(in: "t"))", in: connection)
  }

  /// A reader of single rows by the key of the model, for `row(withKey:)`.
  ///
  /// - Throws: `StoreFailure` with `invalidOptions` if the key is not enforced.
  convenience init(keyOf model: Model, in connection: Connection) throws {
    let key = model.key.compactMap { model.attribute(named: $0)?.column }
    guard let enforced = try EnforcedKey.read(of: model, in: connection),
      enforced.columns.elementsEqual(key, by: { $0.isExactly($1) })
    else {
      throw StoreFailure(
        .invalidOptions,
        "the key of the table \"\(model.table)\" does not tell its records apart, because it is not enforced",
        advice: .enforce(key: model.key, .index))
    }
    let isKey: [SQL] = key.enumerated().map { "t.\(name: $0.element) = ?\($0.offset + 1)" }
    try self.init(
      RecordLayout(model), of: model,
      rest: "WHERE \((isKey + [model.isLive(in: "t")]).joined(separator: " AND "))",
      in: connection)
  }

  /// The row with a key; nil if the table does not have it, or if it is marked as removed.
  ///
  /// - Throws: `StoreFailure` with `invalidOptions` if the values are no key.
  func row(withKey values: [RowValue], of model: Model) throws -> Row? {
    guard values.count == model.key.count else {
      throw StoreFailure(
        .invalidOptions,
        "the key of \(model.table) has \(model.key.count) values: \(model.key.joined(separator: ", "))"
      )
    }
    try statement.reset()
    for (place, (name, value)) in zip(model.key, values).enumerated() {
      guard let attribute = model.attribute(named: name) else { continue }
      try statement.bind(place + 1, attribute.comparable(value))
    }
    defer { try? statement.reset() }
    return try next()
  }

  /// Returns the next row, or nil after the last one.
  func next() throws -> Row? {
    guard try step() else { return nil }
    let id = statement.integer(0)
    var values: [String: RowValue] = [:]
    for (place, field) in fields[..<attributeCount].enumerated() {
      values[field.attribute.name] = value(place)
    }
    for (relation, reader) in relations {
      values[relation.name] = .array(try reader.elements(ofRow: id, isPlain: relation.isPlain))
    }
    return Row(id: id, values: values)
  }

  private func elements(ofRow id: Int64, isPlain: Bool) throws -> [RowValue] {
    try restart(atRowsOf: id)
    var elements: [RowValue] = []
    while let row = try next() {
      elements.append(isPlain ? row[fields[0].attribute.name] : .object(row.values))
    }
    try statement.reset()
    return elements
  }

  private func value(_ place: Int) -> RowValue {
    let attribute = fields[place].attribute
    let column = place + 1
    guard !statement.isNull(column) else { return .null }
    guard let relation = attribute.relation else {
      return attribute.value(column, of: statement)
    }
    let related = fields[place].relatedFields
    if relation.isPlain { return value(related.lowerBound) }
    return .object(
      Dictionary(uniqueKeysWithValues: related.map { (fields[$0].attribute.name, value($0)) }))
  }
}

extension RecordLayout {
  /// The column of the attribute called `name`, and the attribute.
  func column(
    named name: String, of model: Model
  ) throws -> (column: SQL, attribute: Attribute) {
    // A relation to a plain value has the name of its only attribute.
    let place = fields.lastIndex { $0.path.isExactly(name) && $0.attribute.relation == nil }
    guard let place else {
      let names = fields.filter { $0.attribute.relation == nil }.map(\.path)
      throw StoreFailure(
        .noSuchColumn,
        "the model \"\(model.name)\" has no attribute \"\(name)\" to select or order by; it has "
          + names.joined(separator: ", "))
    }
    return (column(place), fields[place].attribute)
  }
}

extension Attribute {
  private var isBoolean: Bool { types.isSubset(of: [.boolean, .null]) }

  /// The value in a column of a statement's current row.
  func value(_ column: Int, of statement: borrowing Statement) -> RowValue {
    switch statement.value(column) {
    case .null, .blob: return .null
    case .real(let real): return .real(real)
    case .integer(let integer):
      if case .instant = storage { return .instant(Instant(microseconds: integer)) }
      return isBoolean ? .boolean(integer != 0) : .integer(integer)
    case .text(let text):
      let text = String(copying: text)
      guard storage == .json, let json = JSONValue.stored(text) else { return .text(text) }
      return RowValue(json)
    }
  }

  /// What the attribute can be compared with.
  private var hint: String {
    switch storage {
    case _ where isBoolean: ", only with true or false"
    case .integer, .real: ", only with a number"
    case .instant: ", only with an Instant or a text such as 2026-01-31T00:00:00Z"
    case .json: ", only with null, because it is kept as JSON"
    default: ", only with a text, a finite number or a boolean"
    }
  }

  /// A value in the form in which it is compared with values of the attribute.
  func comparable(_ value: RowValue) throws -> RowValue {
    switch (storage, value) {
    case (.instant, .instant), (_, .null): return value
    case (.instant, .text(let text)):
      if let instant = Instant(timestamp: text.utf8Span.span) { return .instant(instant) }
    case (_, .text("true")) where isBoolean: return .boolean(true)
    case (_, .text("false")) where isBoolean: return .boolean(false)
    case (_, .text) where isBoolean: break
    case (.integer, .text(let text)), (.real, .text(let text)):
      if let integer = Int64(text) { return .integer(integer) }
      if let real = Double(text), real.isFinite { return .real(real) }
    case (.instant, _), (.json, _), (_, .instant), (_, .array), (_, .object): break
    case (_, .real(let real)) where !real.isFinite: break
    case (.uuid, .text(let text)): return .text(text.uppercased())
    default: return value
    }
    throw StoreFailure(
      .invalidOptions,
      "\"\(name)\" cannot be compared with \(value.text ?? value.typeName)\(hint)")
  }
}

extension Statement {
  /// Binds a copy of a column of another statement's current row.
  mutating func bind(_ index: Int, column: Int, of other: borrowing Statement) throws {
    switch other.value(column) {
    case .null: try bindNull(index)
    case .integer(let integer): try bind(index, integer: integer)
    case .real(let real): try bind(index, real: real)
    case .text(let text): try bind(index, text: text)
    case .blob(let blob): try bind(index, blob: blob)
    }
  }

  /// Binds a value; an instant as its microseconds.
  mutating func bind(_ index: Int, _ value: RowValue) throws {
    switch value {
    case .boolean(let boolean): try bind(index, integer: boolean ? 1 : 0)
    case .integer(let integer): try bind(index, integer: integer)
    case .real(let real): try bind(index, real: real)
    case .text(let text): try bind(index, text: text)
    case .instant(let instant): try bind(index, integer: instant.microseconds)
    case .null, .array, .object: try bindNull(index)
    }
  }
}

/// A stored record.
public struct Row: Sendable, Hashable {
  /// The row id.
  public let id: Int64

  /// The values by the names of the model's attributes. A related row is an object, the rows of a
  /// relation to many are an array.
  public let values: [String: RowValue]

  /// The value of an attribute; null if the model has no such attribute.
  public subscript(attribute: String) -> RowValue { values[attribute] ?? .null }

  /// The record as a value of a type of the program; see `Store.rows`.
  ///
  /// - Throws: `StoreError` with `undecodable` if the row does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(StoreError) -> Value {
    do {
      return try Value(from: RowDecoder(.object(values)))
    } catch {
      throw StoreError(
        .undecodable, "row \(id) is no \(Value.self): \(RowDecoder.message(of: error))")
    }
  }
}
