import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct RuleCheckerTests {
  /// The rejects and the rows of records, given a model's attributes.
  private func report(
    on records: String, properties: String, root: String = "", depth: Int = 128
  ) throws -> ImportReport {
    let model = try Model(
      parsing: #"{"x-table":"t","properties":\#(properties)\#(root)}"#)
    var options = ImportOptions()
    options.pointer = ""
    options.limits.depth = depth
    var session = try ImportSession(checking: model, options: options)
    let bytes = Array(records.utf8)
    try session.append(bytes.span)
    return try session.finish()
  }

  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func `a value with rules is checked 512 levels deep`() throws {
    let accepted = try report(
      on: #"[{"a":\#(nested(512))}]"#, properties: #"{"a":{"uniqueItems":true}}"#, depth: 4000)
    #expect(accepted.counters.inserted == 1)
    let rejected = try report(
      on: #"[{"a":\#(nested(513))}]"#, properties: #"{"a":{"uniqueItems":true}}"#, depth: 4000)
    #expect(rejected.rejectsByRule.map(\.rule) == ["depth"])
    let unruled = try report(
      on: #"[{"a":\#(nested(3000))}]"#, properties: #"{"a":{"type":"array"}}"#, depth: 4000)
    #expect(unruled.counters.inserted == 1)
  }

  @Test func `a text is not too long for its pattern, and not matched if its length is wrong`()
    throws
  {
    let pattern = #""type":"string","pattern":"^[^@]+@.*\\..{2,63}$""#
    let long = "a@" + String(repeating: "b.", count: 500_000)
    for (attribute, text, rules) in [
      (pattern, long, ["pattern-steps"]), (pattern + #","maxLength":99"#, long, ["maxLength"]),
      (pattern, String(long.prefix(50_000)), []), (pattern, "a.b", ["pattern"]),
      (#""type":"string","pattern":"^[a-z@.]*$""#, long, []),
    ] {
      let report = try report(on: #"[{"a":"\#(text)"}]"#, properties: #"{"a":{\#(attribute)}}"#)
      #expect(report.rejectsByRule.map(\.rule) == rules)
    }
    // All texts of a record share the steps, in each array, too.
    let texts = Array(repeating: #""\#(long.prefix(50_000))""#, count: 10).joined(separator: ",")
    for items in [
      #"{"items":{\#(pattern)}}"#,
      #"{"type":"array","items":{\#(pattern)},"x-relation":{"table":"u","unique":"name","join":"t_u"}}"#,
    ] {
      let report = try report(on: #"[{"a":[\#(texts)]}]"#, properties: #"{"a":\#(items)}"#)
      #expect(report.rejectsByRule.map(\.rule) == ["pattern-steps"])
    }
  }

  @Test func `an unmapped member is checked 512 levels deep`() throws {
    let root =
      ##","additionalProperties":{"$ref":"#/$defs/d"},"$defs":{"d":{"items":{"$ref":"#/$defs/d"}}}"##
    for (depth, rules) in [(512, []), (513, ["depth"]), (9_990, ["depth"])] {
      let report = try report(
        on: #"[{"x":\#(nested(depth))}]"#, properties: #"{"a":{}}"#, root: root, depth: 10_000)
      #expect(report.rejectsByRule.map(\.rule) == rules)
    }
    let unruled = try report(
      on: #"[{"x":\#(nested(3000))}]"#, properties: #"{"a":{}}"#,
      root: #","additionalProperties":{"type":"array"}"#, depth: 4000)
    #expect(unruled.counters.inserted == 1)
  }

  /// The schema of an attribute and other members of the root, and the rules that a deep record violates.
  @Test(arguments: [
    ("{}", #","minProperties":1,"maxProperties":2"#, []),
    ("{}", #","minProperties":2"#, ["minProperties"]),
    (#"{"minItems":1,"maxItems":1}"#, "", []), (#"{"minItems":2}"#, "", ["minItems"]),
    (#"{"minItems":1,"const":[]}"#, "", ["depth"]),
  ])
  func `a rule that counts what a value holds does not look inside`(
    schema: String, root: String, rules: [String]
  ) throws {
    let report = try report(
      on: #"[{"a":\#(nested(3000))}]"#, properties: #"{"a":\#(schema)}"#, root: root, depth: 4000)
    #expect(report.rejectsByRule.map(\.rule) == rules)
  }

  /// A model with a chain of definitions, each of which refers to the next one: too long for recursion.
  static func chain(linkCount: Int, from attribute: String) -> String {
    let links = (1..<linkCount).map { ##""d\##($0)":{"$ref":"#/$defs/d\##($0 + 1)"}"## }
    return ##"{"x-table":"t","properties":{"a":\##(attribute)},"$defs":{"##
      + links.joined(separator: ",") + ##","d\##(linkCount)":{"type":"string"}}}"##
  }

  @Test func `a long chain of references is followed to its end`() throws {
    let model = try Model(
      parsing: Self.chain(
        linkCount: 9_000, from: ##"{"type":"array","items":{"$ref":"#/$defs/d1"}}"##))
    var session = try ImportSession(checking: model)
    try session.append(Array(#"[{"a":["x"]},{"a":["x",1]}]"#.utf8).span)
    let report = try session.finish()
    #expect(report.counters.inserted == 1)
    #expect(report.rejectsByRule.map(\.rule) == ["type"])
  }

  @Test func `a member of a nested object that a rule names exists once`() throws {
    let report = try report(
      on: #"[{"a":{"b":1,"b":2}},{"a":{"c":1,"c":2}}]"#,
      properties: #"{"a":{"type":"object","properties":{"b":{}}}}"#)
    #expect(report.rejectsByRule.map(\.rule) == ["duplicate-key"])
    #expect(report.counters.inserted == 1)
  }

  @Test(arguments: [
    (#"{"multipleOf":0.1}"#, "0.3", true), (#"{"multipleOf":0.1}"#, "0.35", false),
    (#"{"multipleOf":0.01}"#, "4.35", true), (#"{"multipleOf":3}"#, "1e30", false),
    (#"{"multipleOf":25}"#, "1e30", true),
    (#"{"multipleOf":7}"#, "700000000000000000000000000000000000007", true),
    (#"{"multipleOf":7}"#, "700000000000000000000000000000000000008", false),
    (#"{"multipleOf":0.5}"#, "-12345678901234567890123.5", true),
    (#"{"multipleOf":0.5}"#, "-12345678901234567890123.25", false),
    (#"{"multipleOf":1e10}"#, "12e9", false), (#"{"multipleOf":1e10}"#, "30000000000", true),
    (#"{"multipleOf":9999999999999999999}"#, "99999999999999999990", true),
    (#"{"multipleOf":9}"#, "0.000", true),
    (#"{"const":0.1}"#, "0.10000000000000000001", false), (#"{"const":0.1}"#, "100e-3", true),
    (#"{"const":100000000000000000000001}"#, "1.00000000000000000000001e23", true),
    (#"{"const":100000000000000000000001}"#, "1.00000000000000000000002e23", false),
    (#"{"const":100000000000000000000001}"#, "1.000000000000000000000010000e23", true),
    (#"{"const":1e400}"#, "10e399", true), (#"{"const":-0.0}"#, "0", true),
    (#"{"type":"integer"}"#, "1e400", true), (#"{"type":"integer"}"#, "1.5e1", true),
    (#"{"type":"integer"}"#, "12345678901234567890.5", false),
    (#"{"type":"integer"}"#, "1.23456789012345678901e20", true),
    (#"{"type":"integer"}"#, "1.234567890123456789012e20", false),
    (#"{"maximum":1e300}"#, "1e400", false), (#"{"minimum":-1e300}"#, "-1e400", false),
    (#"{"uniqueItems":true}"#, "[1e400,1e401]", true),
    (#"{"uniqueItems":true}"#, "[1e400,10e399]", false),
    (#"{"uniqueItems":true}"#, #"[{"a":1,"a":1},{"a":1,"b":1}]"#, true),
    (#"{"minLength":2}"#, #""é""#, false), (#"{"maxLength":1}"#, #""\ud83d\ude00""#, true),
  ])
  func `numbers inside a value are compared exactly`(
    _ schema: String, _ value: String, _ isAccepted: Bool
  ) throws {
    let report = try report(
      on: #"[{"a":[\#(value)]}]"#, properties: #"{"a":{"items":\#(schema)}}"#)
    #expect((report.counters.inserted == 1) == isAccepted)
  }

  @Test func `a message names the place inside the attribute`() throws {
    let model = try Model(
      parsing:
        #"{"x-table":"t","properties":{"a":{"properties":{"b/c":{"items":{"required":["d"]}}}}}}"#)
    let (_, rows) = try ImportFixture.importText(
      #"[{"a":{"b/c":[{"d":1},{"e":"x"}]}}]"#, model: model)
    #expect(rows[0].contains(#"/b~1c/1: {\"e\":\"x\"} lacks the member \"d\""#), "\(rows)")
  }

  @Test func `defaults fill what is absent, and not what is null`() throws {
    let properties = #"""
      {"a":{"type":["string","null"],"default":"x"},"b":{"type":"integer","default":7},
      "c":{"type":"object","default":{"d":[1, 2]}},
      "e":{"type":["string","null"],"format":"uuid",
      "default":"1975db51-5a45-4fd6-ac54-46ca6042c710"},
      "f":{"type":["string","null"],"default":null}}
      """#
    let model = try Model(parsing: #"{"x-table":"t","properties":\#(properties)}"#)
    let (_, rows) = try ImportFixture.importText(
      #"[{},{"a":null,"b":1,"c":{},"e":null},{"a":"y","b":2}]"#, model: model)
    #expect(
      rows == [
        #"1|x|7|{"d":[1,2]}|1975DB51-5A45-4FD6-AC54-46CA6042C710|NULL"#, "2|NULL|1|{}|NULL|NULL",
        #"3|y|2|{"d":[1,2]}|1975DB51-5A45-4FD6-AC54-46CA6042C710|NULL"#,
      ])
  }

  @Test func `a default does not satisfy what another attribute needs`() throws {
    let report = try report(
      on: #"[{"a":1},{"a":1,"b":2}]"#, properties: #"{"a":{},"b":{"default":2}}"#,
      root: #","dependentRequired":{"a":["b"]}"#)
    #expect(report.rejectsByRule.map(\.rule) == ["dependentRequired"])
    #expect(report.counters.inserted == 1)
  }

  @Test func `a root schema of other members checks each of them, and they are kept`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-unmapped-column":"more","properties":{"a":{}},
        "additionalProperties":{"type":"integer"}}
        """#)
    let (report, rows) = try ImportFixture.importText(
      #"[{"a":"x","b":1},{"a":"x","b":"1"}]"#, model: model)
    #expect(rows[0] == #"1|x|{"b":1}"#)
    #expect(report.rejectsByRule.map(\.rule) == ["type"])
  }

  /// Two values, and whether they are equal. Repeated names are compared in their order.
  @Test(arguments: [
    (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, true), (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#, true),
    (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#, false), (#"{"a":1,"a":1}"#, #"{"a":1,"b":1}"#, false),
    (#"{"a":1,"b":0,"a":2}"#, #"{"b":0,"a":1,"a":2}"#, true),
    (#"{"a":1,"b":0,"a":2}"#, #"{"a":2,"b":0,"a":1}"#, false),
    (#"{"a":1,"a":1,"b":1}"#, #"{"a":1,"a":2,"b":1}"#, false),
    (#"{"a":1,"a":1,"b":1}"#, #"{"a":1,"b":1,"b":1}"#, false),
  ])
  func `objects are equal by their members in any order, even if names repeat`(
    _ left: String, _ right: String, areEqual: Bool
  ) throws {
    for pair in ["[\(left),\(right)]", "[\(right),\(left)]", "[0,\(right),1,\(left)]"] {
      let report = try report(
        on: #"[{"a":\#(pair)}]"#, properties: #"{"a":{"uniqueItems":true}}"#)
      #expect(report.rejectsByRule.map(\.rule) == (areEqual ? ["uniqueItems"] : []), "\(pair)")
    }
  }

  @Test func `a name that repeats on each of many levels costs no more than its bytes`() throws {
    var value = "1"
    for _ in 0..<100 { value = #"{"n":1,"n":1,"v":\#(value)}"# }
    let report = try report(
      on: #"[{"a":[\#(value),\#(value)]}]"#, properties: #"{"a":{"uniqueItems":true}}"#)
    #expect(report.rejectsByRule.map(\.rule) == ["uniqueItems"])
  }

  /// A model's attribute and a value of it with 20,000 flaws.
  @Test(arguments: [
    (#"{"items":{"type":"string"}}"#, "[" + repeated("1", 20_000) + "]"),
    (
      #"{"items":{"type":"array","items":{"enum":[1,2,3]}}}"#,
      "[" + repeated("[4,5,6,7]", 5_000) + "]"
    ),
    (#"{"additionalProperties":{"maximum":3}}"#, "{" + repeated(#""m":4"#, 9_999) + "}"),
    (
      #"{"additionalProperties":true,"properties":{"m":{}}}"#,
      "{" + repeated(#""m":4"#, 9_999) + "}"
    ),
  ])
  func `a record that is wrong everywhere has 100 issues`(schema: String, value: String) throws {
    #expect(try issues(of: #"{"a":\#(value)}"#, properties: #"{"a":\#(schema)}"#).count == 100)
  }

  /// A model's attributes, and members that a record has 3,000 times.
  @Test(arguments: [
    (#"{"a":{"type":"integer"}}"#, #""a":1"#), (#"{"a":{"type":"integer"}}"#, #""a":"x""#),
    (#"{"a":{"items":{"type":"string"}}}"#, #""a":[1,"x",2]"#),
    (#"{"a":{"x-source":"/o/a"}}"#, #""o":{}"#), (#"{"a":{"x-source":"/o/a"}}"#, #""o":1"#),
    (related, #""a":[{"v":1}]"#), (related, #""a":1"#),
  ])
  func `an attribute that repeats many times has 100 issues`(
    properties: String, member: String
  ) throws {
    let record = "{" + Self.repeated(member, 3_000) + "}"
    #expect(try issues(of: record, properties: properties).count == 100)
  }

  @Test func `attributes that repeat many times have the first 100 issues reported`() throws {
    let record = "{" + Self.repeated(#""a":1,"b":1,"o":{}"#, 3_000) + "}"
    let issues = try issues(
      of: record, properties: #"{"a":{},"b":{"type":"string"},"c":{"x-source":"/o/c"}}"#)
    #expect(issues.filter { $0["attribute"] == .string("a") }.count == 33)
    #expect(issues.filter { $0["attribute"] == .string("b") }.count == 34)
    #expect(issues.count == 100)
  }

  /// The schemas of attributes, and their values in a record, if any.
  @Test(arguments: [
    (#"{"type":"integer"}"#, nil), (#"{"type":"integer"}"#, #""x""#),
    (#"{"type":"string","minLength":2}"#, #""x""#),
  ])
  func `a record that is wrong in 150 attributes has 100 issues`(
    schema: String, value: String?
  ) throws {
    let names = (0..<150).map { "a\($0)" }
    let properties = names.map { "\"\($0)\":\(schema)" }
    let required = names.map { "\"\($0)\"" }.joined(separator: ",")
    let members = value.map { value in names.map { "\"\($0)\":\(value)" } } ?? []
    let issues = try issues(
      of: "{\(members.joined(separator: ","))}",
      properties: "{\(properties.joined(separator: ","))}",
      root: #","required":[\#(required)]"#)
    #expect(issues.count == 100)
    #expect(Set(issues.map { $0["attribute"]?.string }).count == 100)
    if value == nil { #expect(issues.allSatisfy { $0["rule"] == .string("required") }) }
  }

  @Test func `a record that is wrong in several relations has 100 issues`() throws {
    let names = (0..<50).map { "a\($0)" }
    let properties = names.map {
      #"""
      "\#($0)":{"type":"array","items":{"type":"integer"},
       "x-relation":{"table":"t_\#($0)","unique":"v"}}
      """#
    }
    let members = names.map { "\"\($0)\":[\"x\",1,\"y\",\"z\"]" }
    let issues = try issues(
      of: "{\(members.joined(separator: ","))}",
      properties: "{\(properties.joined(separator: ","))}")
    #expect(issues.count == 100)
    #expect(issues.last?["attribute"] == .string("a33/0"))
  }

  /// A model's attributes, a record, and the violated rules.
  @Test(arguments: [
    (#""a":{"type":"integer"},"b":{}"#, "{}", ["required a"]),
    (#""a":{"type":"integer"},"b":{}"#, #"{"a":"x"}"#, ["type a"]),
    (#""a":{"type":"integer"},"b":{}"#, #"{"a":"x","b":1}"#, ["type a"]),
    (#""a":{"type":"integer"},"b":{}"#, #"{"b":1}"#, ["required a"]),
    (#""a":{"type":"integer","x-source":"/o/a"},"b":{}"#, #"{"o":1,"b":1}"#, ["type a"]),
    (
      #""a":{"type":"string","x-relation":{"table":"u","unique":"v"}},"b":{}"#, #"{"a":1}"#,
      ["type a"]
    ),
    (#""a":{"type":"array","items":{"type":"integer"}},"b":{}"#, #"{"a":["x"]}"#, ["type a"]),
  ])
  func `an attribute whose value broke a rule is not missing`(
    properties: String, record: String, expected: [String]
  ) throws {
    let issues = try issues(
      of: record, properties: "{\(properties)}",
      root: #","required":["a"],"dependentRequired":{"b":["a"]}"#)
    let told = issues.map { "\($0["rule"]?.string ?? "") \($0["attribute"]?.string ?? "")" }
    #expect(told == expected)
  }

  @Test func `an attribute that several others need is reported once`() throws {
    let issues = try issues(
      of: #"{"a":1,"b":1}"#, properties: #"{"a":{},"b":{},"c":{},"d":{}}"#,
      root: #","dependentRequired":{"a":["c"],"b":["c","d"]}"#)
    #expect(issues.map { $0["attribute"] } == [.string("c"), .string("d")])
  }

  @Test func `an element that is wrong everywhere has 100 issues`() throws {
    let element = "{" + Self.repeated(#""v":1,"w":1"#, 3_000) + "}"
    #expect(try issues(of: #"{"a":[\#(element)]}"#, properties: Self.related).count == 100)
  }

  /// A relation to many.
  private static let related = #"""
    {"a":{"type":"array","x-relation":{"table":"u","unique":"v"},"items":{"type":"object",
    "required":["v"],"properties":{"v":{"type":"integer"},"w":{}}}}}
    """#

  /// The issues of a record that is rejected.
  private func issues(
    of record: String, properties: String, root: String = ""
  ) throws -> [JSONValue] {
    let model = try Model(parsing: #"{"x-table":"t","properties":\#(properties)\#(root)}"#)
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.rejectFile = folder.file("bad")
    var session = try ImportSession(checking: model, options: options)
    try session.append(Array("[\(record)]".utf8).span)
    #expect(try session.finish().counters.rejected == 1)
    let line = try JSONValue(parsing: String(decoding: try folder.bytes("bad"), as: UTF8.self))
    return try #require(line["issues"]?.elements)
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    Array(repeating: text, count: count).joined(separator: ",")
  }

  @Test func `flaws in many attributes do not hide issues of the removal itself`() throws {
    let names = (0..<99).map { "a\($0)" }
    let properties = names.map { #""\#($0)":{"type":["integer","null"]}"# }.joined(separator: ",")
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","x-tombstone":{"attribute":"gone","removal":"delete"},
         "properties":{\#(properties),"id":{"type":"integer"},
          "gone":{"type":["boolean","null"]}}}
        """#)
    let flaws = names.map { #""\#($0)":"x""# }.joined(separator: ",")
    for (id, isAccepted) in [("1", true), (#""x""#, false)] {
      var session = try ImportSession(checking: model)
      try session.append(Array(#"{\#(flaws),"id":\#(id),"gone":true}"#.utf8).span)
      #expect(try session.finish().counters.rejected == (isAccepted ? 0 : 1))
    }
  }

  /// An attribute's schema, definitions that it refers to, a value, and the reported rules.
  @Test(arguments: [
    (#"{"pattern":"^a+$","maxLength":3}"#, "{}", #""bbbb""#, ["maxLength"]),
    (#"{"pattern":"^a+$","maxLength":3}"#, "{}", #""bbb""#, ["pattern"]),
    (#"{"type":"string","pattern":"a","format":"email"}"#, "{}", #""bb""#, ["pattern", "format"]),
    (
      #"{"items":{"pattern":"a","maxLength":3}}"#, "{}", #"["bbbb","b"]"#,
      ["maxLength", "pattern"]
    ),
    (
      ##"{"$ref":"#/$defs/d","maxLength":3}"##, #"{"d":{"pattern":"a"}}"#, #""bbbb""#,
      ["maxLength"]
    ),
    (
      ##"{"$ref":"#/$defs/d","pattern":"a"}"##, #"{"d":{"maxLength":3}}"#, #""bbbb""#,
      ["pattern", "maxLength"]
    ),
    (
      #"{"pattern":"\\d+$","maxLength":1000}"#, "{}",
      "\"" + String(repeating: "1", count: 200_000) + "x\"", ["maxLength"]
    ),
  ])
  func `a text has an issue for each rule of its schema that it violates`(
    schema: String, definitions: String, text: String, rules: [String]
  ) throws {
    let issues = try issues(
      of: #"{"a":\#(text)}"#, properties: #"{"a":\#(schema)}"#,
      root: #","$defs":\#(definitions)"#)
    #expect(issues.map { $0["rule"] } == rules.map { .string($0) })
  }

  @Test(arguments: [99, 100, 20_000])
  func `flaws elsewhere in a removal do not hide issues of the removal itself`(count: Int) throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","x-tombstone":{"attribute":"gone","removal":"delete"},
         "additionalProperties":false,"properties":{
          "id":{"type":"integer"},"gone":{"type":["boolean","null"]},
          "a":{"type":["array","null"],"items":{"type":"integer"}}}}
        """#)
    let flaws = Self.repeated(#""x""#, count)
    for (record, isAccepted) in [
      // With 100 issues, others may have been dropped.
      (#"{"id":1,"gone":true,"a":[\#(flaws)]}"#, count < 100),
      (#"{"id":1,"gone":true,"a":[\#(flaws)],"typo":1}"#, false),
      (#"{"id":1,"gone":true,"typo":1,"a":[\#(flaws)]}"#, false),
    ] {
      var session = try ImportSession(checking: model)
      try session.append(Array(record.utf8).span)
      #expect(try session.finish().counters.rejected == (isAccepted ? 0 : 1))
    }
  }

  @Test func `flaws elsewhere in a removal do not hide issues of the next record`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","x-tombstone":{"attribute":"gone","removal":"delete"},
         "properties":{"id":{"type":"integer"},"gone":{"type":["boolean","null"]},
          "a":{"type":["array","null"],"items":{"type":"integer"}}}}
        """#)
    var session = try ImportSession(checking: model)
    let flaws = Self.repeated(#""x""#, 99)
    try session.append(
      Array(#"[{"id":1,"gone":true,"a":[\#(flaws)]},{"id":2,"a":["x"]}]"#.utf8).span)
    #expect(try session.finish().counters.rejected == 1)
  }
}
