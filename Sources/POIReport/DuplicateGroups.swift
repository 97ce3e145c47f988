internal import POIKit
internal import POIRecords
internal import POISQLite

/// The groups of duplicates of which rows were archived: how many of which size, and examples.
struct DuplicateGroups {
  private struct Group {
    let winner: Int64
    /// The number of losers by the reason.
    var losers: [(reason: String, count: Int)] = []
    /// The numbers of the losers in the archive.
    var numbers: ClosedRange<Int64>

    var rowCount: Int { losers.reduce(1) { $0 + $1.count } }
  }

  private static let largestCount = 5
  private static let eachReasonCount = 3
  private static let shownRowCount = 12

  private let layout: RecordLayout
  private let model: Model
  /// The latest run that archived one of the rows.
  private var run: Int64
  /// The columns of the key, and the column of the timestamp, by which that run decided.
  private var (key, timestamp): ([String], String?)
  private var sizes: [Int: Int] = [:]
  private var examples: HTML = ""

  private var archive: SQL { "main.\(name: ArchiveTable.prefix + model.table)" }

  /// - Parameter run: the first run that archived them: an import, and the deduplication after it.
  init(from run: Int64, of model: Model, in connection: Connection) throws {
    (self.model, self.run, layout) = (model, run, RecordLayout(model))
    let columns = ([model.timestamp].compactMap(\.self) + model.key).map {
      model.attribute(named: $0)?.column ?? $0
    }
    timestamp = model.timestamp == nil ? nil : columns[0]
    key = Array(columns.dropFirst(timestamp == nil ? 0 : 1))
    let isThere: SQL = """
      SELECT 1 FROM main.sqlite_schema WHERE name = \(literal: ArchiveTable.prefix + model.table)
      """
    guard try connection.integer(isThere) != nil,
      let last = try connection.integer(
        "SELECT max(poikit_run) FROM \(archive) WHERE poikit_run >= \(run)")
    else { return }
    self.run = last
    let keys = try connection.rows(
      """
      SELECT j.value, r.options ->> 'timestamp' FROM main.poikit_run AS r, json_each(r.options, '$.key') AS j
      WHERE r.id = \(last)
      """
    ) { ($0.text(0), $0.isNull(1) ? nil : $0.text(1)) }
    if let first = keys.first { (key, timestamp) = (keys.map(\.0), first.1) }

    var chosen: [Group] = []
    var others: [String: [Group]] = [:]
    func choose(_ group: Group) {
      sizes[group.rowCount, default: 0] += 1
      chosen.insert(group, at: chosen.firstIndex { $0.rowCount < group.rowCount } ?? chosen.count)
      guard chosen.count > Self.largestCount, let smaller = chosen.popLast() else { return }
      for (reason, _) in smaller.losers
      where others[reason, default: []].count < Self.eachReasonCount {
        others[reason, default: []].append(smaller)
        return
      }
    }
    var group: Group?
    var rows = try connection.prepare(query(from: run), isPersistent: false)
    while try rows.step() {
      let numbers = rows.integer(3)...rows.integer(4)
      if let whole = group, whole.winner != rows.integer(0) {
        choose(whole)
        group = nil
      }
      var next = group ?? Group(winner: rows.integer(0), numbers: numbers)
      next.losers.append((rows.text(1), Int(rows.integer(2))))
      let (first, last) = (next.numbers.lowerBound, next.numbers.upperBound)
      next.numbers = min(first, numbers.lowerBound)...max(last, numbers.upperBound)
      group = next
    }
    if let group { choose(group) }
    chosen += others.sorted { $0.key < $1.key }.flatMap(\.value)
    for group in chosen.prefix(Page.exampleLimit) {
      examples += try details(of: group, from: run, in: connection)
    }
  }

