internal import POIRecords
internal import POISQLite

/// The log of local changes of a tracked table: the table `poikit_change_…`.
///
/// A local change is an insert, an update or a deletion by anything but a delivery. Triggers append an entry for each
/// key that it touches, see `ChangeTriggers`. What an entry means is decided when the log is read, see `netChanges`.
/// So no state of a row is stored twice.
final class ChangeLog {
  /// What an entry says of its key.
  enum Kind: Int64 {
    /// A row appeared.
    case appeared = 0
    /// There was a row; it changed, or it went.
    case changed = 1
    /// There was a row; another one may have replaced it.
    case threatened = 2
    /// A related row changed, and the time of the record stays.
    case moved = 3
    /// The changes of the key were discarded: the next delivery replaces its row, whatever the times.
    case discarded = 4
  }

  static let prefix = Bookkeeping.prefix + "change_"

  /// The number of an entry. It is never used again.
  static let number: SQL = "poikit_seq"

  static let kind: SQL = "poikit_what"

  /// The table whose row was touched, if an entry has no key. The rows of records that have that row are looked up when
  /// the log is read: triggers of other tables that named the tracked one would keep an app from recreating it.
  static let via: SQL = "poikit_via"

  static let row: SQL = "poikit_row"

  /// The timestamp of the row before.
  static let time: SQL = "poikit_time"

  /// Why the server refused the change, in the last entry that it refused.
  static let refusal = SQL(name: refusalColumn)

  static let refusalColumn = Bookkeeping.prefix + "refusal"

  let model: Model

  /// The attributes of the key.
  let key: [Attribute]

  let tombstones: TombstoneTable

  let connection: Connection

  /// Whether entries have the server's version of their row or tombstone.
  let hasVersions: Bool

  /// The log of a table, which need not exist.
  ///
  /// - Throws: `StoreFailure` with `invalidOptions` if local changes of the table cannot be tracked.
  init(of model: Model, in connection: Connection) throws {
    self.model = model
    self.connection = connection
    key = model.key.compactMap(model.attribute(named:))
    tombstones = TombstoneTable(of: model)
    hasVersions =
      try connection.integer(
        """
        SELECT 1 FROM pragma_table_info(\(literal: ChangeLog.prefix + model.table), 'main')
        WHERE name = \(literal: Model.versionColumn)
        """) != nil
    let enforced = try EnforcedKey.read(of: model, in: connection)
    let isOfKey =
      enforced.map { enforced in
        !enforced.isHashed && !enforced.groupsNull
          && enforced.columns.elementsEqual(key.map(\.column), by: { $0.isExactly($1) })
      } ?? false
    guard try isOfKey || ServerLink.isFirstPull(of: model.table, in: connection) else {
      throw StoreFailure(
        .invalidOptions,
        "local changes of the table \"\(model.table)\" are remembered by the key of its model, which "
          + (enforced == nil ? "is not enforced" : "is enforced in another way"),
        advice: .enforce(key: model.key, .index))
    }
  }

  /// The log of a table; nil if the table is not tracked.
  static func existing(of model: Model, in connection: Connection) throws -> ChangeLog? {
    guard try exists(of: model.table, in: connection) else { return nil }
    return try ChangeLog(of: model, in: connection)
  }

  /// The log of a table that is about to be written; nil if the table is not tracked.
  ///
  /// - Throws: `StoreFailure` with `invalidOptions` if triggers are missing or fit the table no longer.
  static func checked(of model: Model, in connection: Connection) throws -> ChangeLog? {
    guard let log = try existing(of: model, in: connection) else { return nil }
    let lost = try ChangeTriggers(log).lost()
    guard lost.isEmpty else {
      throw StoreFailure(
        .invalidOptions,
        "the table \"\(model.table)\" is tracked, but triggers are missing or fit it no longer, so local changes may be "
          + "lost: \(lost.joined(separator: ", "))", advice: .track(table: model.table))
    }
    return log
  }

  static func exists(of table: String, in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = \(literal: prefix + table)")
      != nil
  }

