import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Relations to one with a plain value, such as the name of a region.
@Suite struct PlainRelationTests {
  private static func feed(
    _ attributes: String, root: String = ""
  ) throws -> FeedStore {
    try FeedStore(Model(parsing: #"{"x-table":"t","properties":{\#(attributes)}\#(root)}"#))
  }

  private static let region =
    #""region":{"type":["string","null"],"maxLength":9,"#
    + #""x-relation":{"table":"area","unique":"name"}}"#

  @Test func `each value is one row, however many records have it`() throws {
    let feed = try Self.feed(#""id":{"type":"integer"},"# + Self.region)
    let report = try feed.take(
      #"""
      {"id":1,"region":"North"}
      {"id":2,"region":"South"}
      {"id":3,"region":"North"}
      {"id":4,"region":null}
      {"id":5}
      """#)
    #expect(report.counters.inserted == 5)
    #expect(try feed.rows("SELECT * FROM area") == ["1|North", "2|South"])
    #expect(try feed.rows("SELECT id, region FROM t") == ["1|1", "2|2", "3|1", "4|", "5|"])
    #expect(
      try feed.rows("SELECT id, region FROM poikit_readable_t WHERE id < 4")
        == ["1|North", "2|South", "3|North"])
    #expect(
      try feed.rows(
        """
        SELECT "table", "from", "to" FROM pragma_foreign_key_list('t')
        """) == ["area|region|poikit_id"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `a related row that an instant identifies is shown as text`() throws {
    let feed = try Self.feed(
      #"""
      "id":{"type":"integer"},
      "day":{"type":["string","null"],"format":"date-time","x-relation":{"table":"day","unique":"at"}},
      "stay":{"type":["object","null"],"x-relation":{"table":"stay","unique":["at","room"]},
       "required":["at","room"],
       "properties":{"at":{"type":"integer","x-unit":"seconds"},"room":{"type":"integer"}}}
      """#)
    try feed.take(
      #"""
      {"id":1,"day":"2024-01-01T00:00:00Z","stay":{"at":-1,"room":7}}
      {"id":2,"day":"1969-12-31T23:59:59.5Z"}
      {"id":3}
      """#)
    #expect(
      try feed.rows(
        """
        SELECT id, day, "stay.at", "stay.room" FROM poikit_readable_t ORDER BY id
        """) == [
          "1|2024-01-01T00:00:00.000000Z|1969-12-31T23:59:59.000000Z|7",
          "2|1969-12-31T23:59:59.500000Z||", "3|||",
        ])
  }

  @Test func `a plain value and an object of it end in the same store`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let values = (0..<200).map { _ in
      ["\"a\"", "\"A\"", "\"\\u00e9\"", "\"e\\u0301\"", "\"\"", "null", "7"]
        .randomElement(using: &generator)!
    }
    let plain = try Self.feed(Self.region)
    let object = try Self.feed(
      #""region":{"type":["object","null"],"x-relation":{"table":"area","unique":"name"},"#
        + #""required":["name"],"properties":{"name":{"type":"string","maxLength":9}}}"#)
    let reports = try [
      plain.take(values.map { #"{"region":\#($0)}"# }.joined(separator: "\n")),
      object.take(
        values.map { $0 == "null" ? #"{"region":null}"# : #"{"region":{"name":\#($0)}}"# }
          .joined(separator: "\n")),
    ]
    #expect(reports[0].counters == reports[1].counters, "seed \(seed)")
    #expect(reports[0].digest == reports[1].digest, "seed \(seed)")
    for table in ["t", "area"] {
      #expect(
        try plain.rows("SELECT * FROM \(name: table)")
          == object.rows("SELECT * FROM \(name: table)"), "seed \(seed)")
    }
  }

  /// The members of an attribute, a value, and the related row or the violated rule.
  private static let values: [(members: String, value: String, expected: String)] = [
    (#""type":"integer""#, "12", "12"),
    (#""type":"integer","x-lenient":true"#, #""12""#, "12"),
    (#""type":"integer","x-unit":"seconds""#, "2", "2000000"),
    (#""type":"number""#, "1", "1.0"),
    (#""type":"boolean""#, "true", "1"),
    (
      #""type":"string","format":"uuid""#, #""0190163d-8694-739b-aea5-966c26f8ad91""#,
      "0190163D-8694-739B-AEA5-966C26F8AD91"
    ),
    (#""type":"string","format":"date-time""#, #""1970-01-01T00:00:01Z""#, "1000000"),
    (##""$ref":"#/$defs/short""##, #""abc""#, "abc"),
    (##""$ref":"#/$defs/short""##, #""abcd""#, "maxLength"),
    (#""type":"string","enum":["a"]"#, #""b""#, "enum"),
    (#""type":"string","pattern":"^a""#, #""b""#, "pattern"),
    (#""type":["string","null"],"enum":["a"]"#, "null", "enum"),
    (#""type":"string""#, "null", "type"),
    (#""type":"string""#, #"{"name":"a"}"#, "type"),
    (#""type":"string""#, "5", "type"),
    (#""type":"string""#, #""a\u0000""#, "nul"),
    (#""type":"string""#, #""a","region":"b""#, "duplicate-key"),
    (#""type":"string""#, #""a","region":7"#, "duplicate-key"),
  ]

  @Test(arguments: values)
  func `a value has the types, forms and rules of the attribute`(
    members: String, value: String, expected: String
  ) throws {
    let feed = try Self.feed(
      #""region":{\#(members),"x-relation":{"table":"area","unique":"name"}}"#,
      root: #","$defs":{"short":{"type":"string","maxLength":3}}"#)
    let report = try feed.take(#"{"region":\#(value)}"#)
    if report.counters.inserted == 1 {
      #expect(try feed.rows("SELECT name FROM area") == [expected])
      #expect(try feed.digest() == report.digest)
    } else {
      #expect(report.rejectsByRule.map(\.rule) == [expected])
      #expect(try feed.rows("SELECT attribute FROM poikit_reject") == ["region"])
      #expect(try feed.rows("SELECT count(*) FROM area") == ["0"])
    }
  }

  @Test func `an object in place of the value is reported`() throws {
    let feed = try Self.feed(
      Self.region + #","name":{"type":"string","x-source":"/region/name"}"#)
    #expect(try feed.take(#"{"region":{"name":"a"}}"#).rejectsByRule.map(\.rule) == ["type"])
    #expect(try feed.take(#"{"region":null}"#).counters.inserted == 1)
  }

  @Test func `a plan names a related row by what identifies it`() throws {
    let feed = try Self.feed(
      #""id":{"type":"integer"},"# + Self.region
        + #","kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":["n","m"]},"#
        + #""required":["n","m"],"properties":{"n":{"type":"string"},"m":{"type":"integer"}}}"#)
    try feed.take(
      #"""
      {"id":1,"region":"North","kind":{"n":"a","m":7}}
      {"id":2,"region":"North","kind":{"n":"a","m":7}}
      {"id":3,"region":"South","kind":{"n":"a","m":7}}
      """#)
    let store = try Store(feed.path)
    let deduplicator = Deduplicator(
      layout: try store.layout(key: ["region", "kind"]), options: DeduplicationOptions())
    let plan = try store.plan(deduplicator)
    #expect(plan?.largestGroups.map(\.key) == [["North", "a, 7"]])
  }

  @Test func `a relation cannot be the timestamp`() throws {
    let feed = try Self.feed(#""id":{"type":"integer"},"# + Self.region)
    try feed.take(#"{"id":1,"region":"North"}"#)
    let store = try Store(feed.path)
    #expect(throws: StoreError.self) { try store.layout(key: ["id"], timestamp: "region") }
  }

  @Test func `a conflict of an enforced relation quotes its value`() throws {
    let feed = try Self.feed(#""id":{"type":"integer"},"# + Self.region)
    try feed.take(#"{"id":1,"region":"North"}"#)
    try feed.enforce(["region"])
    var options = ImportOptions()
    options.mergePolicy = .error
    let error = #expect(throws: StoreError.self) {
      try feed.take(#"{"id":2,"region":"North"}"#, options: options)
    }
    #expect(error?.message.contains(#"the key "North" is the key of row 1 of t"#) == true)
  }

  @Test func `the message about a relation's types includes null`() throws {
    let feed = try Self.feed(Self.region)
    try feed.take(#"{"region":5}"#)
    #expect(
      try feed.rows("SELECT message FROM poikit_reject") == ["5 is not of type string or null"])
  }

  /// Whether the relation's table gets a new row after the row that a loser named is deleted.
  @Test(arguments: [false, true])
  func `a restored row refers to the same row as before`(isFilled: Bool) throws {
    let feed = try Self.feed(
      #""id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},"# + Self.region,
      root: #","x-key":"id","x-timestamp":"at""#)
    try feed.take(
      #"{"id":1,"at":2,"region":"New"}"# + "\n" + #"{"id":1,"at":1,"region":"Old"}"#)
    try feed.deduplicate()
    try feed.execute("DELETE FROM area WHERE name = 'Old'")
    if isFilled { try feed.take(#"{"id":2,"at":1,"region":"Other"}"#) }
    let undone = try Store(feed.path).undo()
    #expect(undone.restoredRowCount == 1 && undone.danglingRowCount == 1)
    #expect(
      try feed.rows("SELECT region FROM poikit_readable_t WHERE id = 1 ORDER BY at") == ["", "New"])
  }

  @Test func `a missing required value is reported once`() throws {
    let feed = try Self.feed(
      Self.region.replacing(#"["string","null"]"#, with: #""string""#),
      root: #","required":["region"]"#)
    #expect(try feed.take("{}").rejectsByRule.map(\.rule) == ["required"])
    #expect(try feed.rows("SELECT message FROM poikit_reject") == ["the attribute is missing"])
  }

  @Test(arguments: [
    ("/a/b", #"[{"a":{"b":"North"}}]"#), ("/a/0", #"[{"a":["North"]}]"#),
    ("0#", #"{"North":{}}"#),
  ])
  func `a value is read from its source`(source: String, input: String) throws {
    let feed = try Self.feed(
      #""region":{"type":"string","x-source":"\#(source)","#
        + #""x-relation":{"table":"area","unique":"name"}}"#)
    var options = ImportOptions()
    options.pointer = ""
    #expect(try feed.take(input, options: options).counters.inserted == 1)
    #expect(try feed.rows("SELECT region FROM poikit_readable_t") == ["North"])
  }

  /// Reads the text of the region.
  private struct Reader: RecordValidator {
    func issues(in record: borrowing RecordView) -> [POIKit.Issue] {
      [POIKit.Issue(rule: record.text("region") ?? "-", attribute: nil, message: "")]
    }
  }

  @Test func `a validator sees the value`() throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{\#(Self.region)}}"#)
    var session = try ImportSession(checking: model, validators: [Reader()])
    try session.append(Array(#"[{"region":"North"},{"region":null}]"#.utf8).span)
    #expect(try session.finish().rejectsByRule.map(\.rule).sorted() == ["-", "North"])
  }
}
