internal import POIKit
internal import POIRecords
internal import POISQLite

/// Up to 20 rejects of each rule, and where the first 1,000 are.
struct RejectExamples {
  private static let placeLimit = 1_000

  private var examples: [String: [HTML]] = [:]
  private(set) var marks = DensityMap.Marks(name: "rejects that name a place", style: "bad")

  /// No examples: a dry run stores no rejects.
  init() {}

  init(ofRun run: Int64, of model: Model, in connection: Connection) throws {
    let fields = RecordLayout(model).fields
    var places = PlaceReader(of: model)
    var rows = try connection.prepare(
      """
      SELECT rule, attribute, message, line, substr(raw, 1, 1000000) FROM main.poikit_reject
      WHERE run = \(run) ORDER BY id
      """, isPersistent: false)
    while try rows.step() {
      let rule = rows.text(0)
      if marks.places.count < Self.placeLimit, let place = places?.place(ofRecord: rows.bytes(4)) {
        marks.places.append(place)
      }
      let count = examples[rule]?.count ?? 0
      guard count < Page.exampleLimit, count > 0 || examples.count < Page.partLimit else {
        continue
      }
      let (attribute, message) = (rows.text(1), rows.text(2))
      let raw = rows.bytes(4)
      var place = Issue.byte(namedBy: message).map { min($0 - 1, raw.count)..<min($0, raw.count) }
      if rule != "required", let tokens = Self.tokens(of: attribute, in: fields) {
        place = place ?? Self.member(tokens, of: raw)
      }
      examples[rule, default: []].append(
        """
        <tr><td class="n">\(text: rows.text(3))</td>\
        <td><b>\(text: attribute)</b> \(text: message)</td>\
        <td><code>\(Self.excerpt(of: raw, around: place ?? 0..<0))</code></td></tr>

        """)
    }
  }

  /// The pointer to an attribute's value, from the record.
  private static func tokens(of path: String, in fields: [RecordLayout.Field]) -> [String]? {
    guard let field = fields.first(where: { $0.path == path }),
      case .pointer(let tokens) = field.attribute.source
    else { return nil }
    let relation = field.relationField.flatMap { self.tokens(of: fields[$0].path, in: fields) }
    return (relation ?? []) + tokens
  }

  /// The bytes of the first member in JSON with the last name of a pointer, and as deep as it.
  private static func member(_ tokens: [String], of raw: Span<UInt8>) -> Range<Int>? {
    let name = Array("\"\(tokens.last ?? "")\"".utf8)
    var (start, depth, isInText) = (nil as Int?, 0, false)
    var place = 0
    while place < raw.count {
      let byte = raw[place]
      switch byte {
      case UInt8(ascii: "\\"): place += 1
      case UInt8(ascii: "\""):
        isInText.toggle()
        let isName = name.indices.allSatisfy {
          place + $0 < raw.count && raw[place + $0] == name[$0]
        }
        if isInText, isName, start == nil, depth == tokens.count { start = place }
      case _ where isInText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let start, depth == tokens.count { return start..<place }
        if byte != UInt8(ascii: ",") { depth -= 1 }
      default: break
      }
      place += 1
    }
    return start.map { $0..<raw.count }
  }

  /// The text around a place, which is marked.
  private static func excerpt(of raw: Span<UInt8>, around place: Range<Int>) -> HTML {
    var start = max(0, place.lowerBound - 60)
    var end = min(raw.count, place.upperBound + 60)
    // No character is cut.
    while start < place.lowerBound, raw[start] & 0xC0 == 0x80 { start += 1 }
    while end > place.upperBound, end < raw.count, raw[end] & 0xC0 == 0x80 { end -= 1 }
    func text(_ range: Range<Int>) -> HTML {
      "\(text: String(decoding: range.map { raw[$0] }, as: UTF8.self))"
    }
    let mark: HTML = place.isEmpty ? "" : "<mark>\(text(place))</mark>"
    return """
      \(start > 0 ? "…" : "")\(text(start..<place.lowerBound))\(mark)\
      \(text(place.upperBound..<end))\(end < raw.count ? "…" : "")
      """
  }

  /// The rules with the numbers of the report; nil without rejects.
  func section(of report: ImportReport) -> HTML? {
    guard report.counters.rejected > 0 else { return nil }
    let rules = report.rejectsByRule.sorted { ($1.count, $0.rule) < ($0.count, $1.rule) }
    return Page.section(
      "Why were records rejected?",
      "\(report.counters.rejected) records. Each counts under the first rule that it breaks.",
      rules.prefix(Page.partLimit).html { rule, count in
        let attributes = (report.rejectsByAttribute[rule] ?? [:]).sorted { $0.key < $1.key }
          .prefix(Page.partLimit)
        let found = examples[rule] ?? []
        return Page.details(
          """
          <b>\(count)</b> \(text: rule) \
          <small>\(attributes.html { "\(text: $0.key) \($0.value) " })</small>
          """,
          found.isEmpty
            ? "<p>The store has none of them.</p>"
            : """
            \(Page.table(["line", "what is wrong", "bytes"], found.html { $0 }))\
            \(found.count < count ? "<p>\(found.count) of \(count) are here.</p>" : "")
            """)
      })
  }
}