  /// Empties all logs of a database, a copy. A table with changes that its server does not have starts over there.
  static func emptyAll(in connection: Connection) throws {
    let names = try connection.rows(
      """
      SELECT name FROM main.sqlite_schema
      WHERE type = 'table' AND substr(name, 1, \(prefix.utf8.count)) = \(literal: prefix)
      """
    ) { $0.text(0) }
    try connection.execute("PRAGMA secure_delete = ON")
    for name in names {
      let isChanged = try connection.integer("SELECT 1 FROM main.\(name: name) LIMIT 1") != nil
      let table = String(name.dropFirst(prefix.count))
      if try isChanged && ServerLink.exists(of: table, in: connection) {
        try ServerLink(table: table, connection: connection).keep(epoch: nil, checkpoint: nil)
      }
      try connection.execute("DELETE FROM main.\(name: name)")
    }
  }

  /// The number of the last entry that was ever handed out.
  static func handed(of table: String) -> SQL {
    "coalesce((SELECT handed FROM main.poikit_table WHERE name = \(literal: table)), 0)"
  }

  var name: String { ChangeLog.prefix + model.table }

  var quotedName: SQL { "main.\(name: name)" }

  var keyColumns: [SQL] { key.map { SQL(name: $0.column) } }

  var keyList: SQL { keyColumns.joined(separator: ", ") }

  /// The columns of the key of a row.
  ///
  /// - Parameter row: the alias of its table.
  func key(of row: SQL) -> SQL { keyColumns.map { "\(row).\($0)" }.joined(separator: ", ") }

  /// The condition that two rows have the same key.
  func isSameKey(_ row: SQL, _ other: SQL) -> SQL {
    keyColumns.map { "\(row).\($0) = \(other).\($0)" }.joined(separator: " AND ")
  }

  /// Creates the log, inside the caller's transaction.
  ///
  /// - Parameter last: the number of the last entry of an earlier log.
  func create(after last: Int64) throws {
    let types = key.map(StoreSchema(model).columnType)
    let columns: [SQL] = zip(keyColumns, types).map { "\($0) \($1)" }
    try connection.execute(
      """
      CREATE TABLE \(quotedName) (
        \(ChangeLog.number) INTEGER PRIMARY KEY AUTOINCREMENT,
        \(columns.joined(separator: ",\n  ")),
        \(ChangeLog.kind) INTEGER NOT NULL,
        \(ChangeLog.via) TEXT,
        \(ChangeLog.row) INTEGER,
        \(ChangeLog.time) INTEGER
      ) STRICT;
      INSERT INTO main.sqlite_sequence (name, seq) VALUES (\(literal: name), \(last))
      """)
  }

  // MARK: Reading

  /// The condition that the log has an entry for the key of a row, other than that its changes were discarded.
  ///
  /// - Parameter row: the alias of the row's table.
  func holds(row: SQL) -> SQL {
    """
    (\(key(of: row))) IN (SELECT \(keyColumns.joined(separator: ", ")) FROM \(quotedName)
      WHERE \(ChangeLog.kind) <> \(Kind.discarded.rawValue) AND \(hasKey))
    """
  }

  /// The condition that an entry has a key; else it says what was touched.
  var hasKey: SQL { "\(ChangeLog.via) IS NULL" }

  /// The number of the last entry that the log ever had.
  func lastNumber() throws -> Int64 {
    // A program may have emptied sqlite_sequence.
    try connection.integer(
      """
      SELECT max(coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = \(literal: name)), 0),
        coalesce((SELECT max(\(ChangeLog.number)) FROM \(quotedName)), 0))
      """) ?? 0
  }

  func isEmpty() throws -> Bool {
    try connection.integer("SELECT 1 FROM \(quotedName) LIMIT 1") == nil
  }

