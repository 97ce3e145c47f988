import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// The laws of inference, on random records and on real data.
extension ModelInferenceTests {
  /// A random JSON value for a record.
  static func value(depth: Int, using generator: inout SplitMix64) -> String {
    let scalars = [
      "null", "true", "false", "0", "-1", "1.5", "2.0", "9007199254740993", "1668039187",
      "1e400", "123456789012345678901", "1e-3", #""""#, #""a""#, #""12""#,
      #""1975db51-5a45-4fd6-ac54-46ca6042c710""#,
      #""2024-02-29""#, #""2024-02-29T12:00:00""#, #""2024-02-29T12:00:00Z""#, #""a\u0000b""#,
      #""9999-12-31T23:59:59-10:00""#, #""日本""#,
    ]
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
    case 7: return object(depth: depth - 1, using: &generator)
    case 8:
      let count = Int.random(in: 0...3, using: &generator)
      let elements = (0..<count).map { _ in value(depth: depth - 1, using: &generator) }
      return "[\(elements.joined(separator: ","))]"
    case 9: return "[\(Int.random(in: 0...9, using: &generator)),2.5]"
    default: return scalars.randomElement(using: &generator) ?? ""
    }
  }

  static func object(depth: Int, using generator: inout SplitMix64) -> String {
    let names = [
      "a", "b", "A", "id", "name", "updated_at", "lat", "longitude", "type", "geometry",
      "coordinates", "properties", "x y", "", "é", "a\\u0000",
    ]
    let count = Int.random(in: 0...5, using: &generator)
    let members = (0..<count).map { _ in
      #""\#(names.randomElement(using: &generator) ?? "")":\#(value(depth: depth, using: &generator))"#
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// Whether an object in a value has a member twice, so that its record is rejected.
  private static func repeatsMember(_ value: JSONValue) -> Bool {
    if let members = value.members {
      return Set(members.map { Array($0.name.utf8) }).count < members.count
        || members.contains { repeatsMember($0.value) }
    }
    return value.elements?.contains(where: repeatsMember) ?? false
  }

  @Test func `records are not rejected by the model inferred from them`() throws {
    var modelCount = 0
    let seeds = TestLength.some(UInt64(0)..<300, 60)
    for seed in seeds {
      var generator = SplitMix64(seed: seed)
      // Few kinds of objects, repeated, look like the data of a program.
      let kinds = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        Self.object(depth: 3, using: &generator)
      }
      let records = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
        Int.random(in: 0..<4, using: &generator) == 0
          ? Self.object(depth: 3, using: &generator) : kinds.randomElement(using: &generator) ?? ""
      }.filter { record in (try? JSONValue(parsing: record)).map(Self.repeatsMember) == false }
      let text = "[\(records.joined(separator: ",\n"))]"
      // No model is inferred if the records have no members, or only repeated ones.
      for isStrict in [false, true] {
        guard let document = try? Self.infer(text, isStrict: isStrict) else { continue }
        modelCount += 1
        let rejects = try Self.rejects(text, document: document)
        #expect(rejects.isEmpty, "seed \(seed): \(rejects)\n\(document)")
      }
    }
    #expect(modelCount > seeds.count * 3 / 2)
  }

  @Test(arguments: 0..<20)
  func `the model does not depend on the pieces in which the input comes`(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    let records = (0..<20).map { _ in Self.object(depth: 3, using: &generator) } + [#"{"z":1}"#]
    let text = #"{"data":[\#(records.joined(separator: ","))]}"#
    let whole = try Self.infer(text)
    var inference = try ModelInference(options: Self.options)
    var source = DrippingSource(bytes: Array(text.utf8), name: "places.json")
    try inference.read(from: &source)
    #expect(try inference.finish() == whole, "seed \(seed)")
  }

  // MARK: Real data

  /// The files of records of others: they are not those that test readers of JSON.
  static let realFiles: [String] = [
    "csc/cities", "csc/json", "csc/sync", "csc/stacked", "usgs-earthquakes", "osm-playgrounds",
    "wof-iceland", "oslo-bikes", "oslo-bikes/stacked", "mledoze-countries", "er-restaurants",
    "bench-json", "json-schema-test-suite", "json-schema-test-suite/format",
  ].flatMap { folder in
    [".json", ".geojson", ".ndjson"].flatMap { suffix in
      RealData.names(in: folder, suffix: suffix).map { "\(folder)/\($0)" }
    }
  }

  @Test(
    .enabled(if: RealData.has("README.md"), "the real data is not there"),
    arguments: TestLength.some(realFiles, 14))
  func `real data is imported with its inferred model without a reject`(file: String) throws {
    var inference = try ModelInference(options: Self.options)
    var source = try FileSource(path: "\(RealData.folder)/\(file)")
    try inference.read(from: &source)
    let document = try inference.finish()
    let comment = try #require(try Self.member("$comment", of: document)?.string)
    var options = Self.options
    options.pointer = comment.split(separator: " --at ").dropFirst().first
      .flatMap { $0.split(separator: " ").first.map(String.init) }
    options.batchSize = 10_000
    var session = try ImportSession(
      into: .inMemory(), model: Model(parsing: document), options: options)
    #expect(try source.restart())
    try session.importAll(from: &source)
    let report = try session.finish()
    #expect(report.counters.rejected == 0 && report.counters.read > 0, "\(report)")
  }

  @Test(.enabled(if: RealData.has("blns"), "the real data is not there"))
  func `an array of texts has no records`() throws {
    var inference = try ModelInference(options: Self.options)
    var source = try FileSource(path: "\(RealData.folder)/blns/blns.json")
    try inference.read(from: &source)
    do {
      _ = try inference.finish()
      Issue.record("it has no records")
    } catch {
      #expect(error.code == .unreadable)
      #expect(error.message.contains("none of the 515 elements is a record"))
    }
  }
}

/// Hands over one byte at a time, once.
private struct DrippingSource: ~Copyable, ByteSource {
  var bytes: [UInt8]
  let name: String
  var consumedByteCount = 0
  var totalByteCount: Int? { nil }

  mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
    guard consumedByteCount < bytes.count else { return }
    output.append(bytes[consumedByteCount])
    consumedByteCount += 1
  }

  mutating func restart() throws(InputError) -> Bool { false }
}
