import POISQLite
import POITestSupport
import Testing

/// Where the records are in a file that the user knows nothing about.
extension FirstImportTests {
  @Test(arguments: [["stops.json"], ["--infer", "stops.json"]])
  func `the members of an object of objects are offered as records`(arguments: [String]) throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"a":{"name":"A","zone":1},"b":{"name":"B","zone":2,"note":"x"},"c":{"name":"C","zone":1}}"#,
      to: "stops.json")
    let outcome = try tool.run(arguments, in: folder.path)
    #expect(outcome.exitCode == 65, "\(outcome)")
    #expect(outcome.messages.contains("an object of 3 objects that are alike"), "\(outcome)")
    #expect(Files.names(in: folder.path) == ["stops.json"])
    let next = try run(command: command(after: "records at the top level", in: outcome), in: folder)
    #expect(next.exitCode == 0, "\(next)")
    #expect(
      try rows("SELECT key, name, zone FROM stops", in: folder) == ["a|A|1", "b|B|2", "c|C|1"])
  }

  @Test(arguments: [
    (
      #"{"page":1,"results":[],"next":null}"#,
      "there are no records: the array at /results is empty"
    ),
    ("[]", "there are no records"), (#"{"id":1,"items":[]}"#, nil),
    (#"{"name":"x","values":[]}"#, nil), (#"[{"a":{"x":1},"b":{"x":1},"c":{"x":1}}]"#, nil),
    (#"{"a":{"x":1},"b":{"y":1},"c":{"z":1}}"#, nil),
  ])
  func `an empty page is not a record`(text: String, message: String?) throws {
    let folder = try ScratchFolder()
    try folder.write(text, to: "page.json")
    let outcome = try tool.run(["--infer", "page.json"], in: folder.path)
    #expect(outcome.exitCode == (message == nil ? 0 : 65), "\(outcome)")
    if let message {
      #expect(outcome.messages.contains(message), "\(outcome)")
      #expect(Files.names(in: folder.path) == ["page.json"])
    } else {
      #expect(outcome.output.contains("inserted  1"), "\(outcome)")
    }
  }

  @Test func `records of another place in the file do not go into its table`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"shows":[{"id":1,"price":2}],"events":{"7":{"id":7,"title":"x"}}}"#, to: "all.json")
    #expect(try tool.run(["--infer", "all.json"], in: folder.path).exitCode == 0)
    let refused = try tool.run(["--infer", "--at", "/events", "all.json"], in: folder.path)
    #expect(refused.exitCode == 64, "\(refused)")
    #expect(
      refused.messages.contains(
        "the table all_record has records from /shows; name a table for those at /events with --table"
      ),
      "\(refused)")
    for place in [["/shows"], ["/events", "--table", "events"], ["/events", "--table", "all"]] {
      let outcome = try tool.run(["--infer", "--at"] + place + ["all.json"], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    #expect(try rows("SELECT title FROM events", in: folder) == ["x"])
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":7,"result":[{"id":1,"n":"a"},{"id":2,"n":"b"}]}"#,
    #"{"id":7,"features":[{"type":"Feature","id":1},{"id":2}],"type":"FeatureCollection"}"#,
    #"{"id":200,"data":[{"id":1,"of":{"x":1}},{"id":2,"of":null}]}"#,
  ])
  func `records in an envelope with a member of the key's name are imported, later ones too`(
    text: String
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(text, to: "feed.json")
    for arguments in [["--infer", "feed.json"], ["feed.json"], ["--infer", "-"]] {
      let outcome = try tool.run(
        arguments + ["--table", "feed"], in: folder.path, input: Array(text.utf8))
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let ids = try rows("SELECT id FROM feed ORDER BY 1", in: folder)
    #expect(ids == ["1", "1", "1", "2", "2", "2"])
  }

  @Test func `a dry run finds the records where earlier deliveries had them`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"id":7,"result":[{"id":1},{"id":2}]}"#, to: "feed.json")
    for arguments in [["--infer"], ["--dry-run", "--table", "feed"]] {
      let outcome = try tool.run(["feed.json"] + arguments, in: folder.path)
      #expect(outcome.exitCode == 0 && outcome.output.contains("records at /result"), "\(outcome)")
    }
  }

  @Test func `files that are each one object are the records`() throws {
    let folder = try ScratchFolder()
    for (id, images) in [(1, #"[{"u":"a"}]"#), (2, "[]"), (3, #"[{"u":"b"},{"u":"c"}]"#)] {
      try folder.write(
        #"{"id":\#(id),"title":"t","images":\#(images),"makers":[{"n":"x"}]}"#, to: "o\(id).json")
    }
    let files = ["o1.json", "o2.json", "o3.json"]
    let outcome = try tool.run(files + ["--infer", "--table", "object"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let later = try tool.run(files + ["--table", "object"], in: folder.path)
    #expect(later.exitCode == 0, "\(later)")
    #expect(
      try rows("SELECT id, count(*) FROM object GROUP BY 1", in: folder) == ["1|2", "2|2", "3|2"])
    try folder.write(#"{"other":[{"n":1}],"more":[{"n":2}]}"#, to: "z.json")
    let unlike = try tool.run(["o1.json", "z.json", "--infer", "--table", "z"], in: folder.path)
    #expect(unlike.exitCode == 65 && unlike.messages.contains("several arrays"), "\(unlike)")
  }

  @Test func `the only array of each file holds the records, and the rest is named`() throws {
    let folder = try ScratchFolder()
    for id in 1...2 {
      try folder.write(
        #"{"id":\#(id),"title":"t","images":[{"u":"a"},{"u":"b"}]}"#, to: "o\(id).json")
    }
    let elements = try tool.run(
      ["o1.json", "o2.json", "--infer", "--table", "image"], in: folder.path)
    #expect(elements.exitCode == 0, "\(elements)")
    #expect(elements.messages.contains("left out: /id, /title; --at '' takes each"), "\(elements)")
    #expect(try rows("SELECT count(*) FROM image", in: folder) == ["4"])
    for files in [["o1.json", "o2.json"], ["o1.json"]] {
      let whole = try tool.run(
        files + ["--infer", "--table", "t\(files.count)", "--at", ""], in: folder.path)
      #expect(whole.exitCode == 0, "\(whole)")
      let count = try rows(
        files.count == 2 ? "SELECT count(id) FROM t2" : "SELECT count(id) FROM t1", in: folder)
      #expect(count == ["\(files.count)"])
    }
  }

  @Test func `several arrays give a command each, the likeliest first`() throws {
    let folder = try ScratchFolder()
    let members = (0..<120).map {
      #""p\#($0)":{"version":"1","developers":[{"name":"n"},{"name":"m"}]}"#
    }
    try folder.write(
      #"{"list":[{"a":1}],"plugins":{\#(members.joined(separator: ","))}}"#, to: "plugins.json")
    let outcome = try tool.run(["plugins.json"], in: folder.path)
    #expect(outcome.exitCode == 65)
    let notes = outcome.messages.split(separator: "\n").dropFirst()
    #expect(
      notes == [
        "poi-import: note: records at /plugins: poi-import --infer --at /plugins plugins.json",
        "poi-import: note: records at /list: poi-import --infer --at /list plugins.json",
      ], "\(outcome)")
    let next = try run(command: command(after: "at /plugins", in: outcome), in: folder)
    #expect(next.exitCode == 0, "\(next)")
    #expect(try rows("SELECT count(*) FROM plugins", in: folder) == ["120"])
    // Arrays that are longer than the object that holds them are likelier.
    let groups = ["x", "y", "z"].map { name in
      #""\#(name)":{"items":[\#((0..<9).map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#
    }
    try folder.write("{\"groups\":{\(groups.joined(separator: ","))}}", to: "groups.json")
    let other = try tool.run(["--infer", "groups.json"], in: folder.path)
    #expect(
      other.messages.contains(
        "/groups/x/items (9), /groups/y/items (9), /groups/z/items (9), /groups (3)"),
      "\(other)")
    #expect(
      other.messages.contains("poi-import --at /groups/x/items --infer groups.json"), "\(other)")
  }

  @Test func `pages of which the last is empty are pages`() throws {
    let folder = try ScratchFolder()
    let pages = [#"{"id":"a","n":1},{"id":"b","n":2}"#, #"{"id":"c","n":1}"#, ""]
    for (number, items) in pages.enumerated() {
      try folder.write(#"{"page":\#(number),"items":[\#(items)]}"#, to: "p\(number).json")
    }
    let files = ["p0.json", "p1.json", "p2.json"]
    let outcome = try tool.run(["--infer", "-t", "t"] + files, in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try rows("SELECT id FROM t ORDER BY id", in: folder) == ["a", "b", "c"])
  }

  @Test func `records with an array at a known place stay records`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"items":[{"id":"a","n":1},{"id":"b","n":2}]}"#, to: "one.json")
    try folder.write(
      #"{"id":"f","n":4,"items":[{"id":"img1","n":9}]}"# + "\n"
        + #"{"id":"g","n":5,"items":[{"id":"img2","n":9}]}"#, to: "two.json")
    #expect(try tool.run(["--infer", "-t", "t", "one.json"], in: folder.path).exitCode == 0)
    #expect(try tool.run(["-t", "t", "two.json"], in: folder.path).exitCode == 0)
    #expect(try rows("SELECT id FROM t ORDER BY id", in: folder) == ["a", "b", "f", "g"])
  }

  @Test func `an answer without records makes neither a table nor a row`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"status":"ok","data":{"stations":[]}}"#, to: "empty.json")
    let empty = try tool.run(["--infer", "empty.json"], in: folder.path)
    #expect(empty.exitCode == 65, "\(empty)")
    #expect(empty.messages.contains("the array at /data/stations is empty"), "\(empty)")
    #expect(!Files.names(in: folder.path).contains("poi.sqlite"))
    try folder.write(#"[{"name":"a","lat":1.5},{"name":"b","lat":2.5}]"#, to: "places.json")
    #expect(try tool.run(["--infer", "places.json"], in: folder.path).exitCode == 0)
    try folder.write(#"{"error":{"code":403}}"#, to: "error.json")
    for option in ["--dry-run", "--report=text"] {
      let refused = try tool.run([option, "-t", "places", "error.json"], in: folder.path)
      #expect(refused.output.contains("rejected  1  required 1"), "\(refused)")
    }
    #expect(try rows("SELECT count(*) FROM places", in: folder) == ["2"])
  }
}
