import POIKitTestSupport
import POIRecords
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// The law of the log: its net changes are the differences, whatever SQL an app runs.
@Suite struct ChangeLogLawTests {
  /// The records by key, each as JSON.
  private func records(of store: Store) throws -> [String: String] {
    var bytes: [UInt8] = []
    try store.export { piece in for index in piece.indices { bytes.append(piece[index]) } }
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    let records = try lines.map { line in
      (try #require(JSONValue(parsing: Array(line.utf8).span)["id"]?.string), line)
    }
    return Dictionary(uniqueKeysWithValues: records)
  }

  /// A statement of an app, which may fail.
  private func statement(using generator: inout SplitMix64) -> SQL {
    func pick(_ choices: SQL...) -> SQL { choices.randomElement(using: &generator)! }
    func key() -> SQL { pick("'a'", "'b'", "'c'", "'d'", "'e'") }
    func slug() -> SQL { pick("'sa'", "'sb'", "'sc'", "'sd'", "NULL") }
    func id() -> SQL { pick("1", "2", "3", "4") }
    func text() -> SQL { pick("'A'", "'B'", "'x'", "'y'", "NULL") }
    func clause() -> SQL { pick("", "OR REPLACE", "OR IGNORE", "OR ABORT", "OR FAIL") }
    func place() -> SQL {
      pick("id = \(key())", "poikit_id = \(id())", "slug = \(slug())", "name = \(text())")
    }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0:
      return "INSERT \(clause()) INTO poi(id, name, slug) VALUES (\(key()), \(text()), \(slug()))"
    case 1:
      return
        "INSERT \(clause()) INTO poi(poikit_id, id, slug) VALUES (\(id()), \(key()), \(slug()))"
    case 2:
      return """
        INSERT INTO poi(id, name, slug) VALUES (\(key()), \(text()), \(slug()))
        ON CONFLICT(\(pick("id", "slug"))) DO UPDATE SET name = excluded.name
        """
    case 3: return "INSERT INTO poi(id, name) VALUES (\(key()), \(text())) ON CONFLICT DO NOTHING"
    case 4: return "UPDATE \(clause()) poi SET name = \(text()) WHERE \(place())"
    case 5: return "UPDATE \(clause()) poi SET id = \(key()) WHERE \(place())"
    case 6: return "UPDATE \(clause()) poi SET slug = \(slug()) WHERE \(place())"
    case 7: return "UPDATE \(clause()) poi SET poikit_id = \(id()) WHERE \(place())"
    case 8: return "DELETE FROM poi WHERE \(place())"
    case 9: return "INSERT \(clause()) INTO tag(poi, t) VALUES (\(id()), \(pick("'x'", "'z'")))"
    case 10:
      return
        "INSERT \(clause()) INTO tag(poikit_id, poi, t) VALUES (\(id()), \(id()), \(pick("'x'", "'z'")))"
    case 11:
      return
        "UPDATE \(clause()) tag SET \(pick("t = 'q'", "poi = \(id())")) WHERE poikit_id = \(id())"
    case 12: return "DELETE FROM tag WHERE poikit_id = \(id())"
    case 13: return "UPDATE note SET t = \(pick("'n'", "'m'"))"
    case 14:
      return
        "UPDATE category SET name = \(pick("'Cafe'", "'Bar'", "'Pub'")) WHERE poikit_id = \(pick("1", "2"))"
    default: return "UPDATE poi SET category = \(pick("1", "2", "NULL")) WHERE \(place())"
    }
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func `the net changes of random statements are the differences`(
    _ setting: (isStamped: Bool, recursive: Bool)
  ) throws {
    for seed in 0..<UInt64(TestLength.count(60, long: 2_500)) {
      var generator = SplitMix64(seed: seed)
      let store = try ChangeLogTests.places(
        isStamped: setting.isStamped, recursive: setting.recursive,
        references: Bool.random(using: &generator))
      let before = try records(of: store)
      var statements: [String] = []
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let statement = statement(using: &generator)
        statements.append(statement.text)
        let isUndone = Int.random(in: 0..<8, using: &generator) == 0
        try store.withConnection { connection in
          if isUndone { try connection.execute("BEGIN") }
          try? connection.execute(statement)
          if isUndone, connection.isInTransaction { try connection.execute("ROLLBACK") }
        }
      }
      let after = try records(of: store)
      let changes = try ChangeLogTests.changes(of: store)
      for key in Set(before.keys).union(after.keys).union(changes.keys) {
        let expected: [String?] =
          switch (before[key], after[key]) {
          case (nil, nil): [nil]
          case (nil, _?): ["insert"]
          case (_?, nil): ["delete"]
          // An edit that ended as it began may be listed.
          case (let old?, let new?): old == new ? [nil, "update"] : ["update"]
          }
        #expect(
          expected.contains(changes[key]), "seed \(seed), \(setting), key \(key): \(statements)")
      }
    }
  }
}
