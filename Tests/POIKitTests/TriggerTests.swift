import POISQLite
import POITestSupport
import Testing

@testable import POIKit

@Suite struct TriggerTests {
  /// Logs changes of a table in `log`.
  private static func trigger(
    _ name: String, _ event: Trigger.Event, _ timing: Trigger.Timing = .after,
    of columns: [String] = [], when condition: SQL? = nil, in database: SQL = "main"
  ) -> Trigger {
    Trigger(
      database: database, name: name, timing: timing, event: event, columns: columns,
      table: "a \"b", condition: condition,
      body: "INSERT INTO log VALUES (\(literal: name)); SELECT 1")
  }

  private static func database(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, access: .readWriteCreate)
    try connection.execute(#"CREATE TABLE "a ""b" (x, y); CREATE TABLE log (name)"#)
    return connection
  }

  private static func log(_ connection: Connection) throws -> [String] {
    var names: [String] = []
    var statement = try connection.prepare("SELECT name FROM log ORDER BY rowid")
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  @Test func `a trigger runs at its time, for its columns, if its condition holds`() throws {
    let folder = try ScratchFolder()
    let connection = try Self.database(folder.file("a.sqlite"))
    let isChanged: SQL = "old.x IS NOT new.x OR old.y IS NOT new.y"
    for trigger in [
      Self.trigger("poikit_before", .insert, .before),
      Self.trigger("poikit_insert", .insert, in: "temp"),
      Self.trigger("poikit_update", .update, of: ["x", "y"], when: isChanged),
      Self.trigger("poikit_x", .update, .before, of: ["x"]),
      Self.trigger("poikit_delete", .delete),
    ] { try trigger.create(in: connection) }
    try connection.execute(
      #"""
      INSERT INTO "a ""b" VALUES (1, 2); UPDATE "a ""b" SET y = 2; UPDATE "a ""b" SET x = 2;
      DELETE FROM "a ""b"
      """#)
    #expect(
      try Self.log(connection) == [
        "poikit_before", "poikit_insert", "poikit_x", "poikit_update", "poikit_delete",
      ])
  }

  @Test func `stored triggers are listed by prefix or as an app's, and dropped by name`() throws {
    let folder = try ScratchFolder()
    let connection = try Self.database(folder.file("a.sqlite"))
    for name in ["poikit_one_b", "poikit_one_a", "poikit_two", "poikitten"] {
      try Self.trigger(name, .insert).create(in: connection)
    }
    try connection.execute("CREATE TRIGGER t AFTER INSERT ON log BEGIN SELECT 1; END")
    func names(_ prefix: String) throws -> [String] {
      try Trigger.all(withPrefix: prefix, in: connection).map(\.name)
    }
    #expect(try names("poikit_one_") == ["poikit_one_a", "poikit_one_b"])
    #expect(try Trigger.ofApp(in: connection).map(\.name) == ["poikitten", "t"])
    #expect(try Trigger.ofApp(on: "A \"B", in: connection).map(\.name) == ["poikitten"])
    try Trigger.drop("poikit_one_a", in: connection)
    try Trigger.drop("poikit_one_a", in: connection)
    #expect(try names("poikit_one_") == ["poikit_one_b"])
  }

  @Test func `a stored trigger runs in a database that is attached by another name`() throws {
    let folder = try ScratchFolder()
    do {
      try Self.trigger("poikit_a", .insert).create(in: Self.database(folder.file("a.sqlite")))
    }
    let connection = try Connection(path: folder.file("b.sqlite"), access: .readWriteCreate)
    try connection.execute(
      #"ATTACH \#(literal: folder.file("a.sqlite")) AS other; INSERT INTO other."a ""b" VALUES (1, 2)"#
    )
    #expect(try Self.log(connection) == ["poikit_a"])
  }
}
