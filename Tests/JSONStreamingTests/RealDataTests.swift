import JSONStreaming
import POITestSupport
import Testing

@Suite struct RealDataTests {
  @Test(.enabled(if: RealData.has("yajl-cases/cases"), "needs yajl-cases"))
  func `yajl's own cases give yajl's verdicts, with stricter exceptions`() throws {
    // yajl itself rejects numbers beyond 64 bits and accepts half of a surrogate pair.
    let accepted: Set = ["high_overflow.json", "low_overflow.json"]
    let refused: Set = ["isolated_surrogate_marker.json"]
    let limits = ReadingLimits(depth: 2_000)
    var count = 0
    for name in RealData.names(in: "yajl-cases/cases", suffix: ".json") {
      // These cases need options that are not used here.
      guard !["ac_", "ag_", "am_", "ap_"].contains(where: name.hasPrefix) else { continue }
      let bytes = try RealData.bytes(of: "yajl-cases/cases/\(name)")
      let trace = try RealData.bytes(of: "yajl-cases/cases/\(name).gold")
      let isError = String(decoding: trace, as: UTF8.self).contains("error")
      let isSound = accepted.contains(name) || (!isError && !refused.contains(name))
      for chunkSize in [1, 2, 7, Int.max] {
        let flaw = ElementReader.flaw(
          inDocument: bytes.span, limits: limits, chunkSize: chunkSize)
        #expect((flaw == nil) == isSound, "\(name) in chunks of \(chunkSize)")
      }
      count += 1
    }
    #expect(count == 45)
  }

  @Test(.enabled(if: RealData.has("blns"), "needs blns"))
  func `naughty strings survive writing as escapes and reading`() throws {
    let top = ElementShape.container(JSONPointer(tokens: []))
    let bytes = try RealData.bytes(of: "blns/blns.json")
    let strings = try texts(bytes, top, chunkSize: .max)
    #expect(strings.count == 515)
    let escaped = "[" + strings.map(Self.escaped).joined(separator: ",") + "]"
    for chunkSize in [1, 64, Int.max] {
      #expect(try texts(bytes, top, chunkSize: chunkSize) == strings)
      #expect(try texts(Array(escaped.utf8), top, chunkSize: chunkSize) == strings)
    }
  }

  @Test(
    .enabled(if: RealData.has("bench-json"), "needs bench-json"),
    arguments: [
      ("bench-json/canada.json", "/features", 1), ("bench-json/twitter.json", "/statuses", 100),
      ("bench-json/citm_catalog.json", "/events", 184),
      ("bench-json/citm_catalog.json", "/performances", 243),
    ])
  func `well-known files have their elements`(path: String, pointer: String, count: Int) throws {
    let bytes = try RealData.bytes(of: path)
    let shape = ElementShape.container(try JSONPointer(parsing: pointer))
    let events = observe(bytes, shape, chunkSizes: [65_536])
    #expect(events.last == .end)
    #expect(events.count == count + 1)
  }

  @Test(
    .enabled(if: RealData.has("oslo-bikes"), "needs oslo-bikes"),
    arguments: [
      ("csc/cities/GB.json", ""), ("usgs-earthquakes/earthquakes.geojson", "/features"),
      ("oslo-bikes/station_information.json", "/data/stations"),
      ("csc/stacked/SA-all-versions.ndjson", nil), ("bench-json/twitter.json", "/statuses"),
    ] as [(String, String?)])
  func `the shape of real files is detected`(path: String, pointer: String?) throws {
    let bytes = try RealData.bytes(of: path)
    var detector = ShapeDetector()
    detector.append(bytes.span)
    detector.finish()
    let expected = try pointer.map { ShapeDetector.Outcome.container(try JSONPointer(parsing: $0)) }
    #expect(detector.outcome == expected ?? .sequence)
  }

  /// The unescaped texts of elements that are strings.
  private func texts(_ input: [UInt8], _ shape: ElementShape, chunkSize: Int) throws -> [[UInt8]] {
    var reader = ElementReader(shape: shape)
    var texts: [[UInt8]] = []
    var offset = 0
    while true {
      switch try reader.next() {
      case .needsInput where offset == input.count: reader.finish()
      case .needsInput:
        let end = offset + min(chunkSize, input.count - offset)
        reader.append(input.span.extracting(offset..<end))
        offset = end
      case .element:
        let tape = reader.tape
        texts.append(array(tape.text(of: tape[reader.elementTokens.lowerBound])))
      case .malformed, .end: return texts
      }
    }
  }

  /// The text as a JSON string that consists of `\u` escapes.
  private static func escaped(_ text: [UInt8]) -> String {
    let units = String(decoding: text, as: UTF8.self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
    return "\"" + units.joined() + "\""
  }
}
