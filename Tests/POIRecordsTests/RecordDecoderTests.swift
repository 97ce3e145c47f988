import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct RecordDecoderTests {
  private func check(_ records: String, properties: String, root: String = "") throws
    -> ImportReport
  {
    let model = try Model(parsing: #"{"x-table":"t","properties":{\#(properties)}\#(root)}"#)
    var session = try ImportSession(checking: model)
    try session.append(Array(records.utf8).span)
    return try session.finish()
  }

  /// The attributes of a model, a record, and the violated rules.
  @Test(arguments: [
    (#""a":{"x-source":"/o/a"}"#, #"{"o":{"a":1},"o":{"a":2}}"#, ["duplicate-key"]),
    (#""a":{"x-source":"/l/0/a"}"#, #"{"l":{"0":{"a":1}},"l":{}}"#, ["duplicate-key"]),
    (#""a":{"x-source":"/l/0/a"}"#, #"{"l":[{"a":1}],"l":[]}"#, ["duplicate-key"]),
    (#""a":{"x-source":"/l/0/a"}"#, #"{"l":[],"l":[{"a":1}]}"#, ["duplicate-key"]),
    (#""a":{"x-source":"/l/0/a"}"#, #"{"l":null,"l":[{"a":1}]}"#, ["duplicate-key"]),
    (#""a":{"x-source":"/o/a"}"#, #"{"o":5}"#, ["type"]),
    (#""a":{"x-source":"/o/a"}"#, #"{"o":"x"}"#, ["type"]),
    (#""a":{"x-source":"/o/a"}"#, #"{"o":null}"#, []),
    (
      #""a":{"type":"array","items":{"type":"integer"},"x-relation":{"table":"u","unique":"v"}}"#,
      #"{"a":[1],"a":[2]}"#, ["duplicate-key"]
    ),
    (
      #""a":{"type":"array","items":{"type":"integer"},"x-relation":{"table":"u","unique":"v"}}"#,
      #"{"a":null}"#, ["type"]
    ),
    (#""a":{"type":"number"}"#, #"{"a":12345678901234567890123}"#, ["number-range"]),
    (#""a":{"type":"number"}"#, #"{"a":9007199254740993}"#, ["number-range"]),
    (#""a":{"type":"number"}"#, #"{"a":9007199254740993.0}"#, []),
    (#""a":{"type":"number"}"#, #"{"a":1.0051029455089941e+17}"#, []),
    (#""a":{"type":"integer"}"#, #"{"a":9751505993077839.16}"#, ["type"]),
    (#""a":{"type":"integer"}"#, #"{"a":1.0000000000000000000000000000001}"#, ["type"]),
    (#""a":{"type":"integer"}"#, #"{"a":1e-400}"#, ["type"]),
    (#""a":{"type":"integer"}"#, #"{"a":1e400}"#, ["integer-range"]),
    (#""a":{"type":"integer"}"#, #"{"a":9223372036854775808.0}"#, ["integer-range"]),
    (
      #""a":{"type":"integer","x-unit":"seconds"}"#, #"{"a":9223372036854775807}"#,
      ["instant-range"]
    ),
    (
      #""a":{"type":"array","items":{"type":"number"},"x-relation":{"table":"u","unique":"v"}}"#,
      #"{"a":[1.5,2.5,-0.0,0]}"#, []
    ),
    (#""a":{"type":"integer","x-digits":true}"#, #"{"a":1.5}"#, ["type"]),
    (#""a":{"type":"integer","x-digits":true}"#, #"{"a":1e-400}"#, ["type"]),
    (#""a":{"type":"integer","x-digits":true}"#, #"{"a":123456789012345678901234}"#, []),
    (#""a":{"type":"integer","x-digits":true}"#, #"{"a":1.0}"#, []),
    (#""a":{"type":"integer","x-digits":true}"#, #"{"a":1e400}"#, []),
    (#""a":{"const":{"b":1,"c":2}}"#, #"{"a":{"b":1,"b":1}}"#, ["const"]),
    (#""a":{"uniqueItems":true}"#, #"{"a":[{"b":1,"b":2},{"b":1,"c":2}]}"#, []),
  ])
  func `repeated members and other forms are reported by their rule`(
    _ properties: String, _ record: String, _ rules: [String]
  ) throws {
    let report = try check(record, properties: properties)
    #expect(report.rejectsByRule.map(\.rule) == rules)
  }

  /// The members of an attribute that reads empty strings as null, and a value; the stored value or the
  /// violated rule.
  private static let empties: [(members: String, value: String, expected: String)] = [
    (#""type":["string","null"]"#, #""""#, "NULL"),
    (#""type":["string","null"]"#, #"" ""#, "' '"),
    (#""type":["string","null"],"minLength":3"#, #""""#, "NULL"),
    (#""type":["string","null"],"pattern":"^a""#, #""""#, "NULL"),
    (#""type":["string","null"],"enum":["a"]"#, #""""#, "enum"),
    (#""type":["string","null"],"format":"date""#, #""""#, "NULL"),
    (#""type":["string","null"],"format":"uuid""#, #""""#, "NULL"),
    (#""type":["string","null"],"format":"date-time""#, #""""#, "NULL"),
    (#""type":["number","null"],"x-lenient":true"#, #""""#, "NULL"),
    (#""type":["number","null"],"x-lenient":true"#, #""1.5""#, "1.5"),
    (#""type":["string","null"],"x-source":"/o/a""#, #"1,"o":{"a":""}"#, "NULL"),
    (#""type":["string","null"],"x-relation":{"table":"u","unique":"v"}"#, #""""#, "NULL"),
    (#""type":["string","null"],"x-relation":{"table":"u","unique":"v"}"#, #""b""#, "1"),
  ]

  @Test(arguments: empties)
  func `an empty string is null if the model says so`(
    members: String, value: String, expected: String
  ) throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"t","properties":{"a":{\#(members),"x-empty-as-null":true}},
           "required":["a"]}
          """#))
    let report = try feed.take(#"{"a":\#(value)}"#)
    if report.counters.inserted == 1 {
      #expect(try feed.rows("SELECT quote(a) FROM t") == [expected])
      #expect(try feed.digest() == report.digest)
    } else {
      #expect(report.rejectsByRule.map(\.rule) == [expected])
    }
  }

  @Test func `the empty name of a member is null if the model says so`() throws {
    for relation in ["", #","x-relation":{"table":"u","unique":"v"}"#] {
      let feed = try FeedStore(
        Model(
          parsing: #"""
            {"x-table":"t","properties":{"a":{"type":["string","null"],"x-source":"0#",
             "x-empty-as-null":true\#(relation)}}}
            """#))
      var options = ImportOptions()
      options.pointer = ""
      #expect(try feed.take(#"{"":{},"b":{}}"#, options: options).counters.inserted == 2)
      #expect(try feed.rows("SELECT quote(a) FROM poikit_readable_t") == ["NULL", "'b'"])
    }
  }

  @Test(arguments: ["01", "00", "+2", "-0", "-", ""])
  func `a step that is not an array index names a member and not an element`(step: String) throws {
    let attribute = #""a":{"type":"integer","x-source":"/c/\#(step)"}"#
    let required = #","required":["a"]"#
    let array = try check(#"{"c":[1,2,3]}"#, properties: attribute, root: required)
    #expect(array.rejectsByRule.map(\.rule) == ["required"])
    let object = try check(#"{"c":{"\#(step)":1}}"#, properties: attribute, root: required)
    #expect(object.counters.inserted == 1)
  }

  @Test func `a message quotes the beginning of a long value and no part of a character`() throws {
    for count in 56...60 {
      let text = "\"" + String(repeating: "a", count: count) + "😀\""
      let excerpt = String.excerpt(of: text.utf8Span.span)
      #expect(text.hasPrefix(String(excerpt.dropLast())) || excerpt == text)
    }
  }

  @Test func `names beyond a thousand, and long ones, are counted together`() throws {
    let long = String(repeating: "n", count: MemberTally.nameByteLimit + 1)
    let members = (0..<MemberTally.nameLimit + 5).map { #""m\#($0)":1"# } + [#""\#(long)":1"#]
    let report = try check("{\(members.joined(separator: ","))}", properties: #""a":{}"#)
    #expect(report.unmappedMembers.count == MemberTally.nameLimit)
    #expect(report.otherUnmappedMemberCount == 6)
  }

  @Test func `a record that is not an object is reported by its type and value, once`() throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":{}}}"#)
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: model)
    try session.append(Array(#"[null,true,false,1,"x",[]]"#.utf8).span)
    _ = try session.finish()
    let messages = try store.text(
      "SELECT group_concat(message, ';') FROM (SELECT message FROM poikit_reject ORDER BY id)")
    let values = ["null", "true", "false", "number 1", "string \"x\"", "array []"]
    #expect(
      messages == values.map { "a record is an object, this is \($0)" }.joined(separator: ";"))
  }

  /// Reads values by their kinds, and says what it read.
  struct Reader: RecordValidator {
    func issues(in record: borrowing RecordView) -> [POIKit.Issue] {
      let said = ["n", "x", "s", "gone"].map { name in
        record.isPresent(name)
          ? "\(record.integer(name) ?? -1) \(record.real(name) ?? -1) \(record.text(name) ?? "")"
          : "-"
      }
      return [POIKit.Issue(rule: said.joined(separator: "|"), attribute: nil, message: "")]
    }
  }

  @Test func `a validator sees a value only as what it is`() throws {
    let model = try Model(
      parsing:
        #"{"x-table":"t","properties":{"n":{"type":"integer"},"x":{"type":"number"},"s":{"type":"string"},"gone":{}}}"#
    )
    var session = try ImportSession(checking: model, validators: [Reader()])
    try session.append(Array(#"[{"n":7,"x":1.5,"s":"é"}]"#.utf8).span)
    #expect(
      try session.finish().rejectsByRule.map(\.rule) == ["7 -1.0 |-1 1.5 |-1 -1.0 é|-"])
  }
}
