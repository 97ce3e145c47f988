internal import POIRecords
internal import POISQLite

/// The digest of a table of records at the end of a run. It saves the next import a pass over the table, and tells
/// commands that read all rows whether the file is damaged.
///
/// Triggers delete it when any program changes rows that it covers: rows of the table, or rows of other
/// tables that are their content. An import counts its own changes, so it drops the triggers while it writes
/// and creates them again at the end. A killed run leaves no digest behind.
struct RememberedDigest {
  static let triggerPrefix = Bookkeeping.prefix + "digest_"

  private static let creation: SQL = """
    CREATE TABLE IF NOT EXISTS main.poikit_digest (
      table_name TEXT NOT NULL PRIMARY KEY,
      version TEXT NOT NULL,
      digest BLOB NOT NULL
    ) STRICT, WITHOUT ROWID
    """

  private let connection: Connection
  private let table: String
  private let triggers: [Trigger]

  init(_ layout: TableLayout, in connection: Connection) {
    self.connection = connection
    table = layout.table
    var tables = [layout.table]
    for other in RememberedDigest.relatedTables(of: layout.content)
    where !tables.contains(other) {
      tables.append(other)
    }
    triggers = tables.enumerated().flatMap { number, name in
      // An UPDATE of any column counts: UPDATE OR REPLACE deletes conflicting rows without DELETE triggers.
      [Trigger.Event.insert, .update, .delete].map { event in
        Trigger(
          name: "\(RememberedDigest.triggerPrefix)\(event)\(number)_\(layout.table)", event: event,
          table: name, body: "DELETE FROM poikit_digest WHERE table_name = \(literal: layout.table)"
        )
      }
    }
  }

  /// The tables whose rows are content of a table's rows.
  private static func relatedTables(of model: Model) -> [String] {
    model.attributes.compactMap(\.relation?.table)
      + model.relations.flatMap { relation in
        var tables = [relation.element.table]
        if case .join(let join, _, _) = relation.link { tables.append(join) }
        return tables + relatedTables(of: relation.element)
      }
  }

  /// The digest of the table; nil if none is stored, its triggers are incomplete, or another version of the
  /// toolkit computed it.
  func read() throws -> Digest? {
    let stored = try storedTriggers()
    // A trigger may be gone with its table, or its table may have another name now.
    let isWatched = triggers.allSatisfy { trigger in
      stored.contains { $0.name == trigger.name && $0.table == trigger.table }
    }
    guard isWatched, try RememberedDigest.isKept(in: connection) else { return nil }
    return try connection.rows(
      """
      SELECT digest FROM main.poikit_digest
      WHERE table_name = \(literal: table) AND version = \(literal: ToolkitVersion.current)
      """
    ) { Digest(bytes: $0.bytes(0)) }.first ?? nil
  }

  /// Compares the digest of the rows with the stored one.
  ///
  /// - Throws: `StoreFailure` with `database` if they differ: no program changed the rows, so the file did.
  func check(_ digest: @autoclosure () throws -> Digest) throws {
    guard let remembered = try read() else { return }
    let digest = try digest()
    guard remembered != digest else { return }
    throw StoreFailure(
      .database,
      "the table \(table) is damaged: the digest of its rows is \(digest), and it was "
        + "\(remembered) when a program last changed them; take the file from a backup")
  }

  /// Stores the digest, inside the caller's transaction. No other program can have changed the table since
  /// the digest was computed.
  func remember(_ digest: Digest) throws {
    try forget()
    try connection.execute(RememberedDigest.creation)
    for trigger in triggers { try trigger.create(in: connection) }
    var statement = try connection.prepare(
      "INSERT INTO main.poikit_digest VALUES (?1, ?2, ?3)", isPersistent: false)
    try statement.bind(1, text: table)
    try statement.bind(2, text: ToolkitVersion.current)
    try statement.bind(3, blob: digest.bytes.span)
    try statement.run()
  }

  /// Deletes the digest and its triggers, inside the caller's transaction. Another program may have deleted
  /// either of them.
  func forget() throws {
    for trigger in try storedTriggers() {
      try Trigger.drop(trigger.name, in: connection)
    }
    guard try RememberedDigest.isKept(in: connection) else { return }
    try connection.execute(
      "DELETE FROM main.poikit_digest WHERE table_name = \(literal: table)")
  }

  private static func isKept(in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'poikit_digest'") != nil
  }

  /// Creates the table again if another program dropped it but not the triggers. Without the table the
  /// triggers make all changes of the watched tables fail.
  static func recreateMissingTable(in connection: Connection) throws {
    let triggers = try Trigger.all(withPrefix: triggerPrefix, in: connection)
    if try !triggers.isEmpty && !isKept(in: connection) { try connection.execute(creation) }
  }

  /// The triggers of the table's digest, each with the table that it watches. A name consists of the prefix,
  /// the event, a number, a low line and the name of the table.
  private func storedTriggers() throws -> [(name: String, table: String)] {
    try Trigger.all(withPrefix: RememberedDigest.triggerPrefix, in: connection).filter {
      $0.name.utf8.dropFirst(RememberedDigest.triggerPrefix.utf8.count)
        .drop { $0 != UInt8(ascii: "_") }.dropFirst().elementsEqual(table.utf8)
    }
  }
}
