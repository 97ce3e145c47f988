import JSONStreaming
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct WellKnownBinaryTests {
  /// The geometry in hexadecimal digits, without the doubles' zeros; nil if it is not a geometry.
  private static func binary(_ geometry: String) -> (text: String, envelope: Envelope)? {
    var json = StoredJSON()
    var binary = WellKnownBinary()
    guard json.read(geometry.utf8Span.span), binary.set(json.element, at: json.element.start) else {
      return nil
    }
    var bytes = GrowableBuffer<UInt8>()
    binary.append(to: &bytes)
    var text = ""
    for index in 0..<bytes.count {
      let digits = String(bytes[index], radix: 16)
      text += digits.count == 1 ? "0" + digits : digits
    }
    return (text, binary.envelope)
  }

  /// 1, 2 and 3 as doubles.
  private static let (one, two, three) = (
    "000000000000f03f", "0000000000000040", "0000000000000840"
  )

  // Written by hand from OGC 06-103r4, section 8.2, and ISO 19125 for altitudes.
  @Test(arguments: [
    (#"{"type":"Point","coordinates":[1,2]}"#, "0101000000\(one)\(two)"),
    (#"{"coordinates":[1,2,3],"type":"Point"}"#, "01e9030000\(one)\(two)\(three)"),
    (#"{"type":"Point","coordinates":[1,2,3,4]}"#, "01e9030000\(one)\(two)\(three)"),
    (
      #"{"type":"LineString","coordinates":[[1,2],[2.0,1e0]]}"#,
      "010200000002000000\(one)\(two)\(two)\(one)"
    ),
    (
      #"{"type":"Polygon","coordinates":[[[1,1],[2,1],[1,2],[1,1]],[]]}"#,
      "01030000000200000004000000\(one)\(one)\(two)\(one)\(one)\(two)\(one)\(one)00000000"
    ),
    (
      #"{"type":"MultiPoint","coordinates":[[1,2],[2,2]]}"#,
      "0104000000020000000101000000\(one)\(two)0101000000\(two)\(two)"
    ),
    (
      #"{"type":"MultiLineString","coordinates":[[[1,2],[2,2]]]}"#,
      "010500000001000000010200000002000000\(one)\(two)\(two)\(two)"
    ),
    (
      #"{"type":"MultiPolygon","coordinates":[[[[1,1],[2,1],[1,2],[1,1]]]]}"#,
      "01060000000100000001030000000100000004000000\(one)\(one)\(two)\(one)\(one)\(two)\(one)\(one)"
    ),
    (
      #"{"type":"GeometryCollection","bbox":[9,9],"geometries":[{"type":"Point","coordinates":[1,2]}]}"#,
      "0107000000010000000101000000\(one)\(two)"
    ),
    (#"{"type":"MultiPoint","coordinates":[]}"#, "010400000000000000"),
    (#"{"bbox":[1,2,1,2],"type":"Point","coordinates":[1,2]}"#, "0101000000\(one)\(two)"),
    (
      #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},"#
        + #"{"type":"Point","coordinates":[1,2,3]}]}"#,
      "01ef0300000200000001e9030000\(one)\(two)000000000000000001e9030000\(one)\(two)\(three)"
    ),
  ])
  func `GeoJSON becomes well-known binary`(geometry: String, expected: String) {
    #expect(Self.binary(geometry)?.text == expected)
  }

  @Test(arguments: [
    "1", "[]", "{}", #"{"type":"Point"}"#, #"{"type":"Point","coordinates":[]}"#,
    #"{"type":"Point","coordinates":[1]}"#, #"{"type":"Point","coordinates":["1",2]}"#,
    #"{"type":"Point","coordinates":[1,2,"3"]}"#, #"{"type":"point","coordinates":[1,2]}"#,
    #"{"type":"LineString","coordinates":[1,2]}"#, #"{"type":"Polygon","coordinates":[[1,2]]}"#,
    #"{"type":"GeometryCollection","geometries":[1]}"#, #"{"type":5,"coordinates":[1,2]}"#,
    #"{"type":"GeometryCollection","coordinates":[]}"#, #"{"type":"Point","coordinates":null}"#,
    #"{"type":"LineString","coordinates":[[1e999,0],[-1e999,0]]}"#,
    String(repeating: #"{"type":"GeometryCollection","geometries":["#, count: 4_000)
      + String(repeating: "]}", count: 4_000),
  ])
  func `anything that is not a geometry is refused`(geometry: String) {
    #expect(Self.binary(geometry) == nil)
  }

  @Test func `the envelope holds all positions`() throws {
    let envelope = try #require(
      Self.binary(#"{"type":"LineString","coordinates":[[1,-2],[-3,4.5],[2,0]]}"#)
    ).envelope
    #expect(
      [envelope.west, envelope.east, envelope.south, envelope.north] == [-3, 2, -2, 4.5])
  }
}
