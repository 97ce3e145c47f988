import POIKitTestSupport
import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// Dates and instants of other forms than RFC 3339, in proposals.
@Suite struct DateInferenceTests {
  @Test(arguments: [
    ("2024-02-29T12:30:00-0700", "2024-03-01T12:30:00Z", "iso8601", nil),
    ("2024-02-29 12:30:00.5+00", "2024-03-01 12:30:00+01", "iso8601", nil),
    ("20240229T123000", "2024-03-01 12:30", "iso8601", "UTC"),
    ("Thu, 29 Feb 2024 12:30:00 GMT", "1 Mar 2024 12:30 +0100", "rfc2822", nil),
    (
      "Thu Feb 29 12:30:00 +0000 2024", "Fri Mar 01 12:30:00 +0000 2024",
      "EEE MMM dd HH:mm:ss Z yyyy", nil
    ),
    ("2024-02-29T12:30:00Z", "2024-03-01T12:30:00Z", nil, nil),
  ])
  func `the pattern of all texts is inferred`(
    first: String, second: String, pattern: String?, zone: String?
  ) throws {
    let text = #"[{"id":1,"updated":"\#(first)"},{"id":2,"updated":"\#(second)"}]"#
    let document = try ModelInferenceTests.infer(text)
    let schema = try ModelInferenceTests.member("properties", "updated", of: document)
    #expect(schema?["format"]?.string == "date-time")
    #expect(schema?["x-date-pattern"]?.string == pattern)
    #expect(schema?["x-zone"]?.string == zone)
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
  }

  @Test func `mixed forms stay text, and so do digits of another meaning`() throws {
    for (first, second) in [
      ("2024-02-29T12:30:00-0700", "Thu, 29 Feb 2024 12:30:00 GMT"),
      ("2024-02-29T12:30:00-0700", "soon, at the end of the month"), ("20240229", "20240301"),
      ("202402291230", "202403011230"), ("1514764800", "15147648"),
    ] {
      let text = #"[{"id":1,"updated":"\#(first)"},{"id":2,"updated":"\#(second)"}]"#
      let document = try ModelInferenceTests.infer(text)
      let schema = try ModelInferenceTests.member("properties", "updated", of: document)
      #expect(schema?["type"]?.elements?.first?.string == "string")
      #expect(schema?["format"] == nil)
    }
  }

  @Test func `a column of any form comes out as it came, or as its standard writes it`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let times = [RandomTime(using: &generator), RandomTime(using: &generator)]
    for form in times[0].texts.indices {
      let texts = times.map { $0.texts[form] }
      let records = texts.map { #"{"updated":"\#($0)"}"# }.joined(separator: "\n")
      let model = try Model(parsing: ModelInferenceTests.infer(records))
      let store = try Store.inMemory()
      var options = ImportOptions()
      options.maximumSkew = nil
      try store.importRecords(from: .text(records), model: model, options: options)
      var exported = ""
      try store.export { exported += String(copying: $0) }
      let isInstant = model.hasInstants
      let lines = exported.split(separator: "\n").map { $0.dropFirst(12).dropLast(2) }
      #expect(lines.count == texts.count, "seed \(seed), \(texts)")
      for (line, (text, time)) in zip(lines, zip(texts, times)) {
        let read = Instant(timestamp: line.utf8Span.span)
        #expect(read?.microseconds == time.microseconds, "seed \(seed), \(text)")
        func hasZone(_ text: Substring) -> Bool {
          DatePattern.proposals.contains { $0.instant(text.utf8Span.span) != nil }
        }
        #expect(
          isInstant ? hasZone(line) == hasZone(text[...]) : line == text, "seed \(seed), \(text)")
      }
    }
  }

  @Test
  func `times with and without a zone in one column stay as they are, and can be the timestamp`()
    throws
  {
    let text =
      #"[{"id":1,"updated":"2026-03-01T12:00:00"},{"id":2,"updated":"20260301T120000Z"}]"#
    let document = try ModelInferenceTests.infer(text)
    let schema = try ModelInferenceTests.member("properties", "updated", of: document)
    #expect(schema?["format"]?.string == "timestamp")
    #expect(schema?["x-zone"] == nil)
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
  }

  @Test func `one instant of the year 9999 does not take the timestamp away`() throws {
    let records = (1...40).map {
      #"{"id":\#($0),"updated":"\#($0 == 7 ? "9999-12-31T23:59:59Z" : "2024-01-01T00:00:00Z")"}"#
    }
    let text = records.joined(separator: "\n")
    let document = try ModelInferenceTests.infer(text)
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
    #expect(try ModelInferenceTests.member("x-keeps-misfits", of: document) == .bool(true))
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
    let store = try Store.inMemory()
    try store.importRecords(from: .text(text), model: Model(parsing: document))
    var exported = ""
    try store.export { exported += String(copying: $0) }
    #expect(exported == text + "\n")
    #expect(try store.integer("SELECT count(*) FROM places WHERE updated IS NULL") == 1)
    let strict = try ModelInferenceTests.infer(text, isStrict: true)
    #expect(try ModelInferenceTests.member("x-timestamp", of: strict) == nil)
  }

  @Test func `numbers in text are inferred as instants if name and size fit`() throws {
    let text = #"[{"id":1,"updated":"1514764800","phone":"1514764800"}]"#
    let document = try ModelInferenceTests.infer(text)
    let schema = try ModelInferenceTests.member("properties", "updated", of: document)
    #expect(schema?["x-unit"]?.string == "seconds")
    #expect(schema?["x-lenient"] == .bool(true))
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
    #expect(
      try ModelInferenceTests.member("properties", "phone", "type", of: document)?.elements?.first?
        .string == "string")
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
  }

  @Test(.enabled(if: RealData.has("bench-json/twitter.json"), "needs bench-json"))
  func `the dates of real tweets are read`() throws {
    var inference = try ModelInference(options: ModelInferenceTests.options)
    var source = BytesSource(
      try RealData.bytes(of: "bench-json/twitter.json"), name: "twitter.json")
    try inference.read(from: &source)
    let document = try inference.finish()
    let schema = try ModelInferenceTests.member("properties", "created_at", of: document)
    #expect(schema?["x-date-pattern"]?.string == "EEE MMM dd HH:mm:ss Z yyyy")
  }

  @Test func `a date is inferred as the timestamp if its name says so`() throws {
    for (name, timestamp) in [
      ("date_refreshed", "date_refreshed"), ("updated", "updated"), ("date", nil), ("born", nil),
    ] {
      let document = try ModelInferenceTests.infer(
        #"[{"id":1,"\#(name)":"2024-02-29"},{"id":2,"\#(name)":"2024-03-01"}]"#)
      #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == timestamp)
    }
    let future = try ModelInferenceTests.infer(#"[{"id":1,"updated":"2999-02-28"}]"#)
    #expect(try ModelInferenceTests.member("x-timestamp", of: future) == nil)
  }
}
