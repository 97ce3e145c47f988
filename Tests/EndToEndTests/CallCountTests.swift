import Foundation
import POISQLite
import POITestSupport
import Testing

/// Machine-independent budgets: how often the tools call the C library and SQLite. The cost per
/// record is the difference between a larger and a smaller run.
@Suite struct CallCountTests {
  /// The folder of the released tools, named by `Tests/run`. A debug build allocates where they do
  /// not.
  static let releaseFolder = ProcessInfo.processInfo.environment["RELEASE_TOOLS"]

  private static let counter = PreloadedLibrary.path("CallCounter")

  private func counts(
    of tool: Tool, _ arguments: [String], in folder: borrowing ScratchFolder, exitCode: Int32 = 0
  ) throws -> [String: Int] {
    let outcome = try tool.run(
      arguments, in: folder.path,
      environment: [
        "LD_PRELOAD": Self.counter, "CALL_COUNTS": folder.file("counts"),
        // Otherwise the order of sets, and with it an allocation or two, differs in each run.
        "SWIFT_DETERMINISTIC_HASHING": "1",
      ])
    #expect(outcome.exitCode == exitCode, "\(outcome.messages)")
    let lines = try String(contentsOfFile: folder.file("counts"), encoding: .utf8)
      .split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let words = line.split(separator: " ")
        return (String(words[0]), Int(words[1]) ?? -1)
      })
  }

  private func difference(
    _ name: String, _ less: [String: Int], _ more: [String: Int]
  ) throws -> Int {
    try #require(more[name]) - #require(less[name])
  }

  @Test(.enabled(if: releaseFolder != nil), arguments: ["1", "2"])
  func `records are parsed, decoded, validated and digested without allocating`(
    jobs: String
  ) throws {
    let folder = try ScratchFolder()
    let tool = Tool(path: try #require(Self.releaseFolder) + "/poi-import")
    let counts = try [10_000, 20_000].map { count in
      let name = try folder.write(Self.places(0..<count), to: "\(count).json")
      return try self.counts(of: tool, ["--dry-run", "--jobs", jobs, name], in: folder)
    }
    #expect(try difference("allocations", counts[0], counts[1]) == 0)
  }

  /// Every rule but `pattern`, whose engine allocates.
  @Test(.enabled(if: releaseFolder != nil))
  func `rules of every kind are checked without allocating`() throws {
    let folder = try ScratchFolder()
    let tool = Tool(path: try #require(Self.releaseFolder) + "/poi-import")
    let model = try folder.write(Self.ruledModel, to: "model.json")
    let counts = try [10_000, 20_000].map { count in
      let records = (0..<count).map(Self.ruledRecord).joined(separator: "\n")
      let name = try folder.write(records, to: "\(count).ndjson")
      return try self.counts(of: tool, ["--dry-run", "--model", model, name], in: folder)
    }
    #expect(try difference("allocations", counts[0], counts[1]) == 0)
  }

  private static let ruledModel = ##"""
    {
      "x-table": "stop",
      "x-coordinates": { "latitude": "lat", "longitude": "lon" },
      "additionalProperties": false,
      "minProperties": 3,
      "maxProperties": 20,
      "dependentRequired": { "lat": ["lon"] },
      "properties": {
        "lat": { "type": "number", "exclusiveMinimum": -90, "exclusiveMaximum": 90 },
        "lon": { "type": "number", "multipleOf": 0.000001 },
        "name": { "type": "string", "minLength": 1, "maxLength": 40, "x-not-blank": true,
          "x-no-controls": true },
        "kind": { "enum": ["bus", "tram", { "other": [1.5, "ferry"] }] },
        "level": { "type": "integer", "default": 0 },
        "operator": { "type": "string", "default": "unknown operator" },
        "opens": { "type": "string", "format": "time" },
        "since": { "type": "string", "format": "date" },
        "mail": { "type": "string", "format": "email" },
        "site": { "type": "string", "format": "uri" },
        "path": { "type": "string", "format": "json-pointer" },
        "lines": { "type": "array", "minItems": 1, "maxItems": 9, "uniqueItems": true,
          "items": { "$ref": "#/$defs/line" } },
        "tree": { "$ref": "#/$defs/tree" }
      },
      "$defs": {
        "line": {
          "type": "object",
          "required": ["number", "id"],
          "properties": { "number": { "type": "integer", "minimum": 1 },
            "id": { "type": "string", "format": "uuid" },
            "seen": { "type": "string", "format": "date-time" }, "fixed": { "const": [true] } },
          "additionalProperties": false,
          "dependentRequired": { "seen": ["fixed"] },
          "minProperties": 2, "maxProperties": 4
        },
        "tree": { "type": "object", "properties": { "in": { "items": { "$ref": "#/$defs/tree" } } } }
      }
    }
    """##

  private static func ruledRecord(_ index: Int) -> String {
    let id = "00000000-0000-0000-0000-\(String(format: "%012d", index))"
    let kinds = [#""bus""#, #""tram""#, #"{"other":[15e-1,"ferry"]}"#]
    return """
      {"lat":\(index % 89).25,"lon":\(index % 179).133731,"name":"stop \(index)",\
      "kind":\(kinds[index % 3]),"opens":"09:30:00Z","since":"2024-02-29",\
      "mail":"stop\(index)@example.org","site":"https://example.org/\(index)?a=b","path":"/a/\(index)",\
      "lines":[{"number":\(index + 1),"id":"\(id)"},{"number":7,"id":"\(id)",\
      "seen":"2024-02-29T12:30:00Z","fixed":[true]}],"tree":{"in":[{"in":[]},{}]}}
      """
  }

  @Test(.enabled(if: releaseFolder != nil))
  func `arrays are decoded and digested as rows without allocating`() throws {
    let folder = try ScratchFolder()
    let tool = Tool(path: try #require(Self.releaseFolder) + "/poi-import")
    let model = try folder.write(
      #"""
      {"x-table":"country","required":["name","states"],"properties":{"name":{"type":"string"},
       "tags":{"type":"array","items":{"type":"string"},
        "x-relation":{"table":"tag","unique":"name","join":"country_tag"}},
       "states":{"type":"array","x-relation":{"table":"state","unique":"name"},
        "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
         "cities":{"type":"array","x-relation":{"table":"city","unique":"name"},
          "items":{"type":"object","required":["name"],"properties":{
           "name":{"type":"string"},"latitude":{"type":"number"}}}}}}}}}
      """#, to: "model.json")
    let counts = try [10_000, 20_000].map { count in
      let record =
        #"{"name":"a","tags":["x","y","x"],"states":[{"name":"b","cities":[{"name":"c","latitude":1.5},{"name":"d"}]},{"name":"e"}]}"#
      let name = try folder.write(
        String(repeating: record + "\n", count: count), to: "\(count).ndjson")
      return try self.counts(
        of: tool, ["--dry-run", "--model", model, "--jobs", "1", name], in: folder)
    }
    #expect(try difference("allocations", counts[0], counts[1]) == 0)
  }

  @Test func `a megabyte needs at most eight reads`() throws {
    let folder = try ScratchFolder()
    let text = String(repeating: "a text of some length ", count: 100)
    let counts = try [1_000, 4_000].map { count in
      let name = try folder.write(
        Self.places(0..<count, information: text), to: "\(count).json")
      return try self.counts(of: Tool("poi-import"), ["--dry-run", name], in: folder)
    }
    let byteCount = try difference("read-bytes", counts[0], counts[1])
    #expect(byteCount > 6_000_000)
    #expect(try difference("reads", counts[0], counts[1]) * 1_000_000 <= byteCount * 8)
  }

  @Test func `an import commits once per batch and prepares its statements once`() throws {
    let folder = try ScratchFolder()
    let name = try folder.write(Self.places(0..<2_000), to: "data.json")
    let counts = try [500, 100].map { size in
      try self.counts(
        of: Tool("poi-import"), ["--batch", "\(size)", "--store", "\(size).sqlite", name],
        in: folder)
    }
    #expect(try difference("commits", counts[0], counts[1]) == 2_000 / 100 - 2_000 / 500)
    #expect(try difference("prepares", counts[0], counts[1]) == 0)
  }

  /// Every place occurs twice, so every batch is full of losers.
  @Test func `a deduplication commits once per batch and prepares its statements once`() throws {
    let folder = try ScratchFolder()
    let name = try folder.write(Self.places(0..<2_000), to: "data.json")
    let counts = try [500, 100].map { size in
      let store = "\(size).sqlite"
      for _ in 0..<2 {
        let outcome = try Tool("poi-import").run(
          ["--store", store, "--restart", name], in: folder.path)
        #expect(outcome.exitCode == 0, "\(outcome.messages)")
      }
      return try self.counts(
        of: Tool("poi-dedup"), ["--key", "identifier", "--batch", "\(size)", "--store", store],
        in: folder)
    }
    #expect(try difference("commits", counts[0], counts[1]) == 2_000 / 100 - 2_000 / 500)
    #expect(try difference("prepares", counts[0], counts[1]) == 0)
  }

  /// Each loser has a row that its winner also has; all are removed in one transaction.
  @Test func `losers' rows are moved by statements that are prepared once`() throws {
    let folder = try ScratchFolder()
    let model = try folder.write(
      #"""
      {"x-table":"t","x-key":"k","properties":{"k":{"type":"integer"},"at":{"type":"integer"},
       "tags":{"type":"array","items":{"type":"string"},
        "x-relation":{"table":"tag","unique":"name","join":"t_tag"}}}}
      """#, to: "model.json")
    let counts = try [100, 300].map { count in
      let records = (0..<count).map { #"{"k":1,"at":\#($0),"tags":["a"]}"# }
      let name = try folder.write(records.joined(separator: "\n"), to: "\(count).ndjson")
      let store = "\(count).sqlite"
      let outcome = try Tool("poi-import").run(
        ["--model", model, "--store", store, name], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
      return try self.counts(of: Tool("poi-dedup"), ["--key", "k", "--store", store], in: folder)
    }
    #expect(try difference("prepares", counts[0], counts[1]) == 0)
  }

  @Test func `a reject file and its name are synced once`() throws {
    let folder = try ScratchFolder()
    let name = try folder.write("[{},{},{},{},{}]", to: "data.json")
    let counts = try [["--store", "a"], ["--store", "b", "--rejects", "r"]].map { options in
      let arguments = options + ["--model", "poi", "--batch", "1", name]
      return try self.counts(of: Tool("poi-import"), arguments, in: folder, exitCode: 1)
    }
    #expect(try difference("syncs", counts[0], counts[1]) == 2)
  }

  /// Besides the batches, an import syncs the journal, name and first page of a new store, the
  /// beginning and name of the log, the end of the input, and finally log and store. A
  /// deduplication syncs the log and its name, and log and store.
  @Test func `the tools sync once per batch, and few times more`() throws {
    let folder = try ScratchFolder()
    let name = try folder.write(Self.places(0..<2_000), to: "data.json")
    for (size, batchCount) in [(500, 4), (100, 20)] {
      let store = ["--batch", "\(size)", "--store", "\(size).sqlite"]
      let importing = try self.counts(of: Tool("poi-import"), store + [name], in: folder)
      #expect(importing["syncs"] == batchCount + 8)
      _ = try Tool("poi-import").run(store + ["--restart", name], in: folder.path)
      let deduplicating = try self.counts(
        of: Tool("poi-dedup"), store + ["--key", "identifier", "--enforce"], in: folder)
      #expect(deduplicating["syncs"] == batchCount + 4)
    }
  }

  private static func places(_ range: Range<Int>, information: String = "a text") -> String {
    let places = range.map { index in
      """
      {"identifier":"00000000-0000-0000-0000-\(String(format: "%012d", index))",\
      "name":"place \(index)","latitude":\(index % 90).4375,"longitude":\(index % 180).133731,\
      "address":"a street \(index)","city":"Zürich","country":"CH","information":"\(information)",\
      "updatedAt":"2024-02-29T12:30:\(10 + index % 50)Z","category":{"name":"c\(index % 7)"}}
      """
    }
    return "[" + places.joined(separator: ",\n") + "]"
  }
}
