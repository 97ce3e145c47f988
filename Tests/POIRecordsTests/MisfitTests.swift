import JSONStreaming
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// What a model would have to accept, and the model that accepts it.
@Suite struct MisfitTests {
  private static func model(_ properties: String, required: String = #""id""#) throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","x-timestamp":"at","required":[\#(required)],"properties":{
        "id":{"type":"integer"},"at":{"type":"string","format":"date-time"},\#(properties)}}
        """#)
  }

  private static func misfits(_ text: String, _ model: Model) throws -> Misfits {
    var session = try ImportSession(checking: model)
    try session.append(Array(text.utf8).span)
    _ = try session.finish()
    return session.misfits
  }

  /// The changes that a text needs. With them, `count` of its records are rejected.
  private static func changes(
    _ text: String, _ model: Model, leaving count: Int = 0
  ) throws -> [String] {
    let (wider, changes, _) = model.widened(by: try misfits(text, model)) { _ in nil }
    var session = try ImportSession(checking: wider)
    try session.append(Array(text.utf8).span)
    let report = try session.finish()
    #expect(report.counters.rejected == count, "\(report.rejectsByRule)")
    if changes.isEmpty { #expect(wider == model) }
    return changes
  }

  @Test(arguments: [
    (#""type":"integer""#, "2.5", "a from integer to number"),
    (#""type":"integer""#, "null", "a from integer to integer or null"),
    (#""type":"integer""#, #""x""#, "a from integer to integer or string"),
    (
      #""type":["integer","null"],"x-lenient":true"#, #""x""#,
      "a from integer or null to integer or string or null"
    ),
    (
      #""type":"integer""#, #""""#,
      "a from integer to integer or null, null if empty, also in quotes"
    ),
    (#""type":["number","null"]"#, #""2.5""#, "a also in quotes"),
    (#""type":"integer","x-unit":"seconds""#, #""7""#, "a also in quotes"),
    (
      #""type":"string","format":"date""#, #""""#, "a from string to string or null, null if empty"
    ),
    (
      #""type":["string","null"],"format":"date-time""#, #""2024-02-29T12:30:00""#,
      "a in UTC without a zone"
    ),
    (
      #""type":["string","null"],"format":"date-time""#, #""2024-02-29T12:30:00+0100""#,
      "a in any form of ISO 8601"
    ),
    (
      #""type":["string","null"],"format":"date-time","x-zone":"+02:00""#, #""2024-02-29 12:30""#,
      "a in any form of ISO 8601"
    ),
    (#""type":"string","format":"date-time""#, #""soon""#, nil),
    (#""type":"object""#, #""""#, "a from object to string or object"),
    (#""type":"boolean""#, "7", "a from boolean to boolean or integer"),
    (#""type":"number""#, "true", "a from number to boolean or number"),
    (#""type":"string""#, "[1]", "a from string to string or array"),
    (#""type":"array""#, "{}", "a from array to object or array"),
    (#""type":"object""#, #""x""#, "a from object to string or object"),
    (#""type":"string","format":"date""#, #""soon""#, "a from date to any text"),
    (#""type":"string","format":"date""#, "3", nil),
    (#""type":"string","format":"uuid""#, #""x""#, nil),
    (#""type":"string","format":"date-time""#, "3", nil),
    (#""type":"string","format":"date-time""#, "null", "a from string to string or null"),
    (#""type":"integer","x-unit":"seconds""#, "2.5", "a from integer to number"),
    (#""type":"integer","maximum":9"#, "10", nil),
    (#""type":"integer","enum":[1,2]"#, "null", nil),
    (#""type":"string","x-relation":{"table":"r","unique":"v"}"#, "3", nil),
    (
      #""type":"string","x-relation":{"table":"r","unique":"v"}"#, "null",
      "a from string to string or null"
    ),
  ])
  func `the types of rejected values are added, if the column can hold them`(
    attribute: String, value: String, change: String?
  ) throws {
    let model = try Self.model(#""a":{\#(attribute)}"#)
    let changes = try Self.changes(
      #"{"id":1,"a":\#(value)}"#, model, leaving: change == nil ? 1 : 0)
    #expect(changes == [change].compactMap { $0 })
  }

  @Test func `a member may be missing afterwards, but not the key`() throws {
    let model = try Self.model(
      #""a":{"type":"string"},"b":{"type":"string"}"#, required: #""id","a","b""#)
    let text = #"{"id":1,"a":"x"}{"id":null,"a":"x","b":"x"}{"a":"x","b":"x"}{"id":2.5,"b":null}"#
    let changes = try Self.changes(text, model, leaving: 2)
    #expect(
      changes == [
        "id from integer to number", "a may be missing",
        "b from string to string or null, may be missing",
      ])
  }

  @Test func `a record with an issue that stays changes nothing`() throws {
    let model = try Self.model(
      #""a":{"type":"string"},"b":{"type":"integer","minimum":1}"#, required: #""id","a""#)
    let text =
      #"{"id":1,"a":3,"b":0}{"a":3}{"error":"busy"}{"id":1,"a":3,"b":1,"b":2}[1]{"id":}"#
    #expect(try Self.changes(text, model, leaving: 6) == [])
    #expect(try Self.misfits(text, model).needs.isEmpty)
  }

  @Test func `values deep in a record are found`() throws {
    let model = try Self.model(
      #""a":{"type":"integer","x-source":"/p/q~1r/1"},"b":{"type":"string","x-source":"/p/s"}"#)
    let text =
      #"{"id":1,"p":{"o":{"q/r":[0]},"q/r":[{"z":[9]},2.5,"x"],"s":"y"}}{"id":2,"p":{"q/r":[],"s":null}}"#
    #expect(
      try Self.changes(text, model) == [
        "a from integer to number", "b from string to string or null",
      ])
  }

  @Test func `attributes are added at places that the model does not map`() throws {
    let model = try Self.model(#""a":{"type":"string","x-source":"/p/a"},"c":{"type":"object"}"#)
    let other = try Model(
      parsing: #"""
        {"x-table":"u","properties":{"id":{"type":"string"},"a":{"type":"integer"},
        "b":{"type":"string","x-source":"/p/b"},"p":{"type":"object"},
        "d":{"type":"string","x-source":"/c/d"},"AT":{"type":"string"}}}
        """#)
    let (larger, names) = model.adding(attributesOf: other) { _ in nil }
    // SQLite takes at and AT for one column.
    #expect(names == ["a_2", "b", "AT_2"])
    #expect(
      larger.attributes.map(\.source.notation) == ["/id", "/at", "/p/a", "/c", "/a", "/p/b", "/AT"])
    #expect(larger.adding(attributesOf: other) { _ in nil }.names == [])
    let named = try Model(
      parsing:
        #"{"x-table":"t","properties":{"name":{"type":"string","x-source":"0#"},"a":{}}}"#)
    #expect(named.adding(attributesOf: named) { _ in nil }.names == [])
    #expect(model.adding(attributesOf: named) { _ in nil }.names.first == "name")
  }
}
