import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ModelTests {
  @Test func `the built-in model keeps every attribute of a point of interest`() throws {
    let model = Model.poi
    #expect(model.table == "poi")
    #expect(model.key == ["identifier"])
    #expect(model.timestamp == "updatedAt")
    #expect(
      model.attributes.map(\.column) == [
        "identifier", "name", "address", "city", "country", "information", "latitude", "longitude",
        "updatedAt", "category",
      ])
    #expect(model.attribute(named: "identifier")?.storage == .uuid)
    #expect(model.attribute(named: "latitude")?.storage == .real)
    #expect(
      model.attribute(named: "updatedAt")?.storage == .instant(.rfc3339(defaultOffsetMinutes: nil)))
    #expect(model.attribute(named: "category")?.relation?.table == "category")
  }

  @Test func `a model read from its own document is the same`() throws {
    let again = try Model(parsing: Model.poi.document)
    #expect(again.document == Model.poi.document)
  }

  @Test(arguments: [
    (#"{"type":["integer","boolean"]}"#, Attribute.Storage.integer),
    (#"{"type":["integer","number","null"]}"#, .real),
    (#"{"type":["object","null"]}"#, .json), (#"{"type":["object","array"]}"#, .json),
    (#"{"type":["string","integer"]}"#, .any), (#"{}"#, .any), ("true", .any),
    (
      #"{"type":"number","x-unit":"milliseconds"}"#,
      .instant(.sinceEpoch(microsecondsPerUnit: 1000))
    ),
    (
      #"{"type":"string","format":"date-time","x-zone":"-05:30"}"#,
      .instant(.rfc3339(defaultOffsetMinutes: -330))
    ),
    (#"{"type":"string","format":"date"}"#, .date(nil)),
  ])
  func `types and formats decide how a value is kept`(
    _ schema: String, _ storage: Attribute.Storage
  ) throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":\#(schema)}}"#)
    #expect(model.attributes[0].storage == storage)
  }

  @Test func `an array may be a relation to many, whose elements may have such arrays too`() throws
  {
    let model = try IssueTracker.model()
    #expect(model.attributes.map(\.name) == ["number", "title", "changed", "label"])
    #expect(model.relations.map(\.name) == ["tags", "comments"])
    #expect(
      model.relations.map(\.link) == [
        .join(table: "issue_tag", parentColumn: "issue", rowColumn: "tag"),
        .parent(column: "issue_id"),
      ])
    #expect(model.relations.map(\.isPlain) == [true, false])
    #expect(model.relations[1].element.relations.map(\.link) == [.parent(column: "comment")])
  }

  @Test(arguments: [
    (#""gone""#, "gone", Tombstone.Removal.mark, false),
    (#"{"attribute":"left"}"#, "left", .mark, false),
    (#"{"attribute":"gone","removal":"delete"}"#, "gone", .delete, false),
    (#"{"null":true,"removal":"delete"}"#, "", .delete, true),
    (#"{"null":true,"attribute":"gone"}"#, "gone", .mark, true),
  ])
  func `a tombstone is an attribute, a null record or either`(
    _ keyword: String, _ attribute: String?, _ removal: Tombstone.Removal, _ acceptsNullRecord: Bool
  ) throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","x-tombstone":\#(keyword),"required":["id"],"properties":{
         "id":{"type":"string","x-source":"0#"},"gone":{"type":["boolean","null"]},
         "left":{"type":"string","format":"date-time"}}}
        """#)
    #expect(model.tombstone?.attribute ?? "" == attribute)
    #expect(model.tombstone?.removal == removal)
    #expect(model.tombstone?.acceptsNullRecord == acceptsNullRecord)
  }

  @Test(arguments: [
    #"^[a-z]+(-[0-9]+)?$"#, #"^(\\+|\\*)+$"#, "^[(+*)]+$", "(ab){2,5}(c+){1,3}", "(a+)+$",
    "((x|[+*)])*b){2,}",
  ])
  func `repetitions are read, inside one another too`(_ pattern: String) throws {
    let document = #"{"x-table":"t","properties":{"a":{"type":"string","pattern":"\#(pattern)"}}}"#
    #expect(throws: Never.self) { _ = try Model(parsing: document) }
  }

  @Test func `an attribute has the keywords of itself and of its definition`() throws {
    let model = try Model(
      parsing: ##"""
        {
          "x-table": "t",
          "properties": {
            "a": { "$ref": "#/$defs/degrees", "maximum": 90, "type": ["number", "null"] },
            "b": { "$ref": "#/properties/a" }
          },
          "$defs": { "degrees": { "type": ["integer", "null"], "x-lenient": true, "minimum": 0 } }
        }
        """##)
    for attribute in model.attributes {
      #expect(attribute.types == [.integer, .null])
      #expect(attribute.storage == .integer)
      #expect(attribute.isLenient)
    }
  }

  @Test(arguments: [
    "{}", ##"{"$ref":"#/$defs/d1"}"##, ##"{"type":"array","items":{"$ref":"#/$defs/d1"}}"##,
  ])
  func `a long chain of definitions is read, whether it is used or not`(_ attribute: String) throws
  {
    let model = try Model(parsing: RuleCheckerTests.chain(linkCount: 9_000, from: attribute))
    // One schema for each, and some for the attribute.
    #expect(model.rules.schemas.count < 9_010)
  }

  @Test func `a reference may be written with percent signs`() throws {
    let model = try Model(
      parsing:
        ##"{"x-table":"t","properties":{"a":{"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{"type":"integer"}}}"##
    )
    #expect(model.attributes[0].storage == .integer)
  }

  @Test func `a schema may name very many members that need others`() throws {
    let pairs = (0..<9_000).map { "\"\($0)\":[\"\($0 + 1)\"]" }.joined(separator: ",")
    let model = try Model(
      parsing: #"""
        {"x-table":"t","properties":{"a":{"dependentRequired":{\#(pairs)},
         "properties":{"é":{"type":"integer"},"e\u0301":{"type":"string"}}}}}
        """#)
    let feed = try FeedStore(model)
    let report = try feed.take(
      """
      {"a":{"8999":0,"9000":0,"\u{e9}":1,"e\u{301}":"x"}}
      {"a":{"8998":0,"9000":0}}
      {"a":{"\u{e9}":"x"}}
      """)
    #expect(report.counters.inserted == 1)
    #expect(report.rejectsByRule.map(\.rule).sorted() == ["dependentRequired", "type"])
  }

  @Test func `attributes whose names are two normal forms of one text are two`() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    let model = try Model(
      parsing: """
        {"x-table":"t","x-key":"\(decomposed)","required":["\(decomposed)"],"properties":{
         "\(composed)":{"$ref":"#/$defs/\(composed)"},
         "\(decomposed)":{"$ref":"#/$defs/\(decomposed)","x-column":"second"},
         "list":{"type":"array","items":{"type":"string"},
          "x-relation":{"table":"entry","unique":"\(composed)"}}},
         "$defs":{"\(composed)":{"type":"string"},"\(decomposed)":{"type":"integer"}},
         "dependentRequired":{"\(composed)":["\(decomposed)"]}}
        """)
    #expect(model.attributes.map(\.types) == [.string, .integer])
    #expect(model.attributes.map(\.isRequired) == [false, true])
    #expect(model.attribute(named: decomposed)?.column == "second")
    #expect(model.recordRules.dependencies.map(\.attribute) == [0])
    #expect(model.recordRules.dependencies.map(\.needed) == [1])

    let feed = try FeedStore(model)
    var options = ImportOptions()
    options.mergePolicy = .newest
    let text = """
      {"\(composed)":"a","\(decomposed)":1}
      {"\(composed)":"a","\(decomposed)":2}
      {"\(composed)":"b"}
      """
    let report = try feed.take(text, options: options)
    #expect(report.counters.inserted == 2)
    #expect(report.rejectsByRule.map(\.rule) == ["required"])
    #expect(try feed.rows("SELECT \(name: composed), second FROM t ORDER BY 2") == ["a|1", "a|2"])
  }

  @Test func `members that no attribute maps are counted by their very names`() throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":{}}}"#)
    let report = try FeedStore(model).take("{\"\u{e9}\":1,\"e\u{301}\":1}\n{\"\u{e9}\":1}")
    #expect(report.unmappedMembers.map(\.count).sorted() == [1, 2])
  }

  @Test func `attributes come from one place if the scalars of its names are equal`() throws {
    let names = ["\u{e9}", "\u{e9}", "e\u{301}"]
    let sources = try names.map { name in
      try Model(parsing: #"{"x-table":"t","properties":{"\#(name)":{}}}"#).attributes[0].source
    }
    #expect(sources[0] == sources[1] && sources[0] != sources[2])
    #expect(sources[0] != .memberName)
    #expect(Set(sources).count == 2)
  }

  @Test func `models with the same content are equal`() throws {
    let models = try (0..<2).map { _ in
      try Model(parsing: #"{"x-table":"t","properties":{"a":{}}}"#)
    }
    #expect(models[0] == models[1] && models[0] != .poi)
    #expect(Set(models + [.poi]).count == 2)
  }
}
