package import POISQLite
package import POITestSupport
import Testing

@testable package import POIKit
@testable package import POIRecords

/// Shared by the tests of merging: a model with every kind of attribute, random records, imports.
package enum MergeFixture {
  package static let document = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-unmapped-column":"more",
     "properties":{
      "id":{"type":["integer","null"]},
      "text":{"type":["string","null"]},
      "tag":{"type":["string","number","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"},
      "kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":["name","level"]},
       "required":["name","level"],
       "properties":{"name":{"type":"string"},"level":{"type":"integer"}}},
      "zone":{"type":["string","null"],"x-relation":{"table":"zone","unique":"name"}}}}
    """#

  /// The same with defaults of every kind, including the timestamp's.
  package static let documentWithDefaults =
    document
    .replacing(#""text":{"#, with: #""text":{"default":"a longer text","#)
    .replacing(#""tag":{"#, with: #""tag":{"default":2.5,"#)
    .replacing(#""at":{"#, with: #""at":{"default":1,"#)

  /// A random record with few keys, timestamps and values, so that every kind of tie happens.
  package static func record(keyCount: Int, using generator: inout SplitMix64) -> String {
    func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
    let key = Int.random(in: 0..<10, using: &generator) == 0 ? "null" : nil
    let members = [
      #""id":\#(key ?? String(Int.random(in: 0..<keyCount, using: &generator)))"#,
      #""text":\#(pick("\"a\"", "\"b\"", "\"long enough to be no short text\"", "null"))"#,
      #""tag":\#(pick("1", "1.0", "2.5", "\"1\"", "null"))"#,
      #""at":\#(pick("0", "1", "2", "-1", "null"))"#,
      #""kind":\#(pick("{\"name\":\"a\",\"level\":1}", "{\"name\":\"a\",\"level\":2}", "null"))"#,
      #""zone":\#(pick("\"a\"", "\"b\"", "null"))"#,
      #""other":\#(pick("1", "2"))"#,
    ].filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
    return "{\(members.joined(separator: ","))}"
  }

  package static func records(_ count: Int, using generator: inout SplitMix64) -> [String] {
    let keyCount = max(1, count / 4)
    return (0..<count).map { _ in record(keyCount: keyCount, using: &generator) }
  }
}

/// A store in memory for several imports.
package final class MergeStore {
  package let model: Model
  package let store: Store

  package init(_ document: String = MergeFixture.document, store: Store? = nil) throws {
    model = try Model(parsing: document)
    self.store = try store ?? .inMemory()
  }

  /// Imports records as one input called `bytes`.
  package func run(
    _ records: some Sequence<String>, _ options: ImportOptions,
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws -> ImportReport {
    var session = try ImportSession(
      into: store, model: model, options: options, onProgress: onProgress)
    if try session.beginInput(named: "bytes") {
      try session.append(Array(records.joined(separator: "\n").utf8).span)
    }
    let report = try session.finish()
    return report
  }

  package func run(_ records: some Sequence<String>, _ policy: MergePolicy) throws -> ImportReport {
    var options = ImportOptions()
    options.mergePolicy = policy
    return try run(records, options)
  }

  /// Deduplicates the table by the model's key, and enforces it.
  @discardableResult
  package func deduplicate(_ enforcement: DeduplicationOptions.KeyEnforcement = .index) throws
    -> DeduplicationReport
  {
    var options = DeduplicationOptions()
    options.enforcement = enforcement
    let deduplicator = Deduplicator(layout: try TableLayout(model), options: options)
    return try store.deduplicate(deduplicator)
  }

  /// Undoes the latest deduplication.
  package func undo() throws { _ = try store.undo() }

  package func execute(_ sql: SQL) throws { try store.execute(sql) }

  package func rows(_ sql: SQL) throws -> [String] {
    try POIKitTestSupport.rows(sql, in: store)
  }

  /// Replaces the bytes of a blob.
  ///
  /// - Parameter row: the number of the row in the table, from 1.
  package func change(
    _ column: String, ofRow row: Int, in table: String, _ body: (inout [UInt8]) -> Void
  ) throws {
    let (column, table) = (SQL(name: column), SQL(name: table))
    try store.withConnection { connection in
      var reading = try connection.prepare("SELECT \(column) FROM \(table) WHERE rowid = ?")
      try reading.bind(1, integer: Int64(row))
      #expect(try reading.step())
      var bytes: [UInt8] = []
      for byte in reading.bytes(0).indices { bytes.append(reading.bytes(0)[byte]) }
      try reading.reset()
      body(&bytes)
      var update = try connection.prepare("UPDATE \(table) SET \(column) = ? WHERE rowid = ?")
      try update.bind(1, blob: bytes.span)
      try update.bind(2, integer: Int64(row))
      try update.run()
    }
  }

  /// All rows with their ids, byte by byte.
  package func dump() throws -> [String] {
    try POIKitTestSupport.dump(model.table, in: store)
  }

  /// The digest of the table, computed from its rows.
  package func digest() throws -> Digest { try store.digest(of: model).digest }

  /// The rows without their ids, sorted.
  package func content(times: Bool = false) throws -> [String] {
    let columns = try rows(
      """
      SELECT name FROM pragma_table_info(\(literal: "poikit_readable_" + model.table))
      WHERE name <> 'poikit_id'
      """)
    let values: [SQL] =
      columns.map { "quote(v.\(name: $0))" }
      + (times ? ["quote(t.poikit_times)"] : [])
    return try rows(
      """
      SELECT \(values.joined(separator: ", ")) FROM \(name: "poikit_readable_" + model.table) AS v
      JOIN \(name: model.table) AS t USING (poikit_id)
      """
    ).sorted()
  }
}
