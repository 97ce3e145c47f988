import Glibc
import POIKit
import POISQLite

extension FuzzTarget {
  private static let recordModel = model(
    #"""
    {"x-table":"thing","x-key":"id","x-timestamp":"at","x-unmapped-column":"more",
     "properties":{
      "id":{"type":["integer","null"],"x-lenient":true},
      "at":{"type":["string","null"],"format":"date-time","x-zone":"+02:00"},
      "seen":{"type":["integer","number"],"x-unit":"milliseconds"},
      "uuid":{"type":"string","format":"uuid"},
      "day":{"type":"string","format":"date"},
      "time":{"type":"string","format":"time"},
      "mail":{"type":"string","format":"email"},
      "link":{"type":"string","format":"uri"},
      "path":{"type":"string","format":"json-pointer"},
      "code":{"type":"string","pattern":"^[0-9]{2,4} ?[A-Z]*$","maxLength":9},
      "real":{"type":"number","multipleOf":0.25,"exclusiveMaximum":1e300},
      "open":{"type":["boolean","null"],"x-lenient":true},
      "any":{"x-allow-nul":true},
      "tree":{"$ref":"#/$defs/tree"},
      "kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":["name","level"]},
       "required":["name","level"],
       "properties":{"name":{"type":"string"},"level":{"type":"integer"}}},
      "zone":{"type":["string","null"],"maxLength":9,"x-relation":{"table":"zone","unique":"name"}},
      "tags":{"type":["array","null"],"items":{"type":"string"},
       "x-relation":{"table":"tag","unique":"name","join":"thing_tag"}}},
     "$defs":{"tree":{"type":["object","array","null"],
      "properties":{"leaves":{"items":{"$ref":"#/$defs/tree"},"uniqueItems":true}}}}}
    """#)

  private static let valueModel = model(
    #"""
    {"x-table":"value","properties":{
      "real":{"type":"number"},"integer":{"type":"integer"},
      "at":{"type":"string","format":"date-time"}}}
    """#)

  private static func model(_ document: String) -> Model {
    do { return try Model(parsing: document) } catch { preconditionFailure("\(error)") }
  }

  static func decodeRecords(_ input: inout FuzzInput) throws {
    switch input.choice(4) {
    case 0: try checkNumber(input.text())
    case 1: try checkInstant(input.text())
    default: try checkRecords(input.remainder())
    }
  }

  /// Pieces and batches do not affect the outcome; the digest of the import is the digest of the
  /// table.
  private static func checkRecords(_ bytes: [UInt8]) throws {
    let whole = try imported(bytes, as: recordModel)
    let split = try imported(bytes, as: recordModel, pieceSize: 3, batchSize: 2)
    try expect(
      whole.outcome == split.outcome, "in pieces: \(split.outcome), not \(whole.outcome)")
    guard case .done(_, let digest) = whole.outcome else { return }
    let store = whole.store
    do {
      let found = try store.digest(of: recordModel).digest.description
      try expect(found == digest, "the table's digest is \(found), the import's \(digest)")
      let verdict = try store.withConnection { try $0.text("PRAGMA integrity_check") } ?? ""
      try expect(verdict == "ok", verdict)
      let lost = try store.withConnection {
        try $0.integer(
          """
          SELECT count(*) FROM thing
          WHERE typeof(real) NOT IN ('real', 'null') OR real NOT BETWEEN -1e308 AND 1e300
            OR tree IS NOT NULL AND NOT json_valid(tree) OR more IS NOT NULL AND NOT json_valid(more)
          """)
      }
      try expect(lost == 0, "\(lost ?? 0) rows hold invalid values")
    } catch let error as FuzzFinding {
      throw error
    } catch {
      throw FuzzFinding(message: "the store cannot be read: \(error)")
    }
  }

  private enum Outcome: Equatable {
    case done(counters: [Int], digest: String)
    case failed(String)
  }

  private struct Imported {
    var outcome: Outcome
    var store: Store
  }

  private static func imported(
    _ bytes: [UInt8], as model: Model, pieceSize: Int = .max, batchSize: Int = 500
  ) throws -> Imported {
    var options = ImportOptions()
    options.jobCount = 1
    options.batchSize = batchSize
    options.pointer = ""
    options.clock = { Instant(microseconds: 2_000_000_000_000_000) }
    let document = Array("[".utf8) + bytes + Array("]".utf8)
    let store: Store
    var session: ImportSession
    do {
      store = try .inMemory()
      session = try ImportSession(into: store, model: model, options: options)
    } catch {
      throw FuzzFinding(message: "no session: \(error)")
    }
    do throws(StoreError) {
      var offset = 0
      while offset < document.count {
        let end = offset + min(pieceSize, document.count - offset)
        try session.append(document.span.extracting(offset..<end))
        offset = end
      }
      let report = try session.finish()
      return Imported(
        outcome: .done(
          counters: report.counters.byName.map(\.count), digest: report.digest.description),
        store: store)
    } catch {
      try expect(error.code == .unreadable, "\(error.code): \(error)")
      return Imported(outcome: .failed(error.message), store: store)
    }
  }

  /// The C library reads an accepted number as the same value.
  private static func checkNumber(_ lexeme: String) throws {
    guard lexeme.utf8.count < 400, lexeme.utf8.allSatisfy({ "+-.0123456789Ee".utf8.contains($0) })
    else { return }
    for column in ["real", "integer"] {
      let record = Array(#"{"\#(column)":\#(lexeme)}"#.utf8)
      let imported = try imported(record, as: valueModel)
      guard case .done(let counters, _) = imported.outcome else { continue }
      do {
        guard counters[1] == 1 else { continue }
        try imported.store.withConnection { connection in
          var row = try connection.prepare("SELECT \(name: column) FROM value")
          guard try row.step() else { return }
          let expected = unsafe strtod(lexeme, nil)
          if column == "real" {
            try expect(
              row.real(0).bitPattern == expected.bitPattern || row.real(0) == 0 && expected == 0,
              "\(lexeme) is \(expected), not \(row.real(0))")
          } else {
            try expect(
              Double(row.integer(0)) == expected,
              "\(lexeme) is \(expected), not \(row.integer(0))")
          }
        }
      } catch let error as SQLiteError {
        throw FuzzFinding(message: "\(error)")
      }
    }
  }

  /// SQLite reads an accepted instant as the same second, if it reads it at all. Writing and
  /// reading the instant again does not change it.
  private static func checkInstant(_ text: String) throws {
    guard let instant = Instant(rfc3339: Array(text.utf8).span) else { return }
    let written = instant.description
    let again = Instant(rfc3339: Array(written.utf8).span)
    try expect(again == instant, "\(text) is written as \(written)")
    do {
      let connection = try Connection.inMemory()
      var statement = try connection.prepare("SELECT CAST(strftime('%s', ?1) AS INTEGER)")
      try statement.bind(1, text: text)
      guard try statement.step(), !statement.isNull(0) else { return }
      let seconds = Double(instant.microseconds) / 1e6
      try expect(
        abs(seconds - Double(statement.integer(0))) <= 1.001,
        "\(text) is \(seconds), for SQLite \(statement.integer(0))")
    } catch let error as SQLiteError {
      throw FuzzFinding(message: "\(error)")
    }
  }
}
