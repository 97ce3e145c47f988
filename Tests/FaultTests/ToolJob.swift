import Foundation
import POITestSupport

struct ToolJob: Sendable, CustomStringConvertible {
  var name: String
  /// The runs before it, which create its store.
  var preparation: [[String]] = []
  var arguments: [String]
  /// The command after a failed run; `arguments` again if nothing is to be resumed.
  var retry: [String]?
  var input: String?

  var description: String { name }

  var inputFile: String { input ?? arguments.first { Self.inputFiles.contains($0) } ?? "" }

  private static let inputFiles = [
    "array", "lines", "envelope", "packed.gz", "base", "rejected", "answers",
  ]

  private static func importing(
    _ name: String, _ file: String, _ arguments: [String], model: String = "model.json"
  ) -> ToolJob {
    let arguments =
      ["poi-import", "--model", model, "--batch", "7", "--store", "store.sqlite"]
      + arguments + [file == "lines" && name.contains("standard input") ? "-" : file]
    return ToolJob(
      name: name, preparation: name.contains("append") ? [] : [base(model)],
      arguments: arguments, retry: arguments + ["--resume"],
      input: arguments.contains("-") ? file : nil)
  }

  private static func base(_ model: String = "model.json") -> [String] {
    ["poi-import", "--model", model, "--merge", "newest", "--store", "store.sqlite", "base"]
  }

  private static let appended = [
    "poi-import", "--model", "model.json", "--store", "store.sqlite", "many",
  ]

  private static let deduplication = [
    "poi-dedup", "--store", "store.sqlite", "--batch", "5", "--enforce",
  ]

  /// A tracked table with local changes.
  private static let changed = [
    base(), ["poi-import", "--store", "store.sqlite", "--track"],
    ["poi-dedup", "--store", "store.sqlite", "--key", "text"],
  ]

  private static let handing = [
    "poi-export", "--store", "store.sqlite", "--unsent", "-o", "changes.ndjson",
  ]

  static let all: [ToolJob] = [
    importing("append an array", "array", ["--rejects", "bad"]),
    importing("append standard input", "lines", ["--jobs", "1"]),
    importing("merge lines", "lines", ["--rejects", "bad"]),
    importing("overwrite from an envelope", "envelope", ["--merge", "overwrite"]),
    importing("fill from gzip", "packed.gz", ["--merge", "store-trump"]),
    importing("merge a snapshot", "base", ["--snapshot", "--max-removals", "100%"]),
    ToolJob(
      name: "deduplicate to a page", preparation: [appended],
      arguments: deduplication + ["--html", "page.html"]),
    ToolJob(
      name: "merge losers", preparation: [appended],
      arguments: deduplication + ["--merge-losers"]),
    ToolJob(
      name: "undo", preparation: [appended, deduplication],
      arguments: ["poi-dedup", "--store", "store.sqlite", "--undo"]),
    ToolJob(
      name: "purge", preparation: [base()],
      arguments: ["poi-dedup", "--store", "store.sqlite", "--purge-tombstones", "0s"]),
  ]

  /// Jobs on local changes.
  static let tracking: [ToolJob] = [
    ToolJob(name: "track", preparation: [base()], arguments: changed[1]),
    ToolJob(name: "hand out", preparation: changed, arguments: handing),
    ToolJob(
      name: "acknowledge", preparation: changed + [handing],
      arguments: ["poi-import", "--store", "store.sqlite", "--acknowledge", "answers"]),
  ]

  /// Jobs that read JSON besides their input: reject lines, models, times, lists, tokens.
  static let readingMore: [ToolJob] = [
    importing("take rejects back", "rejected", []),
    importing(
      "merge by property", "lines", ["--merge", "newest-by-property"], model: "marking.json"),
    ToolJob(
      name: "unite lists",
      preparation: [["poi-import", "--model", "lists.json", "--store", "store.sqlite", "lists"]],
      arguments: ["poi-dedup", "--store", "store.sqlite", "--merge-losers"]),
    ToolJob(
      name: "print a token", preparation: [base()],
      arguments: [
        "poi-import", "--model", "model.json", "--store", "store.sqlite", "--print-token",
      ]),
    ToolJob(
      name: "print a model", preparation: [base()],
      arguments: ["poi-import", "--store", "store.sqlite", "--print-model", "note"]),
  ]

  /// Jobs that read only valid records, one per line or alone, so that yajl is not called.
  static let needingNoParser: Set = [
    "merge a snapshot", "take rejects back", "unite lists", "print a token", "print a model",
  ]

  private static let listsDocument = #"""
    {"x-table":"list","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "at":{"type":"integer","x-unit":"seconds"},
      "words":{"type":["array","null"],"items":{"enum":["a","b","c","d"]},"maxItems":3,
       "default":["a"],"x-merge":"union"}}}
    """#

  static func writeInputs(to folder: borrowing ScratchFolder) throws {
    try folder.write(FaultJob.document, to: "model.json")
    try folder.write(FaultJob.markingDocument, to: "marking.json")
    let records = FaultJob.records(20, seed: 3) + [#"{"id":"none"}"#, "{\"id\":1,\"at\": nul}"]
    let array = "[\(records.joined(separator: ",\n"))]"
    try folder.write(array, to: "array")
    try folder.write(records.joined(separator: "\n"), to: "lines")
    try folder.write("{\"meta\":[1],\"data\":{\"notes\":\(array)},\"x\":1}", to: "envelope")
    try folder.write(array, to: "packed")
    let rejected = (0..<9).map { #"{"poikit_reject":1,"raw":"{\"id\":\#($0),\"at\":9}"}"# }
    try folder.write(rejected.joined(separator: "\n"), to: "rejected")
    try folder.write(listsDocument, to: "lists.json")
    let lists = (0..<40).map { number in
      let words = ["a", "b", "c", "d"].prefix(1 + number % 4).suffix(2)
      return #"{"id":\#(number / 4),"at":\#(number % 3),"words":\#(Array(words))}"#
    }
    try folder.write(lists.joined(separator: "\n"), to: "lists")
    let answers = (1...9).map { #"{"key":{"id":\#($0)},"edition":2}"# }
    try folder.write(answers.joined(separator: "\n"), to: "answers")
    try folder.write(FaultJob.records(14, seed: 1).joined(separator: "\n"), to: "base")
    try folder.write(FaultJob.records(40, seed: 2).joined(separator: "\n"), to: "many")
    _ = try Tool(path: "/bin/sh").run(["-c", "gzip packed"], in: folder.path)
  }
}