  /// The groups by the row that stayed, with the reasons why rows did not.
  private func query(from run: Int64) -> SQL {
    let isEqual: [SQL] = model.columns.map { "a.\(name: $0) IS t.\(name: $0)" }
    let (old, new): (SQL, SQL) =
      timestamp.map { ("a.\(name: $0)", "t.\(name: $0)") } ?? ("NULL", "NULL")
    let undated: SQL =
      timestamp == nil ? "'without a time to compare'" : "'of the same time'"
    // Materialized, so that only the reasons are sorted.
    return """
      WITH loser AS MATERIALIZED (SELECT a.poikit_winner_id AS winner, a.poikit_number AS number, CASE
          WHEN t.poikit_id IS NULL THEN 'whose winner is gone'
          WHEN \(isEqual.joined(separator: " AND ")) THEN 'identical'
          WHEN \(old) IS \(new) THEN \(undated) WHEN \(old) IS NULL THEN 'without timestamp'
          WHEN \(old) < \(new) THEN 'older' ELSE 'younger' END AS reason
        FROM \(archive) AS a LEFT JOIN main.\(name: model.table) AS t ON t.poikit_id = a.poikit_winner_id
        WHERE a.poikit_run >= \(run) AND a.poikit_winner_id <> a.poikit_row_id)
      SELECT winner, reason, count(*), min(number), max(number) FROM loser GROUP BY 1, 2 ORDER BY 1, 2
      """
  }

  /// The records of a group side by side, with the key and the attributes that differ.
  private func details(of group: Group, from run: Int64, in connection: Connection) throws -> HTML {
    let columns = model.columns.map(SQL.init(name:)).joined(separator: ", ")
    let source: SQL = """
      (SELECT poikit_id, \(columns) FROM main.\(name: model.table) WHERE poikit_id = \(group.winner)
      UNION ALL SELECT * FROM (SELECT poikit_row_id, \(columns) FROM \(archive)
        WHERE poikit_number BETWEEN \(group.numbers.lowerBound) AND \(group.numbers.upperBound)
        AND poikit_winner_id = \(group.winner) AND poikit_winner_id <> poikit_row_id
        AND poikit_run >= \(run) ORDER BY poikit_number LIMIT \(Self.shownRowCount))) AS t
      """
    let fields = layout.fields.indices.filter { layout.fields[$0].attribute.relation == nil }
    let records = try connection.rows(layout.query(of: model, from: source, rest: "")) { row in
      (
        row.integer(0) == group.winner,
        fields.map { AttributeForm(layout.fields[$0].attribute).shown(row.value($0 + 1)) }
      )
    }
    guard let first = records.first else { return "" }
    let isKey = fields.map { place in
      let field = layout.fields[place]
      return field.relationField == nil && key.contains(field.attribute.column)
    }
    let differing = fields.indices.filter { place in
      !isKey[place] && records.contains { $0.1[place] != first.1[place] }
    }
    let keys = fields.indices.filter { isKey[$0] }
    let shown = keys + differing.prefix(Page.partLimit)
    let rows = records.map { isWinner, record -> HTML in
      let cells = shown.html { Page.cell(record[$0], comparedWith: first.1[$0]) }
      let start: HTML =
        isWinner ? "<tr class=\"win\"><th scope=\"row\">stayed</th>" : "<tr><td></td>"
      return "\(start)\(cells)</tr>\n"
    }
    let reasons = group.losers.html { " \($0.count) \(text: $0.reason)" }
    return Page.details(
      """
      <b>\(group.rowCount)</b> \(keys.html { "\(text: first.1[$0] ?? "", limit: 60) " })\
      <small>\(reasons)</small>
      """,
      Page.table(
        [""] + shown.map { "\(text: layout.fields[fields[$0]].path)" }, rows,
        rowCount: group.rowCount))
  }

  /// - Parameters:
  ///   - storePath: the path of the store.
  ///   - reasons: how many records went why, if the report says so.
  func section(_ storePath: String, _ reasons: [(name: String, count: Int)] = []) -> HTML? {
    guard !sizes.isEmpty || reasons.contains(where: { $0.count > 0 }) else { return nil }
    let counts = sizes.sorted { $0.key > $1.key }.prefix(Page.exampleLimit)
    let command = ["poi-dedup", "--undo", "\(run)", storePath].map(\.shellWord)
    let sentence: HTML = """
      \(sizes.values.reduce(0, +)) groups by \(text: key.joined(separator: ", ")). \
      <code>\(text: command.joined(separator: " "))</code> puts the removed records back. What differs from \
      the first record is marked.
      """
    return Page.section(
      "Which records were duplicates?",
      sizes.isEmpty ? "The removed records are not in the archive." : sentence,
      """
      <div class="two">\(Page.list(counts.map { ("groups of \($0.key)", $0.value) }))\
      \(Page.list(reasons))</div>\(examples)
      """)
  }
}
