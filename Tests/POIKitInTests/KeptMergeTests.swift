import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// The laws of merging values that no column holds, under every policy.
@Suite struct KeptMergeTests {
  private static let document = #"""
    {"x-table":"t","x-key":"id","x-timestamp":"at","x-unmapped-column":"other",
     "x-keeps-misfits":true,"required":["id"],"properties":{
      "id":{"type":"integer"},
      "at":{"type":["integer","null"],"x-unit":"seconds"},
      "price":{"type":["number","null"]},
      "open":{"type":["boolean","null"]},
      "lat":{"type":["number","null"],"x-source":"/geo/lat"},
      "lon":{"type":["number","null"],"x-source":"/geo/lon"},
      "a":{"type":["integer","null"],"x-source":"/pair/0"},
      "b":{"type":["integer","null"],"x-source":"/pair/1"}}}
    """#

  private static func record(keyCount: Int, using generator: inout SplitMix64) -> String {
    let choices: [(String, [String?])] = [
      ("id", (0..<keyCount).map { "\($0)" }),
      ("at", ["0", "1", "2", "3", "4", "null", nil]),
      ("price", ["1.5", "2.5", #""x""#, #""y""#, "true", "null", nil]),
      ("open", ["true", "false", "7", "[2]", "null", nil]),
      (
        "geo",
        [
          #"{"lat":1.5,"lon":2.5}"#, #"{"lat":"x","lon":3.5}"#, #"{"lat":4.5,"lon":1.5,"n":1}"#,
          #"{"lat":5.5}"#, #"{"lon":null,"n":2}"#, #"{"n":3}"#, #""none""#, "[1,2]", nil,
        ]
      ),
      ("pair", ["[1,2]", "[1,2,9]", #"["q",2]"#, #""no""#, #"{"a":1}"#, nil]),
      ("x", ["1", "2", #"{"p":1}"#, #"{"q":2}"#, nil]), ("w", ["1", "2", nil]),
    ]
    let members = choices.compactMap { name, values in
      values.randomElement(using: &generator)!.map { #""\#(name)":\#($0)"# }
    }
    return
      "{\(members[..<1].joined()),\(members[1...].shuffled(using: &generator).joined(separator: ","))}"
      .replacing(",}", with: "}")
  }

  /// The exported records, without the order of members.
  private static func records(_ store: MergeStore) throws -> [String] {
    var options = ExportOptions()
    options.format = .ndjson
    options.isChecked = true
    var bytes: [UInt8] = []
    let report = try store.store.export("t", options: options) { piece in
      for index in piece.indices { bytes.append(piece[index]) }
    }
    #expect(report.firstRefusal == nil)
    return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
      try JSONValue(parsing: Array($0.utf8).span).sorted.description
    }.sorted()
  }

  /// Merges as RFC 7396 does; an object without values, and one that only says so, are equal.
  private static func patched(_ target: JSONValue?, by patch: JSONValue) -> JSONValue? {
    guard let members = patch.members else { return patch == .null ? nil : patch }
    var result = target?.members ?? []
    for member in members {
      result[member.name] = patched(result[member.name], by: member.value)
    }
    return .object(result)
  }

  @Test(arguments: [MergePolicy.objectTrump, .storeTrump])
  func `trumping merges each value, and what is kept instead of one`(policy: MergePolicy) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(20, long: 500) {
      let store = try MergeStore(Self.document)
      var expected: [String: JSONValue] = [:]
      for _ in 0..<3 {
        let records = (0..<12).map { _ in Self.record(keyCount: 6, using: &generator) }
        _ = try store.run(records, policy)
        for record in records {
          let value = try JSONValue(parsing: record)
          let key = value["id"]!.description
          if policy == .objectTrump {
            expected[key] = Self.patched(expected[key], by: value)
          } else {
            let new = Self.patched(nil, by: value)!
            expected[key] = expected[key].map { Self.patched(new, by: $0)! } ?? new
          }
        }
      }
      let found = try Self.records(store)
      #expect(found == expected.values.map(\.sorted.description).sorted(), "seed \(seed)")
      #expect(
        try store.rows(
          "SELECT count(*) FROM t WHERE price IS NOT NULL AND json_extract(other, '$.price') IS NOT NULL"
        ) == ["0"])
    }
  }

  @Test func `newest-by-property gives the same rows in any order`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(20, long: 500) {
      let records = (0..<30).map { _ in Self.record(keyCount: 5, using: &generator) }
      var first: [String]?
      for _ in 0..<3 {
        let store = try MergeStore(Self.document)
        var rest = records.shuffled(using: &generator)[...]
        while !rest.isEmpty {
          let count = Int.random(in: 1...12, using: &generator)
          _ = try store.run(rest.prefix(count), .newestByProperty)
          rest = rest.dropFirst(count)
        }
        let content = try store.content(times: true)
        if let first {
          let difference = Set(first).symmetricDifference(content)
          #expect(difference.isEmpty, "seed \(seed)")
        }
        first = content
        let again = try store.run(records, .newestByProperty)
        #expect(again.counters.updated == 0, "seed \(seed)")
        #expect(try store.content(times: true) == content, "seed \(seed)")
      }
    }
  }

  @Test func `newest-by-property keeps the newest value of each member`() throws {
    let store = try MergeStore(Self.document)
    let records = [
      #"{"id":1,"at":1,"price":"ask","open":7,"w":1,"x":1}"#, #"{"id":1,"at":2,"x":2}"#,
      #"{"id":1,"at":3,"open":true}"#, #"{"id":1,"at":0,"price":1.5,"w":9,"v":0}"#,
    ]
    for record in records { _ = try store.run([record], .newestByProperty) }
    #expect(
      try Self.records(store) == [#"{"at":3,"id":1,"open":true,"price":"ask","v":0,"w":1,"x":2}"#])
  }

  @Test func `merged losers give their winner the members that it lacks`() throws {
    let store = try MergeStore(Self.document)
    let records = [
      #"{"id":1,"at":3,"price":"ask","w":1}"#, #"{"id":1,"at":2,"price":2.5,"open":7,"x":1}"#,
      #"{"id":1,"at":1,"open":true,"w":2,"geo":{"lat":"q","n":1}}"#,
    ]
    _ = try store.run(records, .append)
    let before = try store.dump()
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let layout = try TableLayout(store.model)
    _ = try store.store.deduplicate(Deduplicator(layout: layout, options: options))
    #expect(
      try Self.records(store) == [
        #"{"at":3,"geo":{"lat":"q","n":1},"id":1,"open":true,"price":"ask","w":1,"x":1}"#
      ])
    try store.undo()
    #expect(try store.dump() == before)
  }

  @Test func `losers give their winner the times of the members that it gets`() throws {
    let store = try MergeStore(Self.document)
    let records = [#"{"id":1,"at":3,"price":5,"w":1}"#, #"{"id":2,"at":2,"price":5,"x":1}"#]
    _ = try store.run(records, .newestByProperty)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let layout = try TableLayout(store.model, key: ["price"])
    _ = try store.store.deduplicate(Deduplicator(layout: layout, options: options))
    #expect(
      try store.rows("SELECT id, other, poikit_times ->> '$.other.x' FROM t") == [
        #"1|{"w":1,"x":1}|2000000"#
      ])
    for (time, value) in [(1, 1), (3, 9)] {
      _ = try store.run([#"{"id":1,"at":\#(time),"x":9}"#], .newestByProperty)
      #expect(try store.rows("SELECT other ->> 'x' FROM t") == ["\(value)"], "\(time)")
    }
  }

  @Test func `an object without values is less than the members beside it`() throws {
    let store = try MergeStore(Self.document)
    let records = [#"{"id":1,"at":1,"geo":{},"w":1}"#, #"{"id":1,"at":2,"w":2}"#]
    for record in records { _ = try store.run([record], .newestByProperty) }
    #expect(try Self.records(store) == [#"{"at":2,"id":1,"w":2}"#])
  }

  @Test(arguments: [
    (MergePolicy.objectTrump, #"{"w":1}"#), (.newestByProperty, #"{"w":1}"#),
    (.storeTrump, "no object"),
  ])
  func `unmapped members that cannot be read are kept or replaced as a whole`(
    policy: MergePolicy, other: String
  ) throws {
    let store = try MergeStore(Self.document)
    _ = try store.run([#"{"id":1,"at":1,"w":0}"#], policy)
    try store.execute("UPDATE t SET other = 'no object'")
    _ = try store.run([#"{"id":1,"at":2,"price":1.5,"w":1}"#], policy)
    #expect(try store.rows("SELECT price, other FROM t") == ["1.5|\(other)"])
  }
}
