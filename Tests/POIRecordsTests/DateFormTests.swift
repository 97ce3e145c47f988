import JSONStreaming
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Dates and instants of other forms than RFC 3339, in records and models.
@Suite struct DateFormTests {
  private static func dateTime(_ pattern: String, _ more: String = "") -> String {
    #""type":"string","format":"date-time","x-date-pattern":"\#(pattern)"\#(more)"#
  }

  /// 2024-02-29T12:30:00Z
  private static let stored = ["1709209800000000"]

  @Test(arguments: [
    (#""2024-02-29T05:30:00-0700""#, dateTime("iso8601")),
    (#""2024-02-29 12:30:00+00""#, dateTime("iso8601")),
    (#""2024-02-29T13:30:00""#, dateTime("iso8601", #","x-zone":"+01:00""#)),
    (#""Thu, 29 Feb 2024 12:30:00 GMT""#, dateTime("rfc2822")),
    (#""Thu Feb 29 12:30:00 +0000 2024""#, dateTime("EEE MMM dd HH:mm:ss Z yyyy")),
    (#""29.2.2024 12:30""#, dateTime("d.M.yyyy HH:mm")),
    (#""29.2.2024 14:30""#, dateTime("d.M.yyyy HH:mm", #","x-zone":"+02:00""#)),
    (#""1709209800""#, #""type":"integer","x-unit":"seconds","x-lenient":true"#),
    (#""1709209800000""#, #""type":"integer","x-unit":"milliseconds","x-lenient":true"#),
    ("1709209800", #""type":"integer","x-unit":"seconds","x-lenient":true"#),
  ])
  func `every form of an instant is stored alike`(value: String, schema: String) throws {
    #expect(try FeedStore.imported(value, as: schema) == Self.stored)
  }

  @Test func `a date is stored as ISO 8601 writes it, whatever its pattern`() throws {
    let schema = #""type":["string","null"],"format":"date","x-date-pattern":"M/d/yyyy""#
    #expect(try FeedStore.imported(#""2/9/2024""#, as: schema) == ["'2024-02-09'"])
    #expect(try FeedStore.imported(#""1/1/0007""#, as: schema) == ["'0007-01-01'"])
    #expect(try FeedStore.imported("null", as: schema) == ["NULL"])
    let withRule = schema + #","minLength":9"#
    #expect(
      try FeedStore.imported(#""2/9/2024""#, as: withRule) == [
        #""2/9/2024" has fewer than 9 characters"#
      ])
    #expect(try FeedStore.imported(#""12/31/2024""#, as: withRule) == ["'2024-12-31'"])
  }

  @Test(arguments: [
    (
      #""yesterday""#, dateTime("iso8601"),
      #""yesterday" is not a date-time such as 2024-02-29T12:30:00+0100"#
    ),
    (
      #""2024-02-29T12:30:00""#, dateTime("iso8601"),
      #""2024-02-29T12:30:00" has no zone; the model names one with "x-zone""#
    ),
    (
      #""2 Oct 2002 13:00 CET""#, dateTime("rfc2822"),
      #""2 Oct 2002 13:00 CET" is not a date-time such as Thu, 29 Feb 2024 12:30:00 GMT"#
    ),
    (
      #""30.02.2024 10:00""#, dateTime("dd.MM.yyyy HH:mm"),
      #""30.02.2024 10:00" is not a date-time of the pattern dd.MM.yyyy HH:mm"#
    ),
    (
      #""2024-02-29""#, #""type":"string","format":"date","x-date-pattern":"dd.MM.yyyy""#,
      #""2024-02-29" is not a date of the pattern dd.MM.yyyy"#
    ),
    (
      #""0000-01-01T00:00:00+0100""#, dateTime("iso8601"),
      #""0000-01-01T00:00:00+0100" is outside the years 0 to 9999 in UTC"#
    ),
    // Without a pattern RFC 3339 is required, and the message names the pattern.
    (
      #""2024-02-29T05:30:00-0700""#, #""type":"string","format":"date-time""#,
      #""2024-02-29T05:30:00-0700" is not a date-time such as 2024-02-29T12:30:00Z; the model reads it with "x-date-pattern": "iso8601""#
    ),
    (
      #""Thu, 29 Feb 2024 12:30:00 GMT""#, #""type":"string","format":"date-time""#,
      #""Thu, 29 Feb 2024 12:30:00 GMT" is not a date-time such as 2024-02-29T12:30:00Z; the model reads it with "x-date-pattern": "rfc2822""#
    ),
    (
      #""Thu Feb 29 12:30:00 +0000 2024""#, #""type":"string","format":"date-time""#,
      #""Thu Feb 29 12:30:00 +0000 2024" is not a date-time such as 2024-02-29T12:30:00Z; the model reads it with "x-date-pattern": "EEE MMM dd HH:mm:ss Z yyyy""#
    ),
    (
      #""29.02.2024""#, #""type":"string","format":"date""#,
      #""29.02.2024" is not a date such as 2024-02-29"#
    ),
  ])
  func `another text is rejected with the form that is expected`(
    value: String, schema: String, message: String
  ) throws {
    #expect(try FeedStore.imported(value, as: schema) == [message])
  }

  @Test(arguments: [
    (#""type":"string","x-date-pattern":"iso8601""#, #"needs "format""#),
    (#""type":"integer","x-unit":"seconds","x-date-pattern":"iso8601""#, #"needs "format""#),
    (#""type":"string","format":"time","x-date-pattern":"iso8601""#, #"needs "format""#),
    (#""type":"string","format":"date","x-date-pattern":5"#, "5 is not a text"),
    (#""type":"string","format":"date","x-date-pattern":"iso8601""#, "has a time"),
    (#""type":"string","format":"date","x-date-pattern":"dd.MM.yyyy HH""#, "has a time"),
    (
      #""type":"string","format":"date","x-date-pattern":"dd.MM.YYYY""#,
      #""YYYY" is not a part that can be read"#
    ),
    (
      #""type":"string","format":"date-time","x-zone":"UTC","x-date-pattern":"yyyy-MM-dd HH z""#,
      #"remove "x-zone""#
    ),
  ])
  func `a model with a wrong pattern is refused with the reason`(schema: String, reason: String) {
    let error = #expect(throws: ModelError.self) {
      try Model(parsing: #"{"x-table":"t","properties":{"a":{\#(schema)}}}"#)
    }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.pointer.hasPrefix("/properties/a/x-") == true)
  }

  @Test func `a patterned attribute can be timestamp and key, and a later model may drop it`()
    throws
  {
    let document = #"""
      {"x-table":"t","x-key":"day","x-timestamp":"at","properties":{
        "day":{"type":"string","format":"date","x-date-pattern":"dd.MM.yyyy"},
        "at":{"type":"string","format":"date-time","x-date-pattern":"rfc2822"},
        "n":{"type":"integer"}}}
      """#
    let store = try MergeStore(document)
    _ = try store.run(
      [
        #"{"day":"29.02.2024","at":"Thu, 29 Feb 2024 12:30:00 GMT","n":1}"#,
        #"{"day":"29.02.2024","at":"Thu, 29 Feb 2024 12:30:00 EST","n":2}"#,
      ], .newest)
    let plain = try MergeStore(
      document.replacing(#","x-date-pattern":"dd.MM.yyyy""#, with: "")
        .replacing(#","x-date-pattern":"rfc2822""#, with: ""), store: store.store)
    #expect(try plain.digest() == store.digest())
    _ = try plain.run([#"{"day":"2024-02-29","at":"2024-02-29T17:29:59Z","n":3}"#], .newest)
    #expect(try plain.rows("SELECT day, at, n FROM t") == ["2024-02-29|1709227800000000|2"])
    #expect(try plain.store.token(of: plain.model) == "2024-02-29T17:30:00.000000Z\t2024-02-29")
  }

  @Test func `both tools read the same times, and each comes out as it came`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var records: [String] = []
    var newest: [String: (Int64, String)] = [:]
    for number in 0..<300 {
      let time = RandomTime(using: &generator)
      let text = time.texts.randomElement(using: &generator) ?? ""
      let id = "\(number % 100)"
      let record = #"{"id":"\#(id)","at":"\#(text)"}"#
      records.append(record)
      if time.microseconds > newest[id]?.0 ?? -1 { newest[id] = (time.microseconds, record) }
    }
    let expected = newest.values.map(\.1).sorted()
    let model = try Model(
      parsing:
        #"{"x-table":"t","x-key":"id","x-timestamp":"at","properties":{"id":{"type":"string"},"#
        + #""at":{"type":"string","format":"timestamp"}}}"#)
    for policy in [MergePolicy.newest, .append] {
      let store = try Store.inMemory()
      var options = ImportOptions()
      options.mergePolicy = policy
      options.maximumSkew = nil
      let report = try store.importRecords(
        from: .text(records.joined(separator: "\n")), model: model, options: options)
      #expect(report.counters.rejected == 0, "seed \(seed)")
      if policy == .append {
        _ = try store.deduplicate(Deduplicator(layout: store.layout()), clock: someInstant)
      }
      var text = ""
      try store.export { text += String(copying: $0) }
      #expect(text.split(separator: "\n").map(String.init).sorted() == expected, "seed \(seed)")
    }
  }
}
