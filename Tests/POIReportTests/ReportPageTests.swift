import POIKit
import POIKitTestSupport
import POIRecords
import POITestSupport
import Testing

@testable import POIReport

struct ReportPageTests {
  private static let hostile = "</script><b>\u{202E}\u{7}&\"'"

  private static let model = #"""
    {"x-table":"a \"table\"","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{"id":{"type":"integer"},"name":{"type":"string","maxLength":20},
      "at":{"type":"integer","x-unit":"seconds"},
      "latitude":{"type":"number"},"longitude":{"type":"number"}}}
    """#

  private static func page(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `a page holds the numbers of the report, and nothing of the data unescaped`() throws {
    let store = try Store.inMemory()
    let model = try Model(parsing: Self.model)
    let name = #"<\/script><b>\u202e\u0007&\"'"#
    let lines = (0..<1_500).map { index in
      #"{"id":\#(index),"name":"\#(name)","at":\#(index),"latitude":64.\#(index),"longitude":-\#(index % 200)}"#
    }
    let long = #"{"id":1,"name":"\#(name)\#(name)"}"#
    let text = (lines + [long, "{]"]).joined(separator: "\n")
    let report = try store.importRecords(
      from: .text(text, named: Self.hostile + ".json"), model: model)
    let page = Self.page(try report.html(of: store, commandLine: "poi-import '\(Self.hostile)'"))
    for counter in report.counters.byName where counter.count > 0 && counter.name != "read" {
      let count: HTML = "\(counter.count)"
      #expect(page.contains("\(counter.name) <b>\(count.text)</b>"))
    }
    for (rule, count) in report.rejectsByRule { #expect(page.contains("<b>\(count)</b> \(rule) ")) }
    #expect(page.contains("digest <code>\(report.digest)</code>"))
    #expect(page.contains("&lt;/script&gt;&lt;b&gt;⟨U+202E⟩&#9223;&amp;&quot;&#39;"))
    #expect(
      !page.contains("<b>\u{202E}") && !page.contains("</script") && !page.contains("\u{202E}"))
    #expect(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"))
  }

  @Test func `a page of duplicates has the numbers of the report`() throws {
    let store = try Store.inMemory()
    let model = try Model(parsing: Self.model)
    let lines = (0..<90).map { #"{"id":\#($0 % 40),"name":"\#($0)","at":\#($0 / 80)}"# }
    try store.importRecords(
      from: .text(lines.joined(separator: "\n")), model: model)
    let report = try store.deduplicate()
    let page = Self.page(try report.html(of: store))
    #expect(page.contains("left <b>40</b>") && page.contains("removed <b>50</b>"))
    for (name, count) in report.plan.reasons.described(keeping: .newest) where count > 0 {
      #expect(page.contains("row\">\(name)</th><td class=\"n\"><b>\(count)</b>"))
    }
    for (size, count) in [(2, 30), (3, 10)] {
      #expect(page.contains("row\">groups of \(size)</th><td class=\"n\"><b>\(count)</b>"))
    }
  }

  private struct OddRule: RecordValidator {
    func issues(in record: borrowing RecordView) -> [POIRecords.Issue] {
      [POIRecords.Issue(rule: "odd", attribute: nil, message: "odd, byte 0 of the record")]
    }
  }

  @Test func `a message of a program's own rule may name any byte`() throws {
    let store = try Store.inMemory()
    let report = try store.importRecords(
      from: .text(#"{"id":1,"at":1}"#), model: try Model(parsing: Self.model),
      validators: [OddRule()])
    #expect(Self.page(try report.html(of: store)).contains("odd, byte 0 of the record"))
  }

  @Test func `a run of no records shows no groups of earlier runs`() throws {
    let store = try Store.inMemory()
    let model = try Model(parsing: Self.model)
    try store.importRecords(
      from: .text(#"{"id":1,"at":1}"# + "\n" + #"{"id":1,"at":2}"#), model: model)
    try store.deduplicate()
    let report = try store.importRecords(from: .text(""), model: model)
    #expect(!Self.page(try report.html(of: store)).contains("Which records were duplicates?"))
  }

  @Test func `a dry run has a page without a store`() throws {
    var session = try ImportSession(checking: .poi)
    try session.append(Array(ImportFixture.pois(0..<3).utf8).span)
    let page = Self.page(try session.finish().html(of: nil))
    #expect(page.contains("valid <b>3</b>") && page.contains("dry run"))
  }

  @Test func `many different values are estimated, few are counted`() throws {
    let store = try Store.inMemory()
    try store.importRecords(
      from: .text(ImportFixture.pois(0..<20_000)))
    let model = try store.model()
    let page = try store.withReader { connection in
      try TableProfile(of: model, in: connection).sections().compactMap { $0?.text }.joined()
    }
    let match = try #require(page.firstMatch(of: /about ([0-9,]+)/))
    let estimate = try #require(Int(match.output.1.filter { $0 != "," }))
    #expect((18_800...21_200).contains(estimate))
    #expect(page.contains("20,000 records; the stronger"))
    #expect(page.contains("n <small>20,000</small>"))
  }

  @Test func `a difference has at most 20 examples of a kind, and the numbers of the report`()
    throws
  {
    let stores = [try Store.inMemory(), try Store.inMemory()]
    let model = try Model(parsing: Self.model)
    for (store, ids) in zip(stores, [0..<60, 30..<90]) {
      let lines = ids.map { #"{"id":\#($0),"name":"\#(ids.count + ids.lowerBound)","at":1}"# }
      try store.importRecords(
        from: .text(lines.joined(separator: "\n")), model: model)
    }
    var examples = DifferencePage()
    let report = try stores[1].compare(withOlder: stores[0]) { examples.collect($0) }
    let page = Self.page(try examples.html(of: report, in: stores[1]))
    #expect(page.contains("row\">name</th><td class=\"n\"><b>30</b>"))
    for kind in ["added", "removed", "changed"] {
      #expect(page.contains("\(kind) <b>30</b>"))
      #expect(page.contains("Which records were \(kind)?"))
    }
    #expect(page.matches(of: /<details>/).count == 60)
  }
}
