import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// How records are found in an object at the top level, without a pointer.
@Suite struct ImportSessionEnvelopeTests {
  /// Required members of a record, as in most models.
  private static let required =
    #""required":["id","name"],"properties":{"id":{},"name":{},"tags":{"type":"array"}}"#
  /// Without required members and without a key.
  private static let free = #""properties":{"id":{},"name":{},"tags":{"type":"array"}}"#

  /// The pointer to the records of a text and the numbers of records and rejects; or the message.
  private static func outcome(
    of text: String, _ schema: String, tokenPointer: String? = nil
  ) throws -> String {
    let model = try Model(parsing: #"{"x-table":"t",\#(schema)}"#)
    var options = ImportOptions()
    options.tokenPointer = tokenPointer
    do throws(StoreError) {
      var session = try ImportSession(checking: model, options: options)
      try session.append(Array(text.utf8).span)
      let report = try session.finish()
      let input = report.inputs[0]
      let token = input.token.map { " token \($0)" } ?? ""
      return "\(input.pointer ?? "top") \(report.counters.read)-\(report.counters.rejected)\(token)"
    } catch {
      return error.message
    }
  }

  @Test(arguments: [
    ("urn:ogc:def:crs:OGC:1.3:CRS84", true), ("EPSG:4326", true), ("WGS 84", true),
    ("urn:ogc:def:crs:EPSG::4326", true), ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", true),
    ("urn:ogc:def:crs:EPSG::25832", false), ("EPSG:3857", false), ("EPSG:14326", false),
  ])
  func `features of another reference system than WGS 84 are refused`(name: String, isRead: Bool)
    throws
  {
    let crs = #""crs":{"type":"name","properties":{"name":"\#(name)"}}"#
    let features = #""features":[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#
    for text in [
      "{\(crs),\(features)}", "{\(features),\(crs)}", #"{"a":{\#(crs),\#(features)}}"#,
    ] {
      let outcome = try Self.outcome(of: text, Self.required)
      if isRead {
        #expect(outcome.hasSuffix("/features 2-0"))
      } else {
        #expect(outcome.contains("names \"\(name)\""), "\(outcome)")
        #expect(outcome.contains("ogr2ogr -t_srs EPSG:4326 wgs84.geojson bytes"), "\(outcome)")
      }
    }
    // A member of another envelope, or without a name.
    for text in [
      #"{"data":[{"id":1,"name":"a"}],\#(crs)}"#,
      #"{"crs":null,"features":[{"id":1,"name":"a"}]}"#,
    ] {
      #expect(try Self.outcome(of: text, Self.required).hasSuffix("1-0"))
    }
  }

  @Test(arguments: [
    (#"{"data":[],"next":"abc"}"#, "/data 0-0"),
    (#"{"data":{"rows":[ ]},"ttl":5}"#, "/data/rows 0-0"),
    (#"{"errors":[],"data":[]}"#, "/errors 0-0"),
    ("{\"data\":[]}\n\n", "/data 0-0"),
  ])
  func `an envelope whose arrays are empty is an empty page`(text: String, outcome: String) throws {
    for schema in [Self.required, Self.free] {
      #expect(try Self.outcome(of: text, schema) == outcome)
    }
  }

  @Test func `an empty page has a token`() throws {
    #expect(
      try Self.outcome(of: #"{"data":[],"next":"abc"}"#, Self.required, tokenPointer: "/next")
        == "/data 0-0 token abc")
  }

  @Test(arguments: [
    (#"{"id":1,"name":"x","tags":[]}"#, "top 1-0", "top 1-0"),
    (#"{"id":1,"name":"x","more":[{"id":2,"name":"y"}]}"#, "top 1-0", "/more 1-0"),
    (#"{"id":1,"tags":[]}"#, "top 1-1", "top 1-0"),
    (#"{"name":"x","more":[]}"#, "top 1-1", "top 1-0"),
    (#"{"id":1,"more":[{"x":2}]}"#, "top 1-1", "top 1-0"),
    (#"{"tags":[{"x":2}],"more":[]}"#, "top 1-1", "top 1-0"),
    (#"{"x":1}"#, "top 1-1", "top 1-0"),
    ("{\"tags\":[]}\n{\"id\":1,\"name\":\"x\",\"tags\":[]}", "top 2-1", "top 2-0"),
    ("{\"more\":[],\"x\":1 2}\n{\"id\":1,\"name\":\"x\"}", "top 2-1", "top 2-1"),
    (#"{"more":[],"x":"#, "top 1-1", "top 1-1"),
  ])
  func `a single record with arrays stays a record even if it is rejected`(
    text: String, required: String, free: String
  ) throws {
    #expect(try Self.outcome(of: text, Self.required) == required)
    #expect(try Self.outcome(of: text, Self.free) == free)
  }

  @Test(arguments: [
    (#"{"data":[{"id":1,"name":"x"},{"id":2}],"errors":[]}"#, "/data 2-1"),
    (#"{"errors":[],"data":[{"x":1},{"x":{"id":1}},{"y":[],"id":3}]}"#, "/data 3-3"),
    (#"{"data":[{"x":1},{"id":3,"name":"x"}]}"#, "/data 2-1"),
    (#"{"data":[{"\u0069d":1}],"errors":[]}"#, "/data 1-1"),
    (#"{"data":[{"x":1 2},{"id":3,"name":"x"}]}"#, "/data 2-1"),
    (#"{"data":[{"x":1]},{"id":3,"name":"x"}]}"#, "/data 2-1"),
  ])
  func `empty arrays beside the array of the records make no difference`(
    text: String, outcome: String
  ) throws {
    #expect(try Self.outcome(of: text, Self.required) == outcome)
  }

  @Test func `an array of a relation is a member that the model reads`() throws {
    let schema =
      #""properties":{"id":{},"tags":{"type":"array","items":{"type":"string"},"#
      + #""x-relation":{"table":"tag","unique":"name","join":"t_tag"}}}"#
    #expect(try Self.outcome(of: #"{"data":[{"tags":["x"]},{}],"next":1}"#, schema) == "/data 2-0")
  }

  @Test(arguments: [
    (#"{"data":[],"links":[{"href":"a"}]}"#, "in /links (1), /data (0)"),
    (#"{"links":[{"href":"a"},{"href":{"id":1}}],"next":null}"#, "in /links (2)"),
    (#"{"a":{"id":1,"x":[]},"b":{"id":2,"x":[]}}"#, "may be the 2 members of the top-level object"),
    (#"{"a":{"id":1,"x":[]},"b":{"id":2},"c":[]}"#, "in /a/x (0), /c (0), or"),
    (#"{"meta":{"name":"m"},"data":[]}"#, "in /data (0), or"),
    (#"{"a":[{}],"b":[{}],"c":[]}"#, "several arrays: /a (1), /b (1), /c (0)"),
  ])
  func `if it is unclear what the records are, the message lists the arrays`(
    text: String, message: String
  ) throws {
    for schema in [Self.required, Self.free] {
      let outcome = try Self.outcome(of: text, schema)
      #expect(outcome.contains(message), "\(outcome)")
    }
  }

  @Test func `a repeated array is one place, and an error there`() throws {
    let message = try Self.outcome(of: #"{"a":[{"id":1,"name":"x"}],"a":[{}]}"#, Self.required)
    #expect(
      message.hasPrefix("bytes:1:") && message.contains("two members that match"), "\(message)")
    let list = try Self.outcome(of: #"{"a":[{}],"b":[{}],"a":[{}],"a":[]}"#, Self.required)
    #expect(list.contains("several arrays: /a (2), /b (1)"), "\(list)")
  }

  @Test func `many empty arrays are listed by a few`() throws {
    let members = (0..<1_000).map { #""m\#($0)":[]"# }.joined(separator: ",")
    let message = try Self.outcome(of: #"{"o":{"id":1},\#(members)}"#, Self.required)
    #expect(message.contains("/m9 (0) and 90 more"), "\(message)")
  }
}
