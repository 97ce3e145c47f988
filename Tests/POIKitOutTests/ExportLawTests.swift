import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Importing an export gives the same table, and its export the same bytes.
@Suite struct ExportLawTests {
  private static func export(
    _ store: Store, _ table: String, _ format: ExportOptions.Format
  ) throws -> (bytes: [UInt8], report: ExportReport) {
    var options = ExportOptions()
    options.format = format
    options.isChecked = true
    var bytes: [UInt8] = []
    let report = try store.export(table, options: options) { piece in
      for index in piece.indices { bytes.append(piece[index]) }
    }
    #expect(report.byteCount == bytes.count)
    return (bytes, report)
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(100_000), as: UTF8.self)
  }

  /// Checks the law for a table of a store.
  private static func check(
    _ store: Store, _ model: Model, _ format: ExportOptions.Format, named name: String
  ) throws {
    let (bytes, report) = try export(store, model.table, format)
    let digest = try store.digest(of: model)
    #expect(report.recordCount == digest.rowCount, "\(name)")
    #expect(report.digest == digest.digest, "\(name)")
    #expect(report.importDigest == digest.digest, "\(name): \(report.firstRefusal as Any)")
    let second = try Store.inMemory()
    var options = ImportOptions()
    if format == .json { options.pointer = "" }
    let imported = try second.importRecords(from: .bytes(bytes), model: model, options: options)
    #expect(imported.counters.rejected == 0, "\(name)")
    #expect(try second.digest(of: model) == digest, "\(name)")
    let again = try export(second, model.table, format).bytes
    let isSame = again == bytes
    #expect(isSame, "\(name)\n\(text(again))")
  }

  @Test func `a random model reads its records from their export`() throws {
    for round in 0..<TestLength.count(80, long: 5_000) {
      let seed = UInt64.random(in: 0...UInt64.max)
      var generator = SplitMix64(seed: seed)
      let random = RandomModel(using: &generator)
      let name = "round \(round), seed \(seed): \(random.document)"
      let model = try Model(parsing: random.document)
      let store = try Store.inMemory()
      var records = (0..<20).map { random.record($0, using: &generator) }
      if random.hasNamedRecords {
        records = records.enumerated().map { "\"n\\u00e9\($0.offset % 15)\":\($0.element)" }
      }
      var options = ImportOptions()
      if random.hasNamedRecords { options.pointer = "" }
      let list = records.joined(separator: ",")
      let text = random.hasNamedRecords ? "{\(list)}" : "[\(list)]"
      let imported = try store.importRecords(from: .text(text), model: model, options: options)
      guard imported.counters.inserted > 0 else { continue }
      try Self.check(store, model, .json, named: name)
      if !random.hasNamedRecords { try Self.check(store, model, .ndjson, named: name) }
    }
  }

  @Test(arguments: [
    ("poi", "pois.json", ""), ("pois-geojson", "pois.geojson", "/features"),
    ("pois-by-id", "pois-by-id.json", ""), ("issues", "issues.json", ""),
    ("world", "world.json", ""),
  ])
  func `the sample models do`(name: String, data: String, pointer: String) throws {
    let parts = #filePath.split(separator: "/").dropLast(3)
    let samples = "/" + parts.joined(separator: "/") + "/Samples"
    let model = name == "poi" ? .poi : try Model(contentsOf: "\(samples)/models/\(name).json")
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.pointer = pointer
    try store.importRecords(from: .file("\(samples)/\(data)"), model: model, options: options)
    try Self.check(store, model, .json, named: name)
    if name != "pois-by-id" { try Self.check(store, model, .ndjson, named: name) }
  }
}
