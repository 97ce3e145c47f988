import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ModelChangeTests {
  /// A model of places with some of its parts replaced.
  static func model(
    properties: String =
      #""id":{"type":"integer"},"name":{"type":["string","null"]},"seen":{"type":"integer","x-unit":"seconds"}"#,
    required: String = #""id""#,
    rest: String = #","x-key":"id","x-timestamp":"seen""#
  ) throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"place","required":[\#(required)],"properties":{\#(properties)}\#(rest)}
        """#)
  }

  static let attributes =
    #""id":{"type":"integer"},"name":{"type":["string","null"]},"seen":{"type":"integer","x-unit":"seconds"}"#
  static let records = #"{"id":1,"name":"a","seen":1668039187}{"id":2}{"id":1,"name":"b"}"#

  /// Imports a text into the store at the path.
  @discardableResult
  static func importText(_ text: String, _ model: Model, at path: String) throws -> ImportReport {
    var session = try ImportSession(into: Store(path), model: model)
    try session.append(Array(text.utf8).span)
    return try session.finish()
  }

  /// Makes a store with three records.
  static func makeStore(at path: String) throws {
    try importText(records, model(), at: path)
  }

  /// The reason why the model does not fit the store; nil if it fits.
  static func refusal(of model: Model, at path: String) throws -> String? {
    do {
      try Store(path).prepareTables(for: model)
      return nil
    } catch let error as StoreError {
      #expect(error.code == .modelDiffers)
      return error.message
    }
  }

  @Test func `a new optional attribute gets a column and no digest changes`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    let before = try Store(path).digest(of: Self.model()).digest
    let changed = try Self.model(
      properties:
        #""phone":{"type":["string","null"]},"kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":"name"},"required":["name"],"properties":{"name":{"type":"string"}}},"#
        + Self.attributes,
      rest: #","x-key":"id","x-timestamp":"seen","x-unmapped-column":"more""#)
    #expect(try Self.refusal(of: changed, at: path) == nil)
    let store = try Store(path)
    let after = try store.digest(of: changed).digest
    #expect(after == before)
    let document = try store.model().document
    #expect(document == changed.document)
    let text = #"{"id":3,"phone":"7","kind":{"name":"inn"},"other":true}"#
    let report = try Self.importText(text, changed, at: path)
    #expect(report.counters.inserted == 1)
    let found = try rows(
      "SELECT id, phone, kind, more FROM poikit_readable_place ORDER BY poikit_id", in: store)
    #expect(found == ["1|||", "2|||", "1|||", #"3|7|inn|{"other":true}"#])
  }

  @Test func `a changed store has the digest of a store created with the new model`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    let changed = try Self.model(
      properties:
        #""phone":{"type":["string","null"]},"tags":{"type":"array","x-relation":{"table":"tag","unique":"name"},"items":{"type":"string"}},"#
        + Self.attributes)
    let text = #"{"id":3,"phone":"7","tags":["x","y"]}"#
    let late = try Self.importText(text, changed, at: path)
    let early = try Self.importText(Self.records + text, changed, at: folder.file("b.sqlite"))
    #expect(late.digest == early.digest)
  }

  @Test func `existing rows get the default of a new attribute`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    let changed = try Self.model(
      properties:
        #""state":{"type":"string","default":"op\"en"},"level":{"type":"integer","default":-3},"size":{"type":"number","default":1.5},"extra":{"type":"array","default":[1]},"none":{"type":["string","null"],"default":null},"since":{"type":"string","format":"date-time","default":"1970-01-01T00:00:01Z"},"#
        + Self.attributes)
    let late = try Self.importText(#"{"id":3}"#, changed, at: path)
    let early = try Self.importText(
      Self.records + #"{"id":3}"#, changed, at: folder.file("b.sqlite"))
    #expect(late.digest == early.digest)
    let columns: SQL = "SELECT state, level, size, extra, none, since FROM place"
    let found = try rows(columns, in: Store(path))
    #expect(found == Array(repeating: #"op"en|-3|1.5|[1]||1000000"#, count: 4))
  }

  @Test func `a model may get 600 attributes at once`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    let added = (0..<600).map {
      #""a\#($0)":{"type":["integer","null"]\#($0 % 2 == 0 ? #","default":\#($0)"# : "")},"#
    }
    let changed = try Self.model(properties: added.joined() + Self.attributes)
    let text = #"{"id":3,"a1":1}{"id":1,"seen":1668039188,"a599":7}"#
    let late = try Self.importText(text, changed, at: path)
    let early = try Self.importText(Self.records + text, changed, at: folder.file("b.sqlite"))
    #expect(late.digest == early.digest)

    let store = try Store(path)
    let found = try rows("SELECT a0, a1, a598, a599 FROM place", in: store)
    #expect(found == ["0||598|", "0||598|", "0||598|", "0|1|598|", "0||598|7"])
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let deduplicator = Deduplicator(layout: try TableLayout(changed), options: options)
    let report = try store.deduplicate(deduplicator, clock: someInstant)
    #expect(report.rowsLeft == 3)
    let undone = try store.undo(clock: someInstant)
    #expect(undone.restoredRowCount == 2)
    #expect(try store.digest(of: changed).digest == late.digest)
  }

  @Test func `an import that began with another model is restarted, not resumed`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    func take(
      _ name: String, _ model: Model, isStopped: Bool = false,
      _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
      var options = ImportOptions()
      options.batchSize = 1
      change(&options)
      var session = try ImportSession(into: Store(path), model: model, options: options) {
        _ in isStopped ? .stop : .proceed
      }
      try session.beginInput(named: name)
      try session.append(Array(Self.records.utf8).span)
      return try session.finish()
    }
    for name in ["a", "b"] {
      #expect(try take(name, Self.model(), isStopped: true).ending == .stopped)
    }
    let changed = try Self.model(properties: #""phone":{"type":"string"},"# + Self.attributes)
    let refused = #expect(throws: StoreError.self) { try take("a", changed) }
    #expect(refused?.advice == [.useModel(ofTable: "place"), .restart])
    #expect(try take("a", changed) { $0.isRestarting = true }.counters.inserted == 3)
    let behind = #expect(throws: StoreError.self) {
      try take("b", changed) { $0.isResuming = true }
    }
    #expect(behind?.code == .cannotResume)
    #expect(behind?.message.contains("began with the model of digest") == true)
    #expect(try take("b", changed) { $0.isRestarting = true }.counters.inserted == 3)
  }

  @Test func `changes that do not touch rows are accepted`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    let changes = [
      try Self.model(rest: #","x-key":"id","x-timestamp":"seen","title":"Places""#),
      try Self.model(
        properties:
          #""seen":{"type":"string","format":"date-time","x-source":"/when"},"name":{"type":["string","null"],"maxLength":9,"$comment":"short"},"id":{"type":"integer","minimum":0}"#
      ),
      try Self.model(rest: ""),
      try Self.model(rest: #","x-key":["id","name"]"#),
      try Self.model(),
    ]
    for change in changes {
      #expect(try Self.refusal(of: change, at: path) == nil)
      #expect(try Store(path).model().document == change.document)
    }
  }

  @Test func `an attribute becomes required if all rows have a value`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let required = try Self.model(
      properties: #""id":{"type":"integer"},"name":{"type":"string"}"#, required: #""id","name""#,
      rest: "")
    let optional = try Self.model(
      properties: #""id":{"type":"integer"},"name":{"type":"string"}"#, rest: "")
    try Self.importText(#"{"id":1,"name":"a"}"#, optional, at: path)
    #expect(try Self.refusal(of: required, at: path) == nil)
    // The column still accepts NULL, so the model can change back.
    #expect(try Self.refusal(of: optional, at: path) == nil)
    try Self.importText(#"{"id":2}"#, optional, at: path)
    #expect(
      try Self.refusal(of: required, at: path)?
        .contains(#""name" is required, and some rows have no value"#) == true)
  }

  @Test(arguments: [
    (
      #""id":{"type":"integer"},"seen":{"type":"integer","x-unit":"seconds"}"#,
      #""name" is missing"#
    ),
    (
      #""id":{"type":"string"},"name":{"type":["string","null"]},"seen":{"type":"integer","x-unit":"seconds"}"#,
      #""id" is kept in another form: it was an integer and would be text"#
    ),
    (
      #""id":{"type":"integer"},"name":{"type":"string","format":"uuid"},"seen":{"type":"integer","x-unit":"seconds"}"#,
      #""name" is kept in another form: it was text and would be a uuid"#
    ),
    (
      #""id":{"type":"integer"},"name":{"type":["string","null"]},"seen":{"type":"integer","x-unit":"seconds"},"ISFAVORITE":{"type":"boolean"}"#,
      #""ISFAVORITE" would have the column "ISFAVORITE", which another program has added"#
    ),
  ])
  func `a change that loses values is refused`(properties: String, reason: String) throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    try Store(path).execute("ALTER TABLE place ADD COLUMN isFavorite INTEGER")
    let before = try Store(path).model().document
    let message = try #require(
      try Self.refusal(of: Self.model(properties: properties), at: path))
    #expect(message.contains(reason), "\(message)")
    #expect(try Store(path).model().document == before)
  }

  @Test func `all reasons are reported at once and nothing is changed`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let relation =
      #""kind":{"type":"object","x-relation":{"table":"kind","unique":"name"},"required":["name"],"properties":{"name":{"type":"string"}}}"#
    let tags =
      #""tags":{"type":"array","x-relation":{"table":"tag","unique":"name"},"items":{"type":"string"}}"#
    let old = try Self.model(
      properties: "\(Self.attributes),\(relation),\(tags)", rest: #","x-unmapped-column":"more""#)
    try Self.importText(Self.records, old, at: path)
    let new = try Self.model(
      properties: Self.attributes
        + #","kind":{"type":"object","x-relation":{"table":"sort","unique":"name"},"required":["name"],"properties":{"name":{"type":"string"}}},"phone":{"type":"string"},"extra":{"type":"string"}"#,
      required: #""id","phone""#, rest: "")
    let message = try #require(try Self.refusal(of: new, at: path))
    for reason in [
      #"the relation "kind" has another table"#, #"the relation "tags" is missing"#,
      #""phone" is required, and the 3 rows have no value"#,
      #"the unmapped members were kept in "more""#,
    ] {
      #expect(message.contains(reason), "\(message)")
    }
    let columns = try Store(path).integer(
      "SELECT count(*) FROM pragma_table_info('place') WHERE name = 'extra'")
    #expect(columns == 0)
  }

  @Test func `every form of a value is named, and every impossible change of a relation`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    func tags(_ element: String) -> String {
      #""tags":{"type":"array","x-relation":{"table":"tag","unique":"name"},"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}\#(element)}}}"#
    }
    let old = try Self.model(
      properties:
        #""id":{"type":"integer"},"real":{"type":"number"},"instant":{"type":"integer","x-unit":"seconds"},"day":{"type":"string","format":"date"},"json":{"type":"object"},"kind":{"type":"object","x-relation":{"table":"kind","unique":"name"},"required":["name"],"properties":{"name":{"type":"string"}}},"#
        + tags(""), rest: "")
    try Self.importText(#"{"id":1}"#, old, at: path)
    try Store(path).execute("ALTER TABLE place ADD COLUMN MORE TEXT")
    let text = #"{"type":"string"}"#
    let new = try Self.model(
      properties:
        #""id":{"type":"integer"},"real":\#(text),"instant":\#(text),"day":{"type":"integer"},"json":\#(text),"kind":\#(text),\#(tags(#","level":{"type":"integer"}"#)),"new":{"type":"array","items":{"type":"integer"},"x-relation":{"table":"new","unique":"n"}}"#,
      required: #""id","new""#, rest: #","x-unmapped-column":"more""#)
    let message = try #require(try Self.refusal(of: new, at: path))
    for reason in [
      #""kind" is kept in another form: it was a related row"#, "it was a real number",
      "it was an instant",
      "it was JSON", "it was a date and would be an integer",
      #"the relation "tags" has other tables or attributes"#,
      #"the relation "new" is required, and the 1 rows have none"#,
      #"another program has added a column "more""#,
    ] {
      #expect(message.contains(reason), "\(message)")
    }
  }

  @Test func `values of elements of elements keep their form, whatever their array is called`()
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    func properties(_ name: String, _ form: String) -> String {
      #""id":{"type":"integer"},"a":{"type":"array","x-relation":{"table":"e","unique":"n"},"#
        + #""items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"#
        + #""\#(name)":{"type":"array","x-relation":{"table":"f","unique":"v"},"#
        + #""items":{"type":"string"\#(form)}}}}}"#
    }
    try Self.importText(
      #"{"id":1}"#, Self.model(properties: properties("b", ""), rest: ""), at: path)
    let renamed = try Self.model(properties: properties("c", ""), rest: "")
    #expect(try Self.refusal(of: renamed, at: path) == nil)
    for name in ["b", "c"] {
      let changed = try Self.model(properties: properties(name, #","format":"uuid""#), rest: "")
      let message = try #require(try Self.refusal(of: changed, at: path))
      #expect(message.contains("is kept in another form"), "\(message)")
    }
  }

  /// An attribute that is a relation, before and after.
  @Test(arguments: [
    (#""type":"integer","x-relation":{"table":"r","unique":"v"}"#, #""x-unit":"seconds""#),
    (#""type":"string","x-relation":{"table":"r","unique":"v"}"#, #""format":"uuid""#),
  ])
  func `values in related rows and elements keep their form`(
    attribute: String, addition: String
  ) throws {
    let folder = try ScratchFolder()
    let changed = "\(attribute),\(addition)"
    let elements = #""a":{"type":"array","x-relation":{"table":"e","unique":"n"},"#
    let element =
      #""items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"#
    let forms: [(String) -> String] = [
      { #""r":{\#($0)}"# }, { elements + element + #""r":{\#($0)}}}}"# },
    ]
    for (number, form) in forms.enumerated() {
      let path = folder.file("\(number).sqlite")
      let id = #""id":{"type":"integer"},"#
      try Self.importText(
        #"{"id":1}"#, Self.model(properties: id + form(attribute), rest: ""), at: path)
      let message = try #require(
        try Self.refusal(of: Self.model(properties: id + form(changed), rest: ""), at: path))
      #expect(message.contains("is kept in another form"), "\(message)")
    }
  }

  @Test func `key and timestamp stay while the key is enforced`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    let store = try Store(path)
    _ = try store.deduplicate(
      Deduplicator(layout: store.layout(key: ["id"]), options: Self.enforcing))
    let message = try #require(try Self.refusal(of: Self.model(rest: ""), at: path))
    #expect(message.contains("the key is another one"), "\(message)")
    #expect(message.contains("the timestamp is another one"), "\(message)")
    let added = try Self.model(properties: Self.attributes + #","phone":{"type":"string"}"#)
    #expect(try Self.refusal(of: added, at: path) == nil)
    let report = try Self.importText(
      #"{"id":2,"phone":"7","seen":1668039188}"#, added, at: path)
    #expect(report.counters.updated == 1)
  }

  /// A model whose removals delete rows and are remembered.
  private static func deletingModel(
    key: String = #""id""#, timestamp: String = "seen", mark: String = "gone",
    removal: String = "delete"
  ) throws -> Model {
    try model(
      properties: attributes
        + #","lang":{"type":"string"},"gone":{"type":"boolean"},"left":{"type":"boolean"},"made":{"type":"integer","x-unit":"seconds"}"#,
      required: #""id","lang""#,
      rest:
        #","x-key":\#(key),"x-timestamp":"\#(timestamp)","x-tombstone":{"attribute":"\#(mark)","removal":"\#(removal)"}"#
    )
  }

  @Test(arguments: [(#"["id","lang"]"#, "1|de|9000000"), (#""lang""#, "de|9000000")])
  func `without stored tombstones removals are remembered by the new key`(
    key: String, remembered: String
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.importText(#"{"id":1,"lang":"de","seen":1}"#, Self.deletingModel(), at: path)
    let changed = try Self.deletingModel(key: key)
    let report = try Self.importText(
      #"{"id":1,"lang":"de","gone":true,"seen":9}"#, changed, at: path)
    #expect(report.counters.removals == 1)
    let store = try Store(path)
    let removals = try rows("SELECT * FROM poikit_tombstone_place", in: store)
    #expect(removals == [remembered])
    let plan = try store.plan(Deduplicator(layout: store.layout()))
    #expect(plan?.supersededRowCount == 1)
  }

  @Test func `key, timestamp and kind of removal stay while removals are remembered`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let removal = #"{"id":1,"lang":"de","gone":true,"seen":9}"#
    try Self.importText(removal, Self.deletingModel(), at: path)
    let changes = try [
      Self.deletingModel(key: #"["id","lang"]"#), Self.deletingModel(key: #""lang""#),
      Self.deletingModel(timestamp: "made"), Self.deletingModel(removal: "mark"),
    ]
    for change in changes {
      let message = try Self.refusal(of: change, at: path)
      #expect(message?.contains("1 removals are remembered") == true, "\(message ?? "none")")
    }
    let marked = try Self.deletingModel(mark: "left")
    #expect(try Self.refusal(of: marked, at: path) == nil)
    _ = try Store(path).purgeTombstones(of: marked, olderThan: .zero)
    for change in changes { #expect(try Self.refusal(of: change, at: path) == nil) }
  }

  static var enforcing: DeduplicationOptions {
    var options = DeduplicationOptions()
    options.enforcement = .hash
    return options
  }

  @Test func `an unfinished import keeps its model`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    do {
      var session = try ImportSession(
        into: Store(path), model: Self.model(), options: options, onProgress: { _ in .stop })
      try session.beginInput(named: "a.json")
      try session.append(Array(Self.records.utf8).span)
      #expect(try session.finish().ending == .stopped)
    }
    let changed = try Self.model(properties: Self.attributes + #","phone":{"type":"string"}"#)
    #expect(throws: StoreError.self) {
      _ = try ImportSession(into: Store(path), model: changed)
    }
    var resuming = options
    resuming.isResuming = true
    let resumed = resuming
    #expect(throws: StoreError.self) {
      _ = try ImportSession(into: Store(path), model: changed, options: resumed)
    }
    options.isRestarting = true
    _ = try ImportSession(into: Store(path), model: changed, options: options)
    #expect(try Store(path).model().document == changed.document)
  }

  @Test func `an app's column in related rows does not prevent a change of the model`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    func properties(_ more: String) -> String {
      #""id":{"type":"integer"},"kind":{"type":"string","x-relation":{"table":"kind","unique":"n"}}"#
        + more
    }
    try Self.importText(
      #"{"id":1,"kind":"a"}"#, Self.model(properties: properties(""), rest: ""), at: path)
    let other = #","other":{"type":"string","x-relation":{"table":"kind","unique":"n"}}"#
    try Store(path).execute("ALTER TABLE kind ADD COLUMN icon TEXT")
    let retitled = try Self.model(properties: properties(""), rest: #","title":"Other""#)
    #expect(try Self.refusal(of: retitled, at: path) == nil)
    let wider = try Self.model(properties: properties(other), rest: "")
    try Self.importText(#"{"id":2,"kind":"b","other":"a"}"#, wider, at: path)
    #expect(
      try rows(
        "SELECT id, kind, other FROM poikit_readable_place", in: Store(path))
        == ["1|a|", "2|b|a"])
    try Store(path).execute(
      "ALTER TABLE kind ADD COLUMN level INT NOT NULL DEFAULT 1")
    #expect(try Self.refusal(of: wider, at: path) == nil)
  }

  @Test(arguments: [
    "CREATE TABLE kind (poikit_id INTEGER PRIMARY KEY, n TEXT NOT NULL UNIQUE)",
    "CREATE TABLE kind (poikit_id INTEGER PRIMARY KEY, n TEXT NOT NULL) STRICT",
    "CREATE TABLE kind (poikit_id INTEGER PRIMARY KEY, n TEXT NOT NULL, m TEXT, UNIQUE (n, m)) STRICT",
    "CREATE TABLE kind (poikit_id INTEGER PRIMARY KEY, n INTEGER NOT NULL UNIQUE) STRICT",
    "CREATE TABLE kind (n TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE kind (poikit_id INTEGER PRIMARY KEY, n TEXT NOT NULL UNIQUE, m TEXT NOT NULL) STRICT",
    "CREATE VIEW kind AS SELECT 1 AS poikit_id, 'a' AS n",
  ])
  func `related rows are not stored in an unsuitable table`(creation: String) throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try Self.makeStore(at: path)
    try Store(path).execute(SQL(verbatim: creation))
    let wider = try Self.model(
      properties: Self.attributes
        + #","kind":{"type":"string","x-relation":{"table":"kind","unique":"n"}}"#)
    let message = try #require(try Self.refusal(of: wider, at: path))
    #expect(message.contains(#"another table or view called "kind""#), "\(message)")
  }

  @Test func `names in another normal form are other names`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    func model(_ name: String) throws -> Model {
      try Self.model(
        properties: #""\#(name)":{"type":"string"}"#, required: "", rest: #","x-key":"\#(name)""#)
    }
    try Self.importText(#"{"caf\u00e9":"a"}"#, model("caf\u{E9}"), at: path)
    let message = try #require(try Self.refusal(of: model("cafe\u{301}"), at: path))
    #expect(message.contains("is missing"), "\(message)")
    #expect(throws: StoreFailure.self) {
      let schema = try TableSchema(of: "place", in: Connection(path: path))
      _ = try schema.column("cafe\u{301}")
    }
  }

  @Test func `key and timestamp keep their columns while the key is enforced`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    func model(_ first: String, _ second: String) throws -> Model {
      try Self.model(
        properties:
          #""a":{"type":"integer","x-column":"\#(first)"},"b":{"type":"integer","x-column":"\#(second)"}"#,
        required: #""a","b""#, rest: #","x-key":"a""#)
    }
    var options = ImportOptions()
    options.mergePolicy = .newest
    var session = try ImportSession(
      into: Store(path), model: model("x", "y"), options: options)
    try session.append(Array(#"{"a":1,"b":7}"#.utf8).span)
    _ = try session.finish()
    let message = try #require(try Self.refusal(of: model("y", "x"), at: path))
    #expect(message.contains("the key is another one"), "\(message)")
  }

  @Test(arguments: [
    (#","x-key":"id","x-timestamp":"seen""#, true), (#","x-key":"name","x-timestamp":"at""#, true),
    (#","x-key":"id","x-timestamp":"at","title":"T""#, false),
  ])
  func `the latest record follows key and timestamp of the model`(
    rest: String, isForgotten: Bool
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let properties = Self.attributes + #","at":{"type":"integer","x-unit":"seconds"}"#
    let old = try Self.model(properties: properties, rest: #","x-key":"id","x-timestamp":"at""#)
    try Self.importText(#"{"id":1,"name":"a","seen":3,"at":9}"#, old, at: path)
    #expect(try Store(path).token(of: old) == "9\t1")
    let new = try Self.model(properties: properties, rest: rest)
    #expect(try Self.refusal(of: new, at: path) == nil)
    #expect(try Store(path).token(of: new) == (isForgotten ? nil : "9\t1"))
    try Self.importText(#"{"id":2,"name":"b","seen":4,"at":5}"#, new, at: path)
    let expected =
      !isForgotten ? "9\t1" : rest.contains("seen") ? "4\t2" : "5\tb"
    #expect(try Store(path).token(of: new) == expected)
  }

  @Test func `two concurrent changes of a model are both kept`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    try Self.makeStore(at: path)
    let colour = try Self.model(
      properties: #""colour":{"type":"string"},"# + Self.attributes)
    let size = try Self.model(
      properties: #""size":{"type":"number"},"# + Self.attributes)
    let late = try Store(path)
    try Store(path).prepareTables(for: colour)
    let error = #expect(throws: StoreError.self) {
      try late.leased { try $0.changeModel(to: size) }
    }
    #expect(error?.message.contains("colour") == true)
    let document = try late.model().document
    #expect(document == colour.document)
  }

  @Test func `earlier records did not name an attribute that is added later`() throws {
    func model(_ colour: String) throws -> Model {
      try Self.model(properties: colour + Self.attributes)
    }
    let first = #"{"id":1,"name":"a","seen":200}{"id":2,"seen":200}"#
    let second =
      #"{"id":1,"colour":"red","seen":100}{"id":2,"name":"b","colour":"blue","seen":300}"#
    var options = ImportOptions()
    options.mergePolicy = .newestByProperty
    for colour in [
      #""colour":{"type":"string"},"#, #""colour":{"type":"string","default":"grey"},"#,
    ] {
      let folder = try ScratchFolder()
      var contents: Set<[String]> = []
      for (number, models) in [["", colour], [colour, colour]].enumerated() {
        let path = folder.file("\(number).sqlite")
        for (model, text) in zip(try models.map(model), [first, second]) {
          var session = try ImportSession(into: Store(path), model: model, options: options)
          try session.append(Array(text.utf8).span)
          _ = try session.finish()
        }
        contents.insert(
          try rows(
            "SELECT id, name, colour, seen FROM place ORDER BY id",
            in: Connection(path: path, access: .readOnly)))
      }
      #expect(contents == [["1|a|red|200000000", "2|b|blue|300000000"]])
    }
  }
}
