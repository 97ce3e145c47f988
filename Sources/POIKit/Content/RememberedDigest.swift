internal import POIRecords
internal import SQLiteKit

/// The digest of a table of records as it was when a run ended, so that the next one need not read
/// the whole table for it.
///
/// Triggers forget it as soon as any program changes what it covers: rows of the table, or of one
/// whose rows are content of them. An import takes the triggers away while it writes, because it
/// keeps count itself, and leaves new ones behind. So a run that was killed leaves nothing that
/// could be believed.
struct RememberedDigest {
  /// What the names of the triggers begin with.
  static let triggerPrefix = Bookkeeping.prefix + "digest_"

  private static let creation: SQL = """
    CREATE TABLE IF NOT EXISTS main.poikit_digest (
      table_name TEXT NOT NULL PRIMARY KEY,
      version TEXT NOT NULL,
      digest BLOB NOT NULL
    ) STRICT, WITHOUT ROWID
    """

  private let table: String
  private let triggers: [Trigger]

  /// A trigger, by its name, the table that it watches and the statement that makes it.
  private struct Trigger {
    var name: String
    var table: String
    var creation: SQL
  }

  init(_ layout: TableLayout) {
    table = layout.table
    var tables = [layout.table]
    for other in RememberedDigest.relatedTables(layout.contentColumns, layout.relations)
    where !tables.contains(other) {
      tables.append(other)
    }
    triggers = tables.enumerated().flatMap { number, name in
      // Also where columns of the app's own are changed: UPDATE OR REPLACE removes rows that stand in
      // its way, which no trigger is told of.
      return ["INSERT", "UPDATE", "DELETE"].map { (event: SQL) in
        let trigger =
          RememberedDigest.triggerPrefix + event.text.lowercased() + "\(number)_\(layout.table)"
        return Trigger(
          name: trigger, table: name,
          creation: """
            CREATE TRIGGER main.\(name: trigger)
            AFTER \(event) ON \(name: name)
            BEGIN
              DELETE FROM poikit_digest WHERE table_name = \(literal: layout.table);
            END
            """)
      }
    }
  }

  /// The tables whose rows are content of a table's rows.
  private static func relatedTables(
    _ columns: [ContentColumn], _ relations: [ContentRelation]
  ) -> [String] {
    columns.compactMap(\.relation?.table)
      + relations.flatMap { relation in
        var tables = [relation.table]
        if case .join(let join, _, _) = relation.link { tables.append(join) }
        return tables + relatedTables(relation.contentColumns, relation.relations)
      }
  }

  /// The digest of the table; nothing where none is remembered that holds for sure.
  ///
  /// One that another version of the toolkit computed is not believed.
  func read(in connection: Connection) throws -> Digest? {
    let stored = try storedTriggers(in: connection)
    // One may have gone with its table, or watch a table that has another name by now.
    let isWatched = triggers.allSatisfy { trigger in
      stored.contains { $0.name == trigger.name && $0.table == trigger.table }
    }
    guard isWatched, try RememberedDigest.isKept(in: connection) else { return nil }
    var statement = try connection.prepare(
      "SELECT digest FROM main.poikit_digest WHERE table_name = ?1 AND version = ?2",
      isPersistent: false)
    try statement.bind(1, text: table)
    try statement.bind(2, text: POIKitVersion.current)
    guard try statement.step() else { return nil }
    return Digest(bytes: statement.bytes(0))
  }

  /// Remembers the digest. Runs inside the caller's transaction, in which nobody else can have
  /// changed the table since the digest was computed.
  func remember(_ digest: Digest, in connection: Connection) throws {
    try forget(in: connection)
    try connection.execute(RememberedDigest.creation)
    for trigger in triggers { try connection.execute(trigger.creation) }
    var statement = try connection.prepare(
      "INSERT INTO main.poikit_digest VALUES (?1, ?2, ?3)", isPersistent: false)
    try statement.bind(1, text: table)
    try statement.bind(2, text: POIKitVersion.current)
    try statement.bind(3, blob: digest.bytes.span)
    try statement.run()
  }

  /// Forgets the digest and takes the triggers away, as far as they are there: another program may
  /// have removed either. Runs inside the caller's transaction.
  func forget(in connection: Connection) throws {
    for trigger in try storedTriggers(in: connection) {
      try connection.execute("DROP TRIGGER main.\(name: trigger.name)")
    }
    guard try RememberedDigest.isKept(in: connection) else { return }
    var statement = try connection.prepare(
      "DELETE FROM main.poikit_digest WHERE table_name = ?1", isPersistent: false)
    try statement.bind(1, text: table)
    try statement.run()
  }

  /// Whether there is a table of remembered digests.
  private static func isKept(in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'poikit_digest'") != nil
  }

  /// Makes the table anew where another program removed it and left the triggers, which let nobody
  /// change what they watch as long as it is missing.
  static func mend(in connection: Connection) throws {
    let isBroken = try connection.integer(
      """
      SELECT EXISTS (
          SELECT 1 FROM main.sqlite_schema
          WHERE type = 'trigger' AND name GLOB \(literal: triggerPrefix + "*"))
        AND NOT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = 'poikit_digest')
      """)
    if isBroken == 1 { try connection.execute(creation) }
  }

  /// The triggers of the table's digest, each with the table that it watches. Their names are prefix,
  /// event and number, and behind a low line the name of the table.
  private func storedTriggers(
    in connection: Connection
  ) throws -> [(name: String, table: String)] {
    let prefix = RememberedDigest.triggerPrefix
    var statement = try connection.prepare(
      """
      SELECT name, tbl_name FROM main.sqlite_schema
      WHERE type = 'trigger' AND name GLOB \(literal: prefix + "*")
        AND substr(name, \(prefix.utf8.count) + 1 + instr(substr(name, \(prefix.utf8.count) + 1), '_'))
          = ?1
      """, isPersistent: false)
    try statement.bind(1, text: table)
    var triggers: [(name: String, table: String)] = []
    while try statement.step() { triggers.append((statement.text(0), statement.text(1))) }
    return triggers
  }
}