  /// A query of the net changes: the columns of the key, the edition, whether the key has a row now, and whether it had
  /// one when the log began.
  ///
  /// A key that appeared and went again is no change, unless it was handed out in between. An entry of another table
  /// says that a row changed, not that there was one.
  ///
  /// - Parameter last: the last entry to read; nil for all.
  func netChanges(upTo last: Int64? = nil) -> SQL {
    """
    \(seenKeys(upTo: last))
    SELECT \(keyList), poikit_edition, poikit_is_there, poikit_was_there FROM poikit_seen
    WHERE CASE WHEN poikit_is_there AND poikit_was_there THEN poikit_is_real
      WHEN poikit_is_there OR poikit_was_there THEN 1
      ELSE poikit_first / 4 <= \(ChangeLog.handed(of: model.table)) END
    """
  }

  /// A query of the keys with entries after a number: the columns of the key, the edition, and whether the key has a
  /// row now.
  func changes(since number: Int64) -> SQL {
    """
    \(seenKeys(upTo: nil))
    SELECT \(keyList), poikit_edition, poikit_is_there FROM poikit_seen
    WHERE poikit_edition > \(number) AND (poikit_is_real OR NOT poikit_is_there) ORDER BY poikit_edition
    """
  }

  /// The keys that appeared and went again without having been handed out.
  private var vanishedKeys: SQL {
    """
    \(seenKeys(upTo: nil))
    SELECT \(keyList) FROM poikit_seen
    WHERE NOT poikit_is_there AND NOT poikit_was_there AND poikit_first / 4 > \(ChangeLog.handed(of: model.table))
    """
  }

  private func seenKeys(upTo last: Int64?) -> SQL {
    let isRead: SQL = last.map { "\(ChangeLog.number) <= \($0)" } ?? "1"
    return """
      WITH poikit_entry AS (
        SELECT \(keyList), \(ChangeLog.number) AS poikit_edition, \(ChangeLog.kind) FROM \(quotedName)
        WHERE \(ChangeLog.via) IS NULL AND \(isRead) AND \(ChangeLog.kind) <> \(Kind.discarded.rawValue)
        \(last == nil ? viaEntries : "")),
      poikit_key AS (
        SELECT \(keyList), max(poikit_edition) AS poikit_edition,
          max(\(ChangeLog.kind) <> \(Kind.threatened.rawValue)) AS poikit_is_real,
          min(CASE WHEN \(ChangeLog.kind) < \(Kind.moved.rawValue) THEN poikit_edition * 4 + \(ChangeLog.kind) END)
            AS poikit_first
        FROM poikit_entry GROUP BY \(keyList)),
      poikit_seen AS (
        SELECT c.*, t.\(StoreSchema.idColumn) IS NOT NULL AS poikit_is_there,
          c.poikit_first IS NULL OR c.poikit_first % 4 <> \(Kind.appeared.rawValue) AS poikit_was_there
        FROM poikit_key AS c LEFT JOIN main.\(name: model.table) AS t ON \(isSameKey("t", "c")))
      """
  }

  /// Marks all changes as handed out, inside the caller's transaction.
  ///
  /// - Returns: the number of the last entry.
  func handOut() throws -> Int64 {
    try expand()
    let last = try lastNumber()
    try connection.execute(
      """
      DELETE FROM \(quotedName) WHERE (\(keyList)) IN (\(vanishedKeys));
      UPDATE main.poikit_table SET handed = \(last) WHERE name = \(literal: model.table)
      """)
    return last
  }

  /// The entries of other tables, by the keys of the rows that have the touched rows now.
  private var viaEntries: SQL {
    let selections: [SQL] = RelatedPlace.all(of: model).map { place in
      """
      UNION ALL
      SELECT \(key(of: "t")), l.\(ChangeLog.number), \(Kind.moved.rawValue) FROM \(quotedName) AS l
      CROSS JOIN main.\(name: model.table) AS t ON t.\(StoreSchema.idColumn) IN (\(place.records("l.\(ChangeLog.row)")))
      WHERE l.\(ChangeLog.via) = \(literal: place.table)
      """
    }
    return selections.joined(separator: "\n")
  }
}
