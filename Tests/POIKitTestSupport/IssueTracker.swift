package import POISQLite
package import POITestSupport

@testable package import POIKit
@testable package import POIRecords

/// Issues with shared tags, and comments with files: records with relations to many of each kind.
/// The label is one of the tags, in a relation to one.
package enum IssueTracker {
  package static let document = #"""
    {"x-table":"issue","x-key":"number","x-timestamp":"changed","type":"object",
     "required":["number"],
     "properties":{
      "number":{"type":"integer"},
      "title":{"type":["string","null"]},
      "changed":{"type":["integer","null"],"x-unit":"seconds"},
      "label":{"type":["string","null"],"x-relation":{"table":"tag","unique":"name"}},
      "tags":{"type":["array","null"],"items":{"type":"string","minLength":1},
       "x-relation":{"table":"tag","unique":"name","join":"issue_tag"}},
      "comments":{"type":"array","x-source":"/thread/comments",
       "x-relation":{"table":"comment","unique":["author","number"],"parent":"issue_id"},
       "items":{"type":"object","required":["author","number"],"properties":{
        "author":{"type":"string"},
        "number":{"type":"integer"},
        "text":{"type":["string","null"],"maxLength":20},
        "mood":{"type":["object","null"],"x-relation":{"table":"mood","unique":"name"},
         "required":["name"],"properties":{"name":{"type":"string"}}},
        "files":{"type":["array","null"],
         "x-relation":{"table":"file","unique":"path"},
         "items":{"type":"object","required":["path"],"properties":{
          "path":{"type":"string"},"size":{"type":"number"}}}}}}}}}
    """#

  package static func model() throws -> Model { try Model(parsing: document) }

  /// All tables with the content of records.
  package static let tables = ["issue", "tag", "issue_tag", "comment", "mood", "file"]

  /// Random issues with few numbers, so that many have the same number.
  ///
  /// - Parameter isDecided: whether issues with the same number always have different timestamps.
  package static func records(
    _ count: Int, isDecided: Bool = false, using generator: inout SplitMix64
  ) -> [String] {
    (0..<count).map { index in
      record(
        number: Int.random(in: 0...count / 3, using: &generator),
        changed: isDecided ? "\(index)" : ["1", "2", "null"].randomElement(using: &generator)!,
        using: &generator)
    }
  }

  package static func record(number: Int, changed: String, using generator: inout SplitMix64)
    -> String
  {
    func some(_ limit: Int, _ element: (Int, inout SplitMix64) -> String) -> String {
      let elements = (0..<limit).filter { _ in Bool.random(using: &generator) }
        .shuffled(using: &generator)
      return "[" + elements.map { element($0, &generator) }.joined(separator: ",") + "]"
    }
    func comment(_ index: Int, _ generator: inout SplitMix64) -> String {
      let text = ["null", "\"a\"", "\"b\""].randomElement(using: &generator)!
      let mood = ["null", #"{"name":"glad"}"#, #"{"name":"sad"}"#].randomElement(using: &generator)!
      let files = ["null", "[]", #"[{"path":"a","size":2}]"#, #"[{"path":"b"},{"path":"a"}]"#]
        .randomElement(using: &generator)!
      return
        #"{"author":"\#(["ann", "bob"][index % 2])","number":\#(index / 2),"text":\#(text),"mood":\#(mood),"files":\#(files)}"#
    }
    var members = [#""number":\#(number)"#, #""changed":\#(changed)"#]
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: break
    case 1: members.append(#""tags":null"#)
    default: members.append(#""tags":"# + some(4) { index, _ in "\"tag \(index)\"" })
    }
    if Int.random(in: 0..<5, using: &generator) > 0 {
      members.append(#""thread":{"comments":"# + some(5, comment) + "}")
    }
    if Bool.random(using: &generator) {
      let label = ["null", "\"tag 1\"", "\"tag 9\""].randomElement(using: &generator)!
      members.append(#""label":\#(label)"#)
    }
    members.shuffle(using: &generator)
    return "{" + members.joined(separator: ",") + "}"
  }

  /// The report of an import, and its store.
  package struct Outcome: ~Copyable {
    package let report: ImportReport
    package let store: Store

    package init(report: ImportReport, store: Store) {
      self.report = report
      self.store = store
    }
  }

  /// Imports records into a new store in memory.
  package static func imported(
    _ records: [String], options: ImportOptions = ImportOptions()
  ) throws -> Outcome {
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: model(), options: options)
    try session.append(Array(records.joined(separator: "\n").utf8).span)
    let report = try session.finish()
    return Outcome(report: report, store: store)
  }

  /// The broken references of a store, by SQLite's own check.
  package static func brokenReferences(in store: Store) throws -> [String] {
    try rows("PRAGMA foreign_key_check", in: store)
  }

  /// All rows of all tables, with their ids.
  package static func dump(_ store: Store) throws -> [[String]] {
    var found: [[String]] = []
    for table in tables { found.append(try POIKitTestSupport.dump(table, in: store)) }
    return found
  }

  /// Selects the tags and comments of each issue, in words, sorted.
  package static let relationsQuery: SQL = """
    SELECT i.number || ': ' || t.name FROM issue AS i JOIN issue_tag AS j ON j.issue = i.poikit_id
    JOIN tag AS t ON t.poikit_id = j.tag
    UNION ALL
    SELECT i.number || ': ' || c.author || ' ' || c.number FROM issue AS i
    JOIN comment AS c ON c.issue_id = i.poikit_id
    ORDER BY 1
    """

  package static func relations(in store: Store) throws -> [String] {
    try rows(relationsQuery, in: store)
  }
}
