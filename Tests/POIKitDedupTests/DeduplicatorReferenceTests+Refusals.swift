import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit

/// Rows that cannot refer to the winner.
extension DeduplicatorReferenceTests {
  /// The error for rows that cannot move; nothing is changed.
  func unmovable(
    _ script: SQL, archive: Bool = true, foreignKeys: Bool = false
  ) throws -> StoreError? {
    let connection = try Connection.inMemory()
    try connection.execute(script)
    if foreignKeys { try connection.execute("PRAGMA foreign_keys = ON") }
    let before = try dump("t", in: connection) + dump("c", in: connection)
    var options = DeduplicationOptions()
    options.archive = archive
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let error = storeError {
      _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    }
    #expect(try dump("t", in: connection) + dump("c", in: connection) == before)
    return error
  }

  @Test(arguments: [
    "BEFORE UPDATE ON c BEGIN SELECT RAISE(IGNORE); END",
    "AFTER UPDATE OF pid ON c BEGIN UPDATE c SET pid = old.pid WHERE id = old.id; END",
    "BEFORE UPDATE ON c BEGIN SELECT RAISE(ABORT, 'no'); END",
  ])
  func `a row that a trigger keeps from moving is named`(trigger: SQL) throws {
    let error = try unmovable(
      """
      \(Self.parents)
      CREATE TABLE c (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES t (id));
      CREATE TRIGGER stubborn \(trigger);
      INSERT INTO c VALUES (11, 3), (12, 1);
      """)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix(":memory:: row 12 of 'c' refers to a loser of 't'") == true)
  }

  @Test func `a row whose column cannot hold the winner's value is named`() throws {
    let error = try unmovable(
      """
      CREATE TABLE t (code TEXT UNIQUE, k TEXT, at INTEGER);
      INSERT INTO t VALUES ('7', 'a', 1), ('007', 'a', 2);
      CREATE TABLE c (id INTEGER PRIMARY KEY, pcode INTEGER REFERENCES t (code));
      INSERT INTO c VALUES (12, '7');
      """)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix(":memory:: row 12 of 'c'") == true)
  }

  @Test(arguments: [false, true])
  func `a row whose row id is the reference, which a text cannot be, is named`(archive: Bool) throws
  {
    let error = try unmovable(
      """
      CREATE TABLE t (code TEXT UNIQUE, k TEXT, at INTEGER);
      INSERT INTO t VALUES ('7', 'a', 1), ('x', 'a', 2);
      CREATE TABLE c (code INTEGER PRIMARY KEY REFERENCES t (code));
      INSERT INTO c VALUES (7);
      """, archive: archive)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix(":memory:: row 7 of 'c'") == true)
    // The archive notes the new row id first.
    #expect(error?.cause?.isMismatch == !archive, "\(error?.message ?? "")")
  }

  @Test(arguments: ["", "NOT NULL"])
  func `a row whose reference would dangle is named`(constraint: SQL) throws {
    let error = try unmovable(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, k TEXT, at INTEGER);
      INSERT INTO t VALUES (1, 'x', 'a', 1), (2, NULL, 'a', 2);
      CREATE TABLE c (code TEXT \(constraint) REFERENCES t (code));
      INSERT INTO c VALUES ('x');
      """)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix(":memory:: row 1 of 'c'") == true)
  }

  @Test func `a row that a check keeps from moving is named`() throws {
    let error = try unmovable(
      """
      \(Self.parents)
      CREATE TABLE c (pid INTEGER CHECK (pid < 5) REFERENCES t (id));
      INSERT INTO c VALUES (1);
      """)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix(":memory:: row 1 of 'c'") == true)
    #expect(error?.cause?.isConstraint == true)
  }
}
