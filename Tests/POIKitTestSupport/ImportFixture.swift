package import POIFiles
package import POIRecords
import POISQLite

@testable package import POIKit

/// Shared by the tests of importing: places of the built-in model, imports of texts.
package enum ImportFixture {
  /// A record of the built-in model, as a line.
  package static func poi(_ index: Int, category: String = "c") -> String {
    let digits = String(index)
    let tail = String(repeating: "0", count: 12 - digits.count) + digits
    return
      #"{"identifier":"00000000-0000-0000-0000-\#(tail)","name":"n","latitude":1,"longitude":2,"category":{"name":"\#(category)"}}"#
      + "\n"
  }

  /// Several such records.
  package static func pois(_ range: Range<Int>) -> String {
    range.map { poi($0) }.joined()
  }

  package static func options(batchSize: Int, jobCount: Int) -> ImportOptions {
    var options = ImportOptions()
    options.batchSize = batchSize
    options.jobCount = jobCount
    return options
  }

  /// Imports a text into a new store in memory, in pieces of any size.
  package static func importText(
    _ text: String, model: Model, options: ImportOptions = ImportOptions(),
    pieces: (Int) -> Int = { $0 }
  ) throws -> (report: ImportReport, rows: [String]) {
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: model, options: options)
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = min(start + max(1, pieces(bytes.count - start)), bytes.count)
      try session.append(bytes[start..<end].span)
      start = end
    }
    let report = try session.finish()
    return (report, try rows(of: store, model: model))
  }

  /// All rows and rejects of the store as text, by id.
  package static func rows(of store: Store, model: Model) throws -> [String] {
    var rows: [String] = []
    for sql in [
      "SELECT * FROM \(name: "poikit_readable_" + model.table) ORDER BY poikit_id",
      "SELECT input, record, byte_offset, line, \"column\", issues, raw FROM poikit_reject ORDER BY id",
    ] as [SQL] {
      try store.withConnection { connection in
        var statement = try connection.prepare(sql)
        while try statement.step() {
          rows.append(
            (0..<statement.columnCount).map {
              statement.isNull($0) ? "NULL" : statement.text($0)
            }.joined(separator: "|"))
        }
      }
    }
    return rows
  }

  /// Bytes through a pipe: of unknown number, and readable only once.
  package struct Pipe: ByteSource {
    package var bytes: BytesSource
    package var name: String { "pipe" }
    package var totalByteCount: Int? { nil }
    package var consumedByteCount: Int { bytes.consumedByteCount }
    package init(_ text: some Sequence<UInt8>) { bytes = BytesSource(Array(text), name: "pipe") }
    package mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
      bytes.read(into: &output)
    }
    package mutating func restart() throws(InputError) -> Bool { false }
  }
}
