import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// MongoDB's Extended JSON, read as the values that it represents.
@Suite struct ExtendedJSONTests {
  private static let text = #""type":"string""#
  private static let dateTime = #""type":"string","format":"date-time""#
  private static let lenient = #""type":"integer","x-lenient":true"#

  @Test(arguments: [
    (#"{"$oid":"65dfb0a0f1d2c3b4a5968778"}"#, text, "'65dfb0a0f1d2c3b4a5968778'"),
    (
      #"{"$uuid":"1975db51-5a45-4fd6-ac54-46ca6042c710"}"#, #""type":"string","format":"uuid""#,
      "'1975DB51-5A45-4FD6-AC54-46CA6042C710'"
    ),
    (#"{"$symbol":"a"}"#, text, "'a'"), (#"{"$numberLong":"1"}"#, lenient, "1"),
    (#"{"$numberInt":"-7"}"#, #""type":"integer""#, "-7"),
    (#"{"$numberLong":"9223372036854775807"}"#, #""type":"integer""#, "9223372036854775807"),
    (#"{"$numberDouble":"-0.5"}"#, #""type":"number""#, "-0.5"),
    (#"{"$numberDouble":"7.0"}"#, #""type":"number""#, "7.0"),
    (#"{"$numberDecimal":"1E+3"}"#, #""type":"number""#, "1000.0"),
    (#"{"$numberDecimal":"0.10"}"#, text, "'0.10'"),
    (#"{"$numberLong":"1709209800"}"#, #""type":"integer","x-unit":"seconds""#, "1709209800000000"),
    (#"{"$date":"2024-02-29T12:30:00Z"}"#, dateTime, "1709209800000000"),
    (#"{"$date":"2024-02-29T05:30:00.000-0700"}"#, dateTime, "1709209800000000"),
    (#"{"$date":{"$numberLong":"1709209800000"}}"#, dateTime, "1709209800000000"),
    (#"{"$date":{"$numberLong":"-1"}}"#, dateTime, "-1000"),
    (#"{"$date":1709209800000}"#, dateTime, "1709209800000000"),
    (
      #"{"$date":"2024-02-29T12:30:00.5Z"}"#, #""type":"integer","x-unit":"milliseconds""#,
      "1709209800500000"
    ),
    (#"{"$date":"2024-02-29T12:30:00Z"}"#, text, "'2024-02-29T12:30:00Z'"),
    (#"{"$date":{"$numberLong":"1709209800000"}}"#, text, "'2024-02-29T12:30:00Z'"),
    (#"{"$date":"2024-02-29T00:00:00Z"}"#, #""type":"string","format":"date""#, "'2024-02-29'"),
    // If the type has only objects, nothing changes.
    (#"{"$oid":"a"}"#, #""type":"object""#, #"'{"$oid":"a"}'"#),
    (#"{"$oid":"a"}"#, #""type":["string","object"]"#, "'a'"),
    (#"{"$oid":"a"}"#, #""type":["integer","object"]"#, #"'{"$oid":"a"}'"#),
    (#"{"$numberDouble":"0.5"}"#, #""type":["string","number","object"]"#, "0.5"),
    (#"{"$numberDouble":"NaN"}"#, #""type":["number","object"]"#, #"'{"$numberDouble":"NaN"}'"#),
    (#"{"$date":{"$numberLong":"0"}}"#, #""type":["string","object"]"#, "'1970-01-01T00:00:00Z'"),
    (
      #"{"$date":"2024-02-29T12:30:00.5Z"}"#, #""type":"integer","x-unit":"seconds""#,
      "1709209800500000"
    ),
  ])
  func `an object is read as its value`(value: String, schema: String, stored: String) throws {
    #expect(try FeedStore.imported(value, as: schema) == [stored])
  }

  @Test(arguments: [
    (#"{"$oid":"a","b":1}"#, text, "string"), (#"{"$oid":5}"#, text, "string"),
    (#"{"oid":"a"}"#, text, "string"), ("{}", text, "string"), (#"{"$":"a"}"#, text, "string"),
    (#"{"$binary":{"base64":"","subType":"00"}}"#, text, "string"),
    (#"{"$oid":"a"}"#, #""type":"integer""#, "integer"),
    (#"{"$numberLong":7}"#, #""type":"integer""#, "integer"),
    (#"{"$numberLong":"7a"}"#, #""type":"integer""#, "integer"),
    (#"{"$numberDouble":"NaN"}"#, #""type":"number""#, "number"),
    (#"{"$numberDouble":"Infinity"}"#, #""type":"number""#, "number"),
    (#"{"$date":"2024-02-29"}"#, dateTime, "string"), (#"{"$date":null}"#, dateTime, "string"),
    (#"{"$date":{"$oid":"5"}}"#, dateTime, "string"),
    (#"{"$date":{"$numberLong":"1.5"}}"#, dateTime, "string"),
    (#"{"$date":{"$numberLong":"9223372036854775807"}}"#, dateTime, "string"),
    (#"{"$date":"2024-02-29T12:30:00Z"}"#, #""type":"string","format":"date""#, "string"),
    (#"{"$date":"2024-02-29T12:30:00Z"}"#, #""type":"boolean""#, "boolean"),
    (#"{"$date":253402300800000}"#, text, "string"), (#"{"$oid":"7"}"#, lenient, "integer"),
  ])
  func `other objects are not of the type`(value: String, schema: String, type: String) throws {
    #expect(try FeedStore.imported(value, as: schema) == ["\(value) is not of type \(type)"])
  }

  @Test(arguments: [
    (#"{"$numberInt":"7"}"#, #""type":"integer","maximum":6"#, "7 is greater than the maximum 6"),
    (#"{"$numberDouble":"7.5"}"#, #""type":"integer""#, "7.5 is not an integer"),
    (#"{"$oid":"a"}"#, #""type":"string","minLength":2"#, #""a" has fewer than 2 characters"#),
    (
      #"{"$date":{"$numberLong":"253402300800000"}}"#, dateTime,
      #""+10000-01-01T00:00:00Z" is outside the years 0 to 9999 in UTC"#
    ),
    (
      #"{"$date":{"$numberLong":"7000"}}"#, #""type":"integer","x-unit":"seconds","minimum":8"#,
      "7 is less than the minimum 8"
    ),
  ])
  func `the rules of the attribute apply to the value`(
    value: String, schema: String, message: String
  ) throws {
    #expect(try FeedStore.imported(value, as: schema) == [message])
  }

  @Test func `elements, related values and keys can be such objects`() throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"t","x-key":"id","x-timestamp":"at","properties":{
            "id":{"type":"string","x-source":"/_id"},
            "at":{"type":"string","format":"date-time"},
            "kind":{"type":"string","x-relation":{"table":"kind","unique":"name"}},
            "friends":{"type":"array","items":{"type":"string"},
              "x-relation":{"table":"friend","unique":"friend"}}}}
          """#))
    try feed.take(
      #"""
      {"_id":{"$oid":"a"},"at":{"$date":"2024-02-29T12:30:00Z"},"kind":{"$oid":"k"},"friends":[{"$oid":"b"},"c"]}
      {"_id":"a","at":{"$date":{"$numberLong":"1709209800001"}},"kind":"k","friends":["b",{"$oid":"c"}]}
      """#)
    try feed.deduplicate()
    #expect(try feed.rows("SELECT id, at FROM t") == ["a|1709209800001000"])
    #expect(try feed.rows("SELECT name FROM kind") == ["k"])
    #expect(try feed.rows("SELECT DISTINCT friend FROM friend ORDER BY 1") == ["b", "c"])
  }

  @Test func `a part of such an object can still be an attribute`() throws {
    #expect(
      try FeedStore.imported(#"{"$oid":"a"}"#, as: #""type":"string","x-source":"/a/$oid""#) == [
        "'a'"
      ])
  }
}
