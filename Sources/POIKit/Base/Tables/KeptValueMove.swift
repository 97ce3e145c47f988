internal import POIRecords
internal import POISQLite

/// Moves values that were kept beside columns into the columns, after a change of the model.
struct KeptValueMove: ~Copyable {
  private let slots: [Int]
  private let unmapped: UnmappedMembers
  private var decoder: ValueDecoder
  private var json = StoredJSON()
  private var rows: Statement
  private var update: Statement

  /// - Parameter columns: the columns that may hold what they could not hold before.
  /// - Returns: nil if the model keeps no such values.
  init?(_ model: Model, columns: [String], in connection: Connection) throws {
    let layout = RecordLayout(model)
    let slots = model.attributes.indices.filter { columns.contains(model.attributes[$0].column) }
    guard model.keepsMisfits, !slots.isEmpty, let unmapped = UnmappedMembers(layout),
      let column = model.unmappedColumn
    else { return nil }
    let table = SQL(name: model.table)
    let names = slots.map { SQL(name: model.attributes[$0].column) }
    let assignments: [SQL] = names.enumerated().map { place, name in
      "\(name) = coalesce(\(name), ?\(place + 3))"
    }
    let rows = try connection.prepare(
      """
      SELECT \(StoreSchema.idColumn), \(name: column) FROM \(table)
      WHERE \(StoreSchema.idColumn) > ?1 AND \(name: column) IS NOT NULL
        AND (\(names.map { "\($0) IS NULL" as SQL }.joined(separator: " OR ")))
      ORDER BY \(StoreSchema.idColumn) LIMIT 1
      """)
    let update = try connection.prepare(
      """
      UPDATE \(table) SET \(name: column) = ?2, \(assignments.joined(separator: ", "))
      WHERE \(StoreSchema.idColumn) = ?1
      """)
    self.slots = slots
    self.unmapped = unmapped
    decoder = ValueDecoder(model)
    self.rows = rows
    self.update = update
  }

  /// Moves the values of all rows.
  mutating func run() throws {
    var row = Int64.min
    while true {
      try rows.bind(1, integer: row)
      guard try rows.step() else { return try rows.reset() }
      row = rows.integer(0)
      let content = StoredValue(1, of: rows).flatMap { value in
        if case .text(let text) = value { unmapped.content(text.span) } else { nil }
      }
      try rows.reset()
      if let content { try move(content, ofRow: row) }
    }
  }

  private mutating func move(_ content: UnmappedMembers.Content, ofRow row: Int64) throws {
    var content = content
    for place in slots.indices { try update.bindNull(place + 3) }
    var isChanged = false
    for (place, slot) in slots.enumerated() {
      guard let kept = content.kept[slot], kept.depth == unmapped.depth(of: slot),
        json.read(Array(kept.value.description.utf8).span)
      else { continue }
      let element = json.element
      guard let value = decoder.slot(ofField: slot, valueAt: element.start, of: element) else {
        continue
      }
      switch value.kind {
      case .integer: try update.bind(place + 3, integer: value.integer)
      case .real: try update.bind(place + 3, real: value.real)
      case .text: try update.bind(place + 3, text: decoder.text(of: value).span)
      case .absent, .null, .related: continue
      }
      content.kept[slot] = nil
      isChanged = true
    }
    guard isChanged else { return }
    let text = unmapped.text(content)
    if text.isEmpty { try update.bindNull(2) } else { try update.bind(2, text: text) }
    try update.bind(1, integer: row)
    try update.run()
  }
}
