internal import POIKit
internal import POIRecords

/// The groups of duplicates of which rows were archived: how many of which size, and examples.
struct DuplicateGroups {
  private struct Group {
    let winner: Int64
    let rowCount: Int
    let reason: String
    /// Of the first and the last loser in the archive.
    let numbers: ClosedRange<Int64>
  }

  private static let largestCount = 5
  private static let eachReasonCount = 3
  private static let shownRowCount = 12

  private let model: Model
  private let run: Int64
  private var sizes: [Int: Int] = [:]
  private var examples: HTML = ""

  private var archive: SQL { "main.\(name: Model.reservedPrefix + "archive_" + model.table)" }

  /// - Parameter run: the first run that archived them: an import, and the deduplication after it.
  init(from run: Int64, of model: Model, in connection: Connection) throws {
    (self.model, self.run) = (model, run)
    let archiveName = Model.reservedPrefix + "archive_" + model.table
    guard
      try connection.integer(
        "SELECT 1 FROM main.sqlite_schema WHERE name = \(literal: archiveName)") != nil
    else { return }
    var largest: [Group] = []
    var others: [String: [Group]] = [:]
    var rows = try connection.prepare(query, isPersistent: false)
    while try rows.step() {
      let group = Group(
        winner: rows.integer(0), rowCount: Int(rows.integer(1)) + 1, reason: rows.text(2),
        numbers: rows.integer(3)...rows.integer(4))
      sizes[group.rowCount, default: 0] += 1
      let place = largest.firstIndex { $0.rowCount < group.rowCount } ?? largest.count
      largest.insert(group, at: place)
      guard largest.count > Self.largestCount else { continue }
      let smaller = largest.removeLast()
      if others[smaller.reason, default: []].count < Self.eachReasonCount {
        others[smaller.reason, default: []].append(smaller)
      }
    }
    let chosen = largest + others.sorted { $0.key < $1.key }.flatMap(\.value)
    for group in chosen.prefix(Page.exampleLimit) {
      examples += try details(of: group, in: connection)
    }
  }

  /// The groups by the row that stayed, with a reason why a row did not.
  private var query: SQL {
    let isEqual: [SQL] = model.columns.map { "a.\(name: $0) IS t.\(name: $0)" }
    let column = model.timestamp.flatMap { model.attribute(named: $0)?.column }
    let (older, newer): (SQL, SQL) =
      column.map { ("a.\(name: $0)", "t.\(name: $0)") } ?? ("NULL", "NULL")
    // Materialized, so that only the reasons are sorted.
    return """
      WITH loser AS MATERIALIZED (SELECT a.poikit_winner_id AS winner, a.poikit_number AS number, CASE
          WHEN t.poikit_id IS NULL THEN 'the record that stayed is gone'
          WHEN \(isEqual.joined(separator: " AND ")) THEN 'identical'
          WHEN \(older) IS \(newer) THEN 'of the same time'
          WHEN \(older) IS NULL THEN 'without timestamp' WHEN \(older) < \(newer) THEN 'older'
          ELSE 'younger' END AS reason
        FROM \(archive) AS a LEFT JOIN main.\(name: model.table) AS t ON t.poikit_id = a.poikit_winner_id
        WHERE a.poikit_run >= \(run) AND a.poikit_winner_id <> a.poikit_row_id)
      SELECT winner, count(*), min(reason), min(number), max(number) FROM loser GROUP BY 1
      """
  }

  /// The records of a group side by side, with the key and the attributes that differ.
  private func details(of group: Group, in connection: Connection) throws -> HTML {
    let layout = RecordLayout(model)
    let columns = model.columns.map(SQL.init(name:)).joined(separator: ", ")
    let source: SQL = """
      (SELECT poikit_id, \(columns) FROM main.\(name: model.table) WHERE poikit_id = \(group.winner)
      UNION ALL SELECT * FROM (SELECT poikit_row_id, \(columns) FROM \(archive)
        WHERE poikit_number BETWEEN \(group.numbers.lowerBound) AND \(group.numbers.upperBound)
        AND poikit_winner_id = \(group.winner) AND poikit_winner_id <> poikit_row_id
        AND poikit_run >= \(run) ORDER BY poikit_number LIMIT \(Self.shownRowCount))) AS t
      """
    let places = layout.fields.indices.filter { layout.fields[$0].attribute.relation == nil }
    let records = try connection.rows(layout.query(of: model, from: source, rest: "")) { row in
      places.map { place in
        guard case .instant = layout.fields[place].attribute.storage, !row.isNull(place + 1) else {
          return row.text(place + 1)
        }
        return Instant(microseconds: row.integer(place + 1)).description
      }
    }
    guard let first = records.first else { return "" }
    let names = places.map { layout.fields[$0].path }
    let shown = names.indices.filter { place in
      model.key.contains(names[place]) || records.contains { $0[place] != first[place] }
    }.prefix(Page.partLimit)
    let rows = records.enumerated().html { number, record in
      let cells = shown.html { place in
        "<td\(record[place] == first[place] ? "" : " class=\"d\"")>\(text: record[place], limit: 100)</td>"
      }
      return "<tr\(number == 0 ? " class=\"win\"" : "")>\(cells)</tr>\n"
    }
    let key = names.indices.filter { model.key.contains(names[$0]) }
    return Page.details(
      """
      <b>\(group.rowCount)</b> \(key.html { "\(text: first[$0], limit: 60) " })\
      <small>\(text: group.reason)</small>
      """, Page.table(shown.map { "\(text: names[$0])" }, rows))
  }

  /// - Parameter reasons: how many records went why, if the report says so.
  func section(_ reasons: [(name: String, count: Int)] = []) -> HTML? {
    let counts = sizes.sorted { $0.key < $1.key }.prefix(Page.exampleLimit)
    let undo: HTML = """
      \(sizes.values.reduce(0, +)) groups. <code>poi-dedup --undo \(text: "\(run)")</code> puts the removed \
      records back. The first record of each group stayed; what differs from it is coloured.
      """
    guard !sizes.isEmpty || reasons.contains(where: { $0.count > 0 }) else { return nil }
    return Page.section(
      "Which records were duplicates?",
      sizes.isEmpty ? "The removed records are not in the archive." : undo,
      """
      <div class="two">\(Page.list(counts.map { ("groups of \($0.key)", $0.value) }))\
      \(Page.list(reasons))</div>\(examples)
      """)
  }
}
