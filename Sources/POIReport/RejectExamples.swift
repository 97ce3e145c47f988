internal import POIKit
internal import POIRecords
internal import POISQLite

/// Up to 20 rejects of each rule, and where the first 1,000 are.
struct RejectExamples {
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
      if marks.places.count < DensityMap.Marks.limit,
        let place = places?.place(ofRecord: rows.bytes(4))
      {
        marks.places.append(place)
      }
      let count = examples[rule]?.count ?? 0
      guard count < Page.exampleLimit, count > 0 || examples.count < Page.partLimit else {
        continue
      }
      let (attribute, message, raw) = (rows.text(1), rows.text(2), rows.bytes(4))
      // The message of a program's own rule may name any byte.
      let byte = Issue.byte(namedBy: message).map {
        min(max($0, 1) - 1, raw.count)..<min($0, raw.count)
      }
      let place = byte ?? Self.member(Self.pointer(to: attribute, in: fields)[...], of: raw, at: 0)
      examples[rule, default: []].append(
        """
        <tr><td class="n">\(text: rows.text(3))</td>\
        <td><b>\(text: attribute)</b> \(text: message)</td>\
        <td><code>\(Self.excerpt(of: raw, around: place ?? 0..<0))</code></td></tr>

        """)
    }
  }

  // MARK: The place of the value

  /// The tokens of the pointer to an attribute's value, from the record.
  private static func pointer(to path: String, in fields: [RecordLayout.Field]) -> [String] {
    guard let field = fields.first(where: { $0.path == path }),
      case .pointer(let tokens) = field.attribute.source
    else { return path.split(separator: "/").map(String.init) }
    return (field.relationField.map { pointer(to: fields[$0].path, in: fields) } ?? []) + tokens
  }

  /// The bytes of the member or element that a pointer leads to from the value at `start`, in a text that may not be
  /// sound behind it; nil if it is not there.
  private static func member(
    _ tokens: ArraySlice<String>, of raw: Span<UInt8>, at start: Int
  ) -> Range<Int>? {
    guard let token = tokens.first else { return nil }
    var place = blank(raw, start)
    guard place < raw.count, raw[place] == UInt8(ascii: "{") || raw[place] == UInt8(ascii: "[")
    else { return nil }
    let (isObject, name) = (raw[place] == UInt8(ascii: "{"), Array("\"\(token)\"".utf8))
    var number = 0
    repeat {
      place = blank(raw, place + 1)
      let first = place
      var isFound = !isObject && "\(number)" == token
      if isObject {
        let end = end(ofValueAt: place, raw)
        isFound =
          end - place == name.count && name.indices.allSatisfy { raw[first + $0] == name[$0] }
        place = blank(raw, end)
        guard place < raw.count, raw[place] == UInt8(ascii: ":") else { return nil }
        place = blank(raw, place + 1)
      }
      let end = end(ofValueAt: place, raw)
      if isFound {
        return tokens.count == 1 ? first..<end : member(tokens.dropFirst(), of: raw, at: place)
      }
      (place, number) = (blank(raw, end), number + 1)
    } while place < raw.count && raw[place] == UInt8(ascii: ",")
    return nil
  }

  private static func blank(_ raw: Span<UInt8>, _ start: Int) -> Int {
    var place = start
    while place < raw.count, raw[place] <= 0x20 { place += 1 }
    return place
  }

  private static func end(ofValueAt start: Int, _ raw: Span<UInt8>) -> Int {
    var (place, depth, isInText) = (start, 0, false)
    while place < raw.count {
      let byte = raw[place]
      if isInText {
        if byte == UInt8(ascii: "\\") { place += 1 }
        isInText = byte != UInt8(ascii: "\"")
        if !isInText, depth == 0 { return place + 1 }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return place }
          depth -= 1
        case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { return place }
        default: break
        }
      }
      place += 1
    }
    return raw.count
  }

  /// The text around a place, which is marked.
  private static func excerpt(of raw: Span<UInt8>, around place: Range<Int>) -> HTML {
    var start = max(0, place.lowerBound - 60)
    var end = min(raw.count, place.upperBound + 60)
    // No character is cut.
    while start < place.lowerBound, raw[start] & 0xC0 == 0x80 { start += 1 }
    while end > place.upperBound, end < raw.count, raw[end] & 0xC0 == 0x80 { end -= 1 }
    func text(_ range: Range<Int>) -> HTML {
      "\(text: String(copying: raw.extracting(range)))"
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
            ? "<p>No examples were stored.</p>"
            : Page.table(["line", "what is wrong", "bytes"], found, rowCount: count))
      })
  }
}
