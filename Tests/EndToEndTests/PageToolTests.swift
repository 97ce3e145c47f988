import Foundation
import POITestSupport
import Testing

/// The pages of `--html`.
@Suite struct PageToolTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")
  private let exporter = Tool("poi-export")

  private static func page(_ name: String, in folder: borrowing ScratchFolder) throws -> String {
    try #require(String(bytes: try folder.bytes(name), encoding: .utf8))
  }

  private static func object(_ outcome: Tool.Outcome) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(object as? [String: Any], "\(outcome)")
  }

  /// A number with commas between its groups.
  private static func grouped(_ number: Int) -> String {
    number < 1_000
      ? "\(number)" : "\(number / 1_000)," + String("\(1_000 + number % 1_000)".dropFirst())
  }

  /// The samples in a folder.
  private static func samples(in folder: borrowing ScratchFolder) throws {
    for name in ["pois.json", "updates"] {
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Samples/\(name)")
      try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: folder.file(name)))
    }
  }

  @Test func `the pages and the JSON reports have the same numbers`() throws {
    let folder = try ScratchFolder()
    try Self.samples(in: folder)
    let json = ["--report", "json", "--html"]
    let imported = try Self.object(
      importer.run(json + ["import.html", "pois.json"], in: folder.path))
    var page = try Self.page("import.html", in: folder)
    let counters = try #require(imported["counters"] as? [String: Int])
    for (name, count) in counters where count > 0 && name != "read" {
      #expect(page.contains("\(name) <b>\(Self.grouped(count))</b>"), "\(name)")
    }
    #expect(page.contains("Each of the \(Self.grouped(counters["read"] ?? 0)) records read"))
    for (rule, count) in try #require(imported["rejects"] as? [String: Int]) {
      #expect(page.contains("<summary><b>\(count)</b> \(rule) <small>"), "\(rule)")
    }
    for (rule, counts) in try #require(imported["rejectsByAttribute"] as? [String: [String: Int]]) {
      let start = try #require(page.range(of: "</b> \(rule) <small>")).upperBound
      let end = try #require(page[start...].firstIndex(of: "<"))
      for (name, count) in counts { #expect(page[start..<end].contains("\(name) \(count) ")) }
    }
    #expect(page.contains(try #require(imported["digest"] as? String)))

    let deduplicated = try Self.object(
      deduplicator.run(json + ["dedup.html", "--key", "identifier"], in: folder.path))
    page = try Self.page("dedup.html", in: folder)
    let rows = try #require(deduplicated["counters"] as? [String: Int])
    #expect(page.contains("left <b>\(Self.grouped(rows["rowsLeft"] ?? 0))</b>"))
    #expect(page.contains("\(rows["groups"] ?? 0) groups by identifier."))
    let words = [
      "timestamp": "older", "timestampPresent": "without timestamp",
      "digest": "ties broken by digest", "identical": "identical",
    ]
    for (reason, count) in try #require(deduplicated["reasons"] as? [String: Int]) where count > 0 {
      let word = try #require(words[reason], "\(reason)")
      #expect(
        page.contains("<th scope=\"row\">\(word)</th><td class=\"n\"><b>\(count)</b>"), "\(reason)")
    }

    #expect(
      try importer.run(["-s", "old.sqlite", "--limit", "700", "pois.json"], in: folder.path)
        .exitCode == 1)
    let compared = try Self.object(
      exporter.run(
        json + ["diff.html", "--diff", "old.sqlite", "-o", "diff.ndjson"], in: folder.path))
    page = try Self.page("diff.html", in: folder)
    for (name, count) in try #require(compared["counters"] as? [String: Int])
    where count > 0 && !name.contains("Key") && !name.contains("keyless") {
      #expect(page.contains("\(name) <b>\(Self.grouped(count))</b>"), "\(name)")
    }
    let attributes = try #require(compared["changedAttributes"] as? [String: Int])
    for (name, count) in attributes {
      #expect(page.contains("row\">\(name)</th><td class=\"n\"><b>\(Self.grouped(count))</b>"))
    }
  }

  /// Texts that would be HTML, hide or reorder text, or are very long.
  private static let hostile = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'\" onload='x", "]]>",
    "<!--", "&lt;&amp;&#60;", "\u{202E}txt.exe\u{2066}",
    "a\u{0}b\u{7}\u{1B}[31m\u{7F}\u{85}\u{2028}",
    "\u{FEFF}\u{200B}\u{AD}\u{E0041}", String(repeating: "<i>", count: 400_000), "%3Cscript%3E",
    "javascript:alert(1)", "e\u{301}\u{1F468}\u{200D}\u{1F469}", "</style>", "{}", "\\", "",
  ]

  /// Checks that a page has only the toolkit's tags and attributes, and no character that hides or reorders text.
  private static func check(_ page: String, _ context: String) {
    let tags: Set = [
      "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "span", "code",
      "section",
      "div", "i", "ul", "li", "b", "svg", "rect", "image", "path", "text", "table", "thead",
      "tbody", "tr", "th",
      "td", "meter", "small", "details", "summary", "mark", "!DOCTYPE", "!--",
    ]
    for match in page.matches(of: /<\/?([^\s>]*)[^>]*>/.matchingSemantics(.unicodeScalar)) {
      #expect(tags.contains(String(match.output.1)), "\(context): \(match.output.0.prefix(80))")
      #expect(!match.output.0.contains(/\son[a-z]+=/), "\(context): \(match.output.0.prefix(80))")
    }
    #expect(!page.contains(/(src|href)="(?!data:image\/png)/), "\(context)")
    let isPlain = page.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: scalar == "\n"
      case .format: scalar == "\u{200D}"
      default: true
      }
    }
    #expect(isPlain && page.utf8.count < 1 << 20, "\(context): \(page.utf8.count) bytes")
  }

  private static func quoted(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode([text]), as: UTF8.self).dropFirst().dropLast() + ""
  }

  @Test func `nothing from the data can act on a page`() throws {
    let folder = try ScratchFolder()
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var texts = Self.hostile
    for _ in 0..<20 {
      let scalars = (0..<30).compactMap { _ in
        Unicode.Scalar(
          UInt32.random(
            in: 0...(Bool.random(using: &generator) ? 0x7F : 0x3000), using: &generator))
      }
      texts.append(String(String.UnicodeScalarView(scalars)))
    }
    let name = "a</script>\"'<b>\u{202E}"
    var lines = try texts.enumerated().map { index, text in
      let text = try Self.quoted(text)
      return
        "{\"id\":\(index / 2),\(try Self.quoted(name)):\(text),\"n\":\(index % 5 == 0 ? text : "1"),\"at\":\(index)}"
    }
    lines += ["{\"id\":</script>", "nothing <b>", "{\"id\":\"<b>\"}"]
    var bytes = Array(lines.joined(separator: "\n").utf8)
    bytes += Array("\n{\"id\":7,\"n\":\"<b>".utf8) + [0xFF, 0xFE, 0xC0] + Array("\"}\n".utf8)
    try folder.write(bytes, to: "<b>&.ndjson")
    let column = try Self.quoted(name)
    try folder.write(
      """
      {"x-table":"t</script>","x-key":"id","x-timestamp":"at","required":["id"],
       "properties":{"id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
        "n":{"type":["integer","null"]},\(column):{"type":"string"}}}
      """, to: "model.json")
    for (store, extra) in [("a.sqlite", ["--limit", "20"]), ("<i>.sqlite", [])] {
      let outcome = try importer.run(
        ["-m", "model.json", "-s", store, "--html", "import.html", "<b>&.ndjson"] + extra,
        in: folder.path)
      #expect(outcome.exitCode == 1, "\(outcome.messages)")
      Self.check(try Self.page("import.html", in: folder), "import, seed \(seed)")
    }
    let outcome = try deduplicator.run(["--html", "dedup.html", "<i>.sqlite"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    Self.check(try Self.page("dedup.html", in: folder), "dedup, seed \(seed)")
    _ = try deduplicator.run(["a.sqlite"], in: folder.path)
    let compared = try exporter.run(
      ["--diff", "a.sqlite", "<i>.sqlite", "--html", "diff.html", "-o", "d"], in: folder.path)
    #expect(compared.exitCode == 1, "\(compared.messages)")
    Self.check(try Self.page("diff.html", in: folder), "diff, seed \(seed)")
  }

  @Test func `a place in the bytes is marked, in text and in broken syntax`() throws {
    let folder = try ScratchFolder()
    let lines = [
      #"{"x":{"id":{"id":2}},"y":["id"],"w":"id","id":"a, {\"b\"}","n":1}"#,
      #"{"id":1,"n":"Ünï, \"code\""}"#, #"{"id":2,"n":nul}"#,
      #"{"id":3,"geometry":{"type":4},"properties":{"type" : 5},"list":[{"type":6}]}"#,
      #"{"id":4,"list":[{"type":"a"}, {"b":[7],"type":8}]}"#,
    ]
    try folder.write(lines.joined(separator: "\n"), to: "data.ndjson")
    try folder.write(
      #"""
      {"x-table":"t","properties":{"id":{"type":"integer"},"n":{"type":"integer"},
       "kind":{"x-source":"/properties/type","type":"string"},
       "second":{"x-source":"/list/1/type","type":"string"}}}
      """#, to: "model.json")
    let outcome = try importer.run(
      ["-m", "model.json", "--html", "p.html", "data.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    let page = try Self.page("p.html", in: folder)
    #expect(
      page.contains(#"<mark>&quot;id&quot;:&quot;a, {\&quot;b\&quot;}&quot;</mark>"#), "\(page)")
    #expect(page.contains(#"<mark>&quot;n&quot;:&quot;Ünï, \&quot;code\&quot;&quot;</mark>"#))
    #expect(page.contains("nul<mark>}</mark>"))
    #expect(page.contains("<mark>&quot;type&quot; : 5</mark>"))
    #expect(page.contains("<mark>&quot;type&quot;:8</mark>"))
  }

  @Test func `a page of many attributes, rules and long values stays small`() throws {
    let folder = try ScratchFolder()
    let names = (0..<400).map {
      "attribute \($0) with a long name \(String(repeating: "n", count: 60))"
    }
    let properties = names.map { "\"\($0)\":{\"type\":\"string\"}" }.joined(separator: ",")
    try folder.write(
      "{\"x-table\":\"t\",\"x-key\":\"id\",\"properties\":{\"id\":{\"type\":\"integer\"},\(properties)}}",
      to: "model.json")
    for (file, shift) in [("a", 0), ("b", 1)] {
      let lines = (0..<120).map { index in
        let members = names.enumerated().map { place, name in
          let value = "\"\((index + shift) % 7 + place)\(String(repeating: "v", count: 300))\""
          return "\"\(name)\":\(index % 3 == 0 && place == index ? "1" : value)"
        }
        return "{\"id\":\(index / 2),\(members.joined(separator: ","))}"
      }
      try folder.write(lines.joined(separator: "\n"), to: "\(file).ndjson")
      let imported = try importer.run(
        ["-m", "model.json", "-s", "\(file).sqlite", "--html", "i.html", "\(file).ndjson"],
        in: folder.path)
      #expect(imported.exitCode == 1, "\(imported)")
      let merged = try deduplicator.run(
        ["-s", "\(file).sqlite", "--html", "d.html"], in: folder.path)
      #expect(merged.exitCode == 0, "\(merged)")
    }
    let compared = try exporter.run(
      ["--diff", "a.sqlite", "b.sqlite", "--html", "x.html", "-o", "x"], in: folder.path)
    #expect(compared.exitCode == 1, "\(compared.messages)")
    for name in ["i.html", "d.html", "x.html"] {
      let page = try Self.page(name, in: folder)
      #expect(page.contains("301 more attributes are left out."), "\(name)")
      #expect(page.utf8.count < 1 << 20, "\(name): \(page.utf8.count)")
    }
  }

  @Test(arguments: [
    ["--html", "-"], ["--html", "page"], ["--html", "data.html"], ["--html", "no/page.html"],
    ["--html", "poi.sqlite"],
  ])
  func `a page that cannot be written is refused before a store is made`(
    arguments: [String]
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3), to: "data.html")
    let outcome = try importer.run(arguments + ["data.html"], in: folder.path)
    #expect(outcome.exitCode == (arguments[1].hasPrefix("no/") ? 74 : 64), "\(outcome)")
    #expect(Files.names(in: folder.path) == ["data.html"])
  }

  @Test func `a page takes the name of no other file of the command, and of no other page`() throws
  {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3), to: "data.json")
    try folder.write("<!DOCTYPE html>\n<title>mine</title>", to: "index.html")
    for arguments in [
      ["--rejects", "z.html", "--html", "z.html"], ["--store=z.html", "--html", "z.html"],
      ["--html=index.html"],
    ] {
      let outcome = try importer.run(arguments + ["data.json"], in: folder.path)
      #expect(outcome.exitCode == 64, "\(outcome)")
      #expect(Files.names(in: folder.path) == ["data.json", "index.html"], "\(outcome)")
    }
  }

  @Test func `groups are told by the key, the time and the rule of the run`() throws {
    let folder = try ScratchFolder()
    let rows = [
      (1, "a", 3, "null"), (2, "a", 1, "5"), (3, "a", 2, "4"), (4, "b", 9, "1"), (5, "b", 9, "1"),
    ]
    let lines = rows.map { #"{"id":\#($0),"city":"\#($1)","seen":\#($2),"at":\#($3)}"# }
    try folder.write(lines.joined(separator: "\n"), to: "data.ndjson")
    try folder.write(
      #"""
      {"x-table":"t","x-key":"id","x-timestamp":"at","properties":{"id":{"type":"integer"},
       "city":{"type":"string"},"seen":{"type":"integer","x-unit":"seconds"},
       "at":{"type":["integer","null"],"x-unit":"seconds"}}}
      """#, to: "model.json")
    #expect(
      try importer.run(["-m", "model.json", "data.ndjson"], in: folder.path).exitCode == 0)
    let outcome = try deduplicator.run(
      ["--key", "city", "--timestamp", "seen", "--keep", "oldest", "--html", "d.html"],
      in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let page = try Self.page("d.html", in: folder)
    #expect(page.contains("2 groups by city"))
    #expect(page.contains("<b>3</b> a <small> 2 younger</small>"), "\(page)")
    #expect(page.contains("<b>2</b> b <small> 1 of the same time</small>"), "\(page)")
    #expect(page.contains("poi-dedup --undo 2 poi.sqlite"))
    let undone = try deduplicator.run(["--undo", "2", "poi.sqlite"], in: folder.path)
    #expect(undone.exitCode == 0, "\(undone)")
  }

  @Test func `a table without rows, and records without a place, have a page`() throws {
    let folder = try ScratchFolder()
    try folder.write("[]", to: "none.json")
    try folder.write(
      "[\(ImportToolTests.records(0..<1)[0].replacing(/"latitude":[^,}]*/, with: "\"latitude\":1000"))]",
      to: "far.json")
    for (name, text) in [
      ("none", "0 % <small>0</small>"), ("far", "What does each attribute hold?"),
    ] {
      let outcome = try importer.run(
        ["-m", "poi", "-s", "\(name).sqlite", "--html", "\(name).html", "\(name).json"],
        in: folder.path)
      #expect(outcome.exitCode < 2, "\(outcome)")
      #expect(try Self.page("\(name).html", in: folder).contains(text))
    }
  }

  @Test func `a page shows nothing secret of an address in an option`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3), to: "data.json")
    let outcome = try importer.run(
      ["--source=https://me:s3cret@example.org/x?key=s3cret", "--html", "p.html", "data.json"],
      in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let page = try Self.page("p.html", in: folder)
    #expect(page.contains("…@example.org/x?key=…") && !page.contains("s3cret"))
  }

  @Test func `a page of a difference is as private as both stores`() throws {
    let folder = try ScratchFolder()
    for (name, count, mode) in [("old", 3, 0o600), ("new", 5, 0o644)] as [(String, Int, UInt32)] {
      try folder.write(ImportToolTests.array(0..<count), to: "data.json")
      #expect(
        try importer.run(["-s", "\(name).sqlite", "data.json"], in: folder.path).exitCode == 0)
      #expect(unsafe chmod(folder.file("\(name).sqlite"), mode) == 0)
    }
    let outcome = try exporter.run(
      ["--diff", "old.sqlite", "new.sqlite", "--html", "d.html"], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(Files.mode(of: folder.file("d.html")) == 0o600)
  }

  @Test func `a deduplication that has no page is refused before it removes rows`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3), to: "data.json")
    #expect(try importer.run(["data.json"], in: folder.path).exitCode == 0)
    let made = try Tool(path: "/usr/bin/env").run(
      ["sqlite3", "poi.sqlite", "CREATE TABLE own(k); INSERT INTO own VALUES (1), (1)"],
      in: folder.path)
    #expect(made.exitCode == 0, "\(made)")
    let html = ["--html", "page.html"]
    for arguments in [["--dry-run"], ["--undo"], ["--digest"], ["-t", "own", "-k", "k"]] {
      let outcome = try deduplicator.run(arguments + html, in: folder.path)
      #expect(outcome.exitCode == 64 && outcome.messages.contains("--html"), "\(outcome)")
    }
    let plan = try deduplicator.run(["-t", "own", "-k", "k", "-n"], in: folder.path)
    #expect(plan.output.contains("losers  1"), "\(plan)")
    #expect(!Files.names(in: folder.path).contains("page.html"))
  }

  @Test func `a page is as private as the store, and replaces an older one`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3), to: "data.json")
    for round in 0..<2 {
      let outcome = try Tool(path: "/bin/sh").run(
        [
          "-c", "umask \(round == 0 ? "077" : "000"); exec \"$0\" --html p.html data.json",
          importer.path,
        ],
        in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(Files.mode(of: folder.file("p.html")) == 0o600)
    }
    #expect(try Self.page("p.html", in: folder).contains("run 2,"))
    let dry = try importer.run(["-n", "--html", "p.html", "data.json"], in: folder.path)
    #expect(dry.exitCode == 0, "\(dry)")
    #expect(try Self.page("p.html", in: folder).contains("valid <b>3</b>"))
    #expect(!Files.names(in: folder.path).contains { $0.contains("partial") })
  }
}
