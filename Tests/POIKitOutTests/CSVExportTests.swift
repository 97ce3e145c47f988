import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct CSVExportTests {
  private static func csv(_ store: Store, columns: [String] = []) throws -> String {
    var options = ExportOptions()
    options.format = .csv
    options.columns = columns
    var text = ""
    try store.export(options: options) { text += String(copying: $0) }
    return text
  }

  private static let document = #"""
    {"x-table":"t","x-key":"id","x-unmapped-column":"rest","properties":{
      "id":{"type":"integer"},"open":{"type":["boolean","null"]},
      "day":{"type":["string","null"],"format":"date-time"},
      "date":{"type":["string","null"],"format":"date","x-date-pattern":"d. MMMM yyyy"},
      "hours":{"type":["object","null"]},"any":{"type":["object","string","number","null"]},
      "city":{"type":["object","null"],"x-relation":{"table":"city","unique":["name","land"]},
        "properties":{"name":{"type":"string"},"land":{"type":"string"}},"required":["name","land"]},
      "kind":{"type":["string","null"],"x-relation":{"table":"kind","unique":"kind"}},
      "tags":{"type":"array","x-relation":{"table":"tag","unique":"tag"},"items":{"type":"string"}}}}
    """#

  @Test func `values are fields that programs for tables read`() throws {
    let store = try Store.inMemory()
    let records = #"""
      {"id":1,"open":true,"day":"2024-01-01T00:00:00+01:00","date":"3. May 2024","hours":{"a":[1, 2]},"any":"{}",
       "city":{"name":"A,B","land":"\"x\""},"kind":"a\nb","tags":["b","a"],"more":[null]}
      {"id":2,"any":{"b":1.50},"city":{"name":"","land":"é"},"kind":" ","tags":[]}
      {"id":3,"any":1.5}
      """#
    let report = try store.importRecords(
      from: .text(records), model: Model(parsing: Self.document))
    #expect(report.counters.rejected == 0, "\(report.counters)")
    let expected = [
      "id,open,day,date,hours,any,city.name,city.land,kind,tags,rest",
      #"1,true,2023-12-31T23:00:00Z,3. May 2024,"{""a"":[1,2]}",{},"A,B","""x""","a\#nb","[""a"",""b""]","{""more"":[null]}""#,
      #"2,,,,,"{""b"":1.50}","",é, ,,"#, "3,,,,,1.5,,,,,",
    ]
    #expect(try Self.csv(store) == expected.map { $0 + "\r\n" }.joined())
    #expect(
      try Self.csv(store, columns: ["kind", "city", "id"])
        == "kind,city.name,city.land,id\r\n\"a\nb\",\"A,B\",\"\"\"x\"\"\",1\r\n ,\"\",é,2\r\n,,,3\r\n"
    )
    #expect(throws: StoreError.self) { try Self.csv(store, columns: ["town"]) }
  }

  @Test func `columns have names of their own, and no line is empty`() throws {
    let store = try Store.inMemory()
    let document =
      #"{"x-table":"t","properties":{"a":{"type":["string","null"]},"c.name":{"type":["string","null"]},"#
      + #""c":{"type":["object","null"],"x-relation":{"table":"c","unique":"name"},"required":["name"],"#
      + #""properties":{"name":{"type":"string"}}}}}"#
    try store.importRecords(
      from: .text(#"{"c.name":"x","c":{"name":"y"}}{"a":""}"#), model: Model(parsing: document))
    #expect(try Self.csv(store) == "a,c.name,c.name_\r\n,x,y\r\n\"\",,\r\n")
    #expect(try Self.csv(store, columns: ["a"]) == "a\r\n\"\"\r\n\"\"\r\n")
    #expect(
      try Self.csv(store, columns: ["c", "c.name", "c"])
        == "c.name,c.name_\r\nx,y\r\n,\r\n")
  }

  @Test func `random texts come back`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (a TEXT, b TEXT, c TEXT)")
    var insertion = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
    var rows: [[String?]] = []
    for _ in 0..<500 {
      let row = (0..<3).map { _ in
        Bool.random(using: &generator)
          ? String(
            (0..<Int.random(in: 0...9, using: &generator)).map { _ in
              ["a", ",", "\"", "\n", "\r", " ", "ü", "'"].randomElement(using: &generator) ?? "a"
            }.joined()) : nil
      }
      for (place, text) in row.enumerated() { try insertion.bind(place + 1, text: text) }
      try insertion.run()
      rows.append(row)
    }
    var options = ExportOptions()
    options.format = .csv
    var bytes: [UInt8] = []
    try Store.export(table: "t", of: connection, options: options) { piece in
      for index in piece.indices { bytes.append(piece[index]) }
    }
    #expect(Self.parse(bytes) == [["a", "b", "c"]] + rows, "seed \(seed)")
  }

  /// The records of comma-separated values (RFC 4180); an empty field without quotes is nil.
  private static func parse(_ bytes: [UInt8]) -> [[String?]] {
    var records: [[String?]] = []
    var record: [String?] = []
    var field: [UInt8] = []
    var (isQuoted, wasQuoted, index) = (false, false, 0)
    func end() {
      record.append(
        field.isEmpty && !wasQuoted ? nil : String(decoding: field, as: UTF8.self))
      field = []
      wasQuoted = false
    }
    while index < bytes.count {
      let byte = bytes[index]
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          field.append(byte)
        } else if index + 1 < bytes.count, bytes[index + 1] == byte {
          field.append(byte)
          index += 1
        } else {
          isQuoted = false
        }
      } else if byte == UInt8(ascii: "\"") {
        (isQuoted, wasQuoted) = (true, true)
      } else if byte == UInt8(ascii: ",") {
        end()
      } else if byte == 0x0D {
        end()
        records.append(record)
        record = []
        index += 1
      } else {
        field.append(byte)
      }
      index += 1
    }
    return records
  }

  @Test func `a text that is not UTF-8 is repaired and counted`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      "CREATE TABLE t (a, b); INSERT INTO t VALUES (CAST(x'ff2c' AS TEXT), x'00ff')")
    var options = ExportOptions()
    options.format = .csv
    var text = ""
    let report = try Store.export(table: "t", of: connection, options: options) {
      text += String(copying: $0)
    }
    #expect(text == "a,b\r\n\"\u{FFFD},\",AP8=\r\n")
    #expect(report.repairedTextCount == 1)
  }

  @Test func `a spreadsheet runs no text of a safe file`() throws {
    let store = try Store.inMemory()
    let document =
      #"{"x-table":"t","properties":{"=a":{"type":["string","null"],"x-column":"a"},"n":{"type":["number","null"]}}}"#
    try store.importRecords(
      from: .text(
        #"{"=a":"=cmd|' /C calc'!A0","n":-1.5}{"=a":"+1"}{"=a":"-1,2"}{"=a":"@x"}{"=a":"\t=1"}{"=a":"\r=1"}{"=a":"a=1"}{"=a":""}"#
      ), model: Model(parsing: document))
    var options = ExportOptions()
    options.format = .csv
    var text = ""
    try store.export(options: options) { text += String(copying: $0) }
    #expect(text.hasPrefix("=a,n\r\n=cmd|"))
    options.isSpreadsheetSafe = true
    text = ""
    try store.export(options: options) { text += String(copying: $0) }
    let expected = [
      "'=a,n", "'=cmd|' /C calc'!A0,-1.5", "'+1,", "\"'-1,2\",", "'@x,", "'\t=1,", "\"'\r=1\",",
      "a=1,",
      "\"\",",
    ]
    #expect(text == expected.map { $0 + "\r\n" }.joined())
  }

  @Test func `a table with removed rows is compared with its digest, too`() throws {
    let store = try Store.inMemory()
    let document = #"""
      {"x-table":"t","x-key":"id","x-tombstone":"gone","properties":{
        "id":{"type":"integer"},"gone":{"type":["boolean","null"]}}}
      """#
    var options = ImportOptions()
    options.mergePolicy = .newest
    try store.importRecords(
      from: .text(#"{"id":1} {"id":2,"gone":true}"#), model: Model(parsing: document),
      options: options)
    #expect(try Self.csv(store) == "id,gone\r\n1,\r\n")
    try store.execute("UPDATE poikit_digest SET digest = zeroblob(16)")
    let error = #expect(throws: StoreError.self) { try Self.csv(store) }
    #expect(error?.message.contains("the table t is damaged") == true)
  }
}
