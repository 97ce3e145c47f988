import POIKitTestSupport
import POISQLite
import POITestSupport

@testable import POIKit
@testable import POIRecords

/// A record of the tables that the deduplication tests make.
struct SampleRecord: Hashable {
  var key: String?
  var part: Int64?
  var time: Int64?
  var isRemoval = false
  var note: String?

  /// Random records with few keys and few timestamps, so that every kind of tie happens.
  static func random(count: Int, using generator: inout SplitMix64) -> [SampleRecord] {
    (0..<count).map { _ in
      SampleRecord(
        key: Int.random(in: 0..<8, using: &generator) == 0
          ? nil : "key \(Int.random(in: 0..<max(count / 4, 1), using: &generator))",
        part: Int.random(in: 0..<6, using: &generator) == 0
          ? nil : Int64.random(in: 0..<2, using: &generator),
        time: Int.random(in: 0..<4, using: &generator) == 0
          ? nil : Int64.random(in: 0..<3, using: &generator),
        isRemoval: Int.random(in: 0..<4, using: &generator) == 0,
        note: Int.random(in: 0..<5, using: &generator) == 0
          ? nil : "note \(Int.random(in: 0..<3, using: &generator))")
    }
  }
}

/// A table `sample` in memory, and helpers to read it.
enum SampleTable {
  static let columns = ["key", "part", "time", "dead", "note"]

  /// A connection whose table holds the records in the given order.
  static func connection(_ records: [SampleRecord]) throws(SQLiteError) -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      "CREATE TABLE sample (\"key\" TEXT, part INTEGER, time INTEGER, dead INTEGER, note TEXT)")
    try insert(records, into: connection)
    return connection
  }

  static func insert(
    _ records: [SampleRecord], into connection: Connection
  ) throws(SQLiteError) {
    var insert = try connection.prepare("INSERT INTO sample VALUES (?1, ?2, ?3, ?4, ?5)")
    for record in records {
      for parameter in 1...5 { try insert.bindNull(parameter) }
      if let key = record.key { try insert.bind(1, text: key) }
      if let part = record.part { try insert.bind(2, integer: part) }
      if let time = record.time { try insert.bind(3, integer: time) }
      try insert.bind(4, integer: record.isRemoval ? 1 : 0)
      if let note = record.note { try insert.bind(5, text: note) }
      try insert.run()
    }
  }

  static func layout(
    key: [String] = ["key"], in connection: Connection
  ) throws(StoreError) -> TableLayout {
    try TableLayout(
      describing: "sample", in: connection, key: key, timestamp: "time", tombstone: "dead")
  }

  /// The records of the table, sorted, without their ids.
  static func content(_ connection: Connection) throws(SQLiteError) -> [String] {
    try rows(
      "SELECT quote(\"key\"), quote(part), quote(time), quote(dead), quote(note) FROM sample",
      in: connection
    ).sorted()
  }
}
