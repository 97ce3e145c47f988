internal import POIKit
internal import POIRecords

/// What a table of records holds: each attribute, and the map. One scan fills it.
struct TableProfile {
  /// The largest number of attributes; a profile of one has at most 50 KB.
  private static let columnLimit = 100

  private var rowCount = 0
  private var columns: [ColumnProfile]
  /// The number of attributes that are left out.
  private let otherCount: Int
  /// Nil if the model has no geometry.
  private var map: DensityMap?

  /// - Throws: `SQLiteError`, if the table cannot be read.
  init(of model: Model, in connection: Connection) throws {
    let layout = RecordLayout(model)
    let fields = layout.fields.indices.filter { layout.fields[$0].attribute.relation == nil }
    columns = fields.prefix(Self.columnLimit).map { ColumnProfile(layout.fields[$0]) }
    otherCount = fields.count - columns.count
    var places = PlaceReader(of: model)
    map = places == nil ? nil : DensityMap()
    var rows = try connection.prepare(
      layout.query(of: model, rest: "WHERE \(model.isLive(in: "t"))"), isPersistent: false)
    while try rows.step() {
      rowCount += 1
      for number in columns.indices { columns[number].insert(rows.value(fields[number] + 1)) }
      map?.insert(places?.place(in: rows))
    }
  }

  /// The map, and a row for each attribute.
  ///
  /// - Parameters:
  ///   - rejects: the rejects by rule and attribute.
  ///   - marks: what is marked on the map.
  func sections(
    rejects: [String: [String: Int]] = [:], _ marks: [DensityMap.Marks] = []
  ) -> [HTML?] {
    var rejectCounts: [String: Int] = [:]
    for (name, count) in rejects.values.joined() { rejectCounts[name, default: 0] += count }
    let rows = columns.map { column -> HTML in
      let share = Double(column.filledCount) / Double(max(rowCount, 1))
      let percentage =
        column.filledCount == rowCount && rowCount > 0
        ? "all" : "\((share * 1_000).rounded(.down) / 10) %"
      let reject: HTML = rejectCounts[column.path].map { "\($0)" } ?? ""
      return """
        <tr><th scope="row">\(text: column.path)</th>\
        <td class="filled"><meter value="\(share)" aria-hidden="true"></meter> \(text: percentage) \
        <small>\(column.filledCount)</small></td>\
        <td class="n different">\(column.differentCount)</td><td class="v">\(column.values)</td>\
        <td>\(column.filledCount > 0 ? column.bars : "")</td>\
        \(rejects.isEmpty ? "" : "<td class=\"n bad\(reject.text.isEmpty ? "" : " rejects")\">\(reject)</td>")</tr>

        """
    }
    let table = Page.table(
      ["attribute", "filled", "different", "values", "distribution"]
        + (rejects.isEmpty ? [] : ["rejects"]), rows,
      byteLimit: 400_000)
    let section = Page.section(
      "What does each attribute hold?",
      """
      Of \(rowCount) records. The distribution of texts is by their length, else by value.\
      \(otherCount > 0 ? " \(otherCount) more attributes are left out." : "")
      """,
      "<div class=\"columns\">\(table)</div>")
    return [map?.section(marks.filter { !$0.places.isEmpty }), section]
  }
}
