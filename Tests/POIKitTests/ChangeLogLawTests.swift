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
      try expectDifferences(since: before, in: store, "seed \(seed), \(setting): \(statements)")
    }
  }

  /// Expects that the net changes are the differences from the records `before`.
  private func expectDifferences(
    since before: [String: String], in store: Store, _ comment: Comment
  ) throws {
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
      #expect(expected.contains(changes[key]), "key \(key), \(comment)")
    }
  }

  // MARK: Deliveries in between

  /// A record without its time, which a delivery gives to records with edited related rows.
  private func timeless(_ record: String?) throws -> JSONValue? {
    guard let record, var members = try JSONValue(parsing: Array(record.utf8).span).members else {
      return nil
    }
    members.removeAll { $0.name == "updatedAt" }
    return .object(members)
  }

  /// Records of a delivery, before or after all local changes.
  private func delivery(using generator: inout SplitMix64) -> [String] {
    func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
    return (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      """
      {"id":"\(pick("a", "b", "c", "d", "e"))","name":\(pick("\"A\"", "\"z\"", "null")),\
      "slug":\(pick("null", "\"sa\"", "\"sd\"")),"updatedAt":"\(pick("1980", "2100"))-01-01T00:00:00Z",\
      "category":\(pick("\"Cafe\"", "null")),"tags":[\(pick("", #"{"t":"x","notes":[{"t":"n"}]}"#))]}
      """
    }
  }

  /// Hands out all changes, and ends them.
  private func acknowledgeAll(in store: Store) throws {
    var lines: [UInt8] = []
    try store.exportUnsent { piece in for index in piece.indices { lines.append(piece[index]) } }
    let answers = try lines.split(separator: UInt8(ascii: "\n")).map { line in
      let change = try JSONValue(parsing: Array(line).span)
      let id = try #require((change["record"] ?? change["removed"])?["id"]?.string)
      return #"{"key":{"id":"\#(id)"},"edition":\#(try #require(change["edition"]?.integer))}"#
    }
    try store.acknowledge(from: [.text(answers.joined(separator: "\n"), named: "answer")])
  }

  @Test(arguments: [(false, false), (true, false), (true, true)])
  func `no delivery overwrites a local change`(
    _ setting: (isStamped: Bool, recursive: Bool)
  ) throws {
    let policies = MergePolicy.allCases.filter {
      ![.append, .error, .newestByProperty].contains($0)
    }
    for seed in 0..<UInt64(TestLength.count(12, long: 1_000)) {
      var generator = SplitMix64(seed: seed)
      let store = try ChangeLogTests.places(
        isStamped: setting.isStamped, recursive: setting.recursive, references: true)
      let model = try store.model()
      var before = try records(of: store)
      var steps: [String] = []
      for _ in 0..<Int.random(in: 2...6, using: &generator) {
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          let statement = statement(using: &generator)
          steps.append(statement.text)
          try store.withConnection { try? $0.execute(statement) }
        }
        if Int.random(in: 0..<5, using: &generator) == 0 {
          steps.append("acknowledge")
          try acknowledgeAll(in: store)
          before = try records(of: store)
          #expect(
            try ChangeLogTests.changes(of: store) == [:], "seed \(seed), \(setting): \(steps)")
          continue
        }
        let (mine, local) = (try records(of: store), try ChangeLogTests.changes(of: store))
        let lines = delivery(using: &generator)
        var options = ImportOptions()
        options.maximumSkew = nil
        options.isSnapshot = Int.random(in: 0..<4, using: &generator) == 0
        options.removalLimit = .count(99)
        if !options.isSnapshot { options.mergePolicy = policies.randomElement(using: &generator)! }
        steps.append("\(options.mergePolicy.map { "\($0)" } ?? "snapshot"): \(lines)")
        let comment: Comment = "seed \(seed), \(setting): \(steps)"
        do throws(StoreError) {
          try store.importRecords(
            from: .text(lines.joined(separator: "\n"), named: "delivery"), model: model,
            options: options)
        } catch {
          // Records with the slug of another place were rejected.
          #expect(error.code == .snapshotRefused, comment)
        }
        let (after, changes) = (try records(of: store), try ChangeLogTests.changes(of: store))
        for (key, change) in local {
          if change == "delete", after[key] != nil {
            #expect(
              setting.isStamped
                && lines.contains { $0.contains("\"id\":\"\(key)\"") && $0.contains("2100") },
              "key \(key), \(comment)")
          } else {
            #expect(try timeless(after[key]) == timeless(mine[key]), "key \(key), \(comment)")
          }
        }
        for key in Set(before.keys).union(after.keys) where changes[key] == nil {
          before[key] = after[key]
        }
      }
      try expectDifferences(since: before, in: store, "seed \(seed), \(setting): \(steps)")
    }
  }
}
