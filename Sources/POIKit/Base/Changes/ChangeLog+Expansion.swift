internal import POIRecords
internal import POISQLite

/// Completes a log before it is read, inside a transaction of the toolkit.
extension ChangeLog {
  private static let touched: SQL = "temp.poikit_touched"

  private var records: SQL { "main.\(name: model.table)" }

  /// Gives each entry a key and each removed key a tombstone, and drops entries that say nothing.
  func expand() throws {
    if try has("\(ChangeLog.via) IS NOT NULL") { try expandTouches() }
    if try has("\(ChangeLog.kind) = \(Kind.threatened.rawValue)") { try settleThreats() }
  }

  /// A query of all keys and the numbers of their last entries.
  var editions: SQL {
    "SELECT \(keyList), max(\(ChangeLog.number)) FROM \(quotedName) GROUP BY \(keyList)"
  }

  /// Ends the changes of listed keys.
  ///
  /// - Parameters:
  ///   - list: a table of keys, each with `poikit_edition`, the last entry that ends.
  ///   - discards: whether they are discarded: removals are forgotten, and the next delivery replaces the rows.
  /// - Returns: the number of keys that had such changes.
  func end(upTo list: SQL, discards: Bool) throws -> Int {
    let ended: SQL = "temp.poikit_ended"
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_ended (seq INTEGER PRIMARY KEY);
      DELETE FROM \(ended);
      INSERT INTO \(ended) SELECT l.\(ChangeLog.number) FROM \(quotedName) AS l
      CROSS JOIN \(list) AS a ON \(isSameKey("l", "a")) AND l.\(ChangeLog.number) <= a.poikit_edition
      \(discards ? "WHERE l.\(ChangeLog.kind) <> \(Kind.discarded.rawValue)" : "")
      """)
    let keys: SQL = """
      SELECT DISTINCT \(keyList) FROM \(quotedName) WHERE \(ChangeLog.number) IN (SELECT seq FROM \(ended))
        AND \(ChangeLog.kind) <> \(Kind.discarded.rawValue)
      """
    let count = try connection.integer("SELECT count(*) FROM (\(keys))") ?? 0
    if discards {
      try connection.execute(
        """
        DELETE FROM \(tombstones.quotedName) WHERE (\(keyList)) IN (\(keys));
        INSERT INTO \(quotedName) (\(keyList), \(ChangeLog.kind))
        SELECT \(keyList), \(Kind.discarded.rawValue) FROM \(records) WHERE (\(keyList)) IN (\(keys))
        """)
    }
    try connection.execute(
      "DELETE FROM \(quotedName) WHERE \(ChangeLog.number) IN (SELECT seq FROM \(ended))")
    return Int(count)
  }

  private func has(_ condition: SQL) throws -> Bool {
    try connection.integer("SELECT 1 FROM \(quotedName) WHERE \(condition) LIMIT 1") != nil
  }

  /// Replaces the entries of other tables by entries of the rows that have the touched rows now. These rows get a time
  /// now, because a trigger of another table cannot give it.
  private func expandTouches() throws {
    let id = StoreSchema.idColumn
    let selections: [SQL] = RelatedPlace.all(of: model).map { place in
      """
      SELECT t.\(id), l.\(ChangeLog.kind) = \(Kind.changed.rawValue) FROM \(quotedName) AS l
      CROSS JOIN \(records) AS t ON t.\(id) IN (\(place.records("l.\(ChangeLog.row)")))
      WHERE l.\(ChangeLog.via) = \(literal: place.table)
      """
    }
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_touched (row INTEGER PRIMARY KEY, is_stamped INTEGER);
      DELETE FROM \(ChangeLog.touched);
      INSERT INTO \(ChangeLog.touched) SELECT * FROM (\(selections.joined(separator: " UNION ALL "))) WHERE true
      ON CONFLICT DO UPDATE SET is_stamped = max(is_stamped, excluded.is_stamped);
      INSERT INTO \(quotedName) (\(keyList), \(ChangeLog.kind), \(ChangeLog.time)\(hasVersions ? ", \(ServerLink.version)" : ""))
      SELECT \(key(of: "t")), \(Kind.changed.rawValue), \(tombstones.time(ofRow: "t"))\(hasVersions ? ", t.\(ServerLink.version)" : "")
      FROM \(ChangeLog.touched) AS l CROSS JOIN \(records) AS t ON t.\(id) = l.row
      WHERE \(keyColumns.map { "t.\($0) IS NOT NULL" }.joined(separator: " AND "));
      DELETE FROM \(quotedName) WHERE \(ChangeLog.via) IS NOT NULL
      """)
    guard let clock = ChangeClock(model) else { return }
    try connection.writing(.unlogged) {
      try connection.execute(
        """
        UPDATE \(records) SET \(name: clock.column) = \(clock.time(after: SQL(name: clock.column)))
        WHERE \(id) IN (SELECT row FROM \(ChangeLog.touched) WHERE is_stamped)
        """)
    }
  }

  /// Drops the threats that came to nothing. A last one of a key without a row is a removal by `REPLACE`, which fires no
  /// trigger.
  private func settleThreats() throws {
    let threat = Kind.threatened.rawValue
    let isThreat: SQL = "\(ChangeLog.kind) = \(threat)"
    let time: SQL = ChangeClock(model)?.time(after: "l.\(ChangeLog.time)") ?? "l.\(ChangeLog.time)"
    try connection.execute(
      """
      DELETE FROM \(quotedName) WHERE \(isThreat) AND (\(keyList)) IN (
        SELECT \(key(of: "t")) FROM (
          SELECT \(keyList) FROM \(quotedName) GROUP BY \(keyList) HAVING min(\(ChangeLog.kind)) = \(threat)) AS g
        CROSS JOIN \(records) AS t ON \(isSameKey("t", "g")));
      CREATE TEMP TABLE IF NOT EXISTS poikit_replaced (seq INTEGER PRIMARY KEY);
      DELETE FROM temp.poikit_replaced;
      INSERT INTO temp.poikit_replaced
      SELECT g.poikit_last FROM (
        SELECT \(keyList), max(\(ChangeLog.number)) AS poikit_last, \(ChangeLog.kind) FROM \(quotedName) GROUP BY \(keyList)) AS g
      WHERE \(isThreat) AND NOT EXISTS (SELECT 1 FROM \(records) AS t WHERE \(isSameKey("t", "g")));
      INSERT OR IGNORE INTO \(tombstones.quotedName) (\(keyList), \(TombstoneTable.timestampColumn))
      SELECT \(key(of: "l")), \(time) FROM temp.poikit_replaced AS r CROSS JOIN \(quotedName) AS l
      ON l.\(ChangeLog.number) = r.seq;
      UPDATE \(quotedName) SET \(ChangeLog.kind) = \(Kind.changed.rawValue)
      WHERE \(ChangeLog.number) IN (SELECT seq FROM temp.poikit_replaced)
      """)
  }
}
