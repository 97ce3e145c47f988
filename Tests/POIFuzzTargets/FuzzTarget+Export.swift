import JSONStreaming
import POIKit
import POISQLite
import POITestSupport

/// What reads a whole store and writes something else.
extension FuzzTarget {
  /// An export is well-formed, or it ends with an error.
  static func exportRecords(_ path: String, _ task: Int) throws {
    let store = try open(path, for: .readOnly)
    guard task < 6 else {
      let output = path + ".gpkg"
      defer { remove(output) }
      do { try store.exportGeoPackage(to: output) } catch {
        try expectNothing(at: output)
        throw error
      }
      return try expectIntegrity(of: output)
    }
    var options = ExportOptions()
    options.format = [.ndjson, .json, .geojson, .geojsonseq, .csv, nil][task]
    options.isSpreadsheetSafe = task == 4
    options.isChecked = [0, 1, 5].contains(task)
    if task == 5 {
      options.orders = [.descending("name")]
      options.filters = [.atLeast("latitude", 3.0)]
      options.limit = 20
    }
    var bytes: [UInt8] = []
    let report = try store.export(options: options) { piece in
      bytes.reserveCapacity(bytes.count + piece.count)
      for index in piece.indices { bytes.append(piece[index]) }
    }
    guard task != 4 else { return }
    let seen = observe(bytes, .sequence)
    if task != 1, task != 2 {
      let marks = seen.filter { if case .element = $0 { true } else { false } }
      try expect(
        marks.count == report.recordCount, "\(marks.count) of \(report.recordCount) records")
    }
    for event in seen {
      switch event {
      case .malformed, .failed: throw FuzzFinding(message: "an export has \(event)")
      case .element, .end: break
      }
    }
  }

  /// A shipped store has the digests that are reported, or there is no store.
  static func ship(_ path: String, _ task: Int) throws {
    let output = path + ".app"
    defer { remove(output) }
    var options = ShippingOptions()
    if task & 1 != 0 { options.indexes = [["name"], ["updatedAt", "name"]] }
    options.hasSpatialIndex = task & 2 != 0
    if task & 4 != 0 { options.fullText = ["name"] }
    let report: ShippingReport
    do { report = try open(path, for: .readOnly).ship(to: output, options: options) } catch {
      try expectNothing(at: output)
      throw error
    }
    let shipped = try Store(output, for: .readOnly)
    for table in report.tables {
      let found = try shipped.digest(of: shipped.model(ofTable: table.name)).digest
      try expect(
        found == table.digest, "the digest of \(table.name) is \(found), not \(table.digest)")
    }
  }

  /// A store differs from itself in nothing, and a comparison with a sound store ends.
  static func compare(_ path: String, _ task: Int) throws {
    let other = path + ".other"
    defer { remove(other) }
    try write(task < 2 ? Files.bytes(of: path) : sound, to: other)
    var options = DifferenceOptions()
    if task & 4 != 0 { options.key = ["name"] }
    if task & 2 != 0 { options.ignoredAttributes = ["updatedAt"] }
    var stores = [path, other]
    if task & 1 != 0 { stores.reverse() }
    let report = try open(stores[0], for: .readOnly).compare(
      withOlder: open(stores[1], for: .readOnly), options: options, to: { _ in })
    try expect(task >= 2 || report.areEqual, "a store differs from its copy")
  }

  /// Nothing may be left of an output that was not finished.
  private static func expectNothing(at output: String) throws {
    let name = output.split(separator: "/").last ?? ""
    let left = Files.names(in: folder, isWhole: true).filter { $0.contains(name) }
    try expect(left.isEmpty, "\(left) is left")
  }

  private static func expectIntegrity(of output: String) throws {
    let connection = try Connection(path: output, access: .readOnly)
    let verdict = try connection.text("PRAGMA integrity_check") ?? ""
    try expect(verdict == "ok", verdict)
  }
}
