internal import POIRecords
internal import POISQLite

/// Tracked tables: those whose local changes are logged.
extension Store.Lease {
  /// See `Store.track(_:)`.
  func track(_ table: String?) throws -> Store.TrackingReport {
    let model = try model(ofTable: table)
    return try connection.inTransaction { try track(model) }
  }

  /// Tracks a table, or restores its triggers, inside the caller's transaction.
  @discardableResult
  func track(_ model: Model) throws -> Store.TrackingReport {
    guard try !PropertyTimes.isKept(in: model.table, of: connection) else {
      throw StoreFailure(
        .invalidOptions,
        "the table \"\(model.table)\" keeps a time for each value (newest-by-property), and an edit has only one, so "
          + "local changes cannot be tracked")
    }
    var log = try ChangeLog(of: model, in: connection)
    var triggers = try ChangeTriggers(log)
    let isNew = try !ChangeLog.exists(of: model.table, in: connection)
    let lost = isNew ? [] : try triggers.lost()
    try connection.execute(OwnWrites.creation)
    try log.tombstones.prepare(in: connection)
    if isNew {
      let hasNumber =
        try connection.integer(
          "SELECT 1 FROM pragma_table_info('poikit_table') WHERE name = 'handed'") != nil
      if !hasNumber {
        try connection.execute("ALTER TABLE main.poikit_table ADD COLUMN handed INTEGER")
      }
      try log.create(
        after: connection.integer("SELECT \(ChangeLog.handed(of: model.table))") ?? 0)
    }
    if try ServerLink.exists(of: model.table, in: connection) {
      try ServerLink(table: model.table, connection: connection).addColumns()
      log = try ChangeLog(of: model, in: connection)
      triggers = try ChangeTriggers(log)
    }
    try triggers.drop()
    try triggers.create()
    return Store.TrackingReport(table: model.table, isNew: isNew, lostTriggers: lost)
  }

  /// See `Store.trackingStatus()`.
  func trackingStatus() throws -> [Store.TrackingStatus] {
    var found: [Store.TrackingStatus] = []
    for table in try tables() where try ChangeLog.exists(of: table, in: connection) {
      let log = try ChangeLog(of: model(ofTable: table), in: connection)
      let isNew: SQL = "poikit_edition > \(ChangeLog.handed(of: table))"
      let counts = try connection.rows(
        """
        SELECT count(*) FILTER (WHERE \(isNew)), count(*) FILTER (WHERE NOT \(isNew)), count(*) FILTER (WHERE poikit_is_there),
          (SELECT count(*) FROM main.\(name: table))
        FROM (\(log.netChanges()))
        """
      ) { row in (0..<4).map { Int(row.integer($0)) } }[0]
      found.append(
        Store.TrackingStatus(
          table: table, notSynchronisedCount: counts[0], pendingCount: counts[1],
          synchronisedCount: counts[3] - counts[2]))
    }
    return found
  }

  /// Creates the triggers of a tracked table for another model, inside the caller's transaction.
  func trackAgain(_ model: Model) throws {
    try ChangeTriggers(ChangeLog(of: model, in: connection)).create()
  }

  /// The error for a table that is not tracked.
  func notTracked(_ model: Model) -> StoreFailure {
    StoreFailure(
      .invalidOptions, "local changes of the table \"\(model.table)\" are not tracked",
      advice: .track(table: model.table))
  }

  /// See `Store.untrack(_:discardingAll:)`.
  func untrack(_ table: String?, discardingAll: Bool) throws {
    let model = try model(ofTable: table)
    try connection.inTransaction {
      guard let log = try ChangeLog.existing(of: model, in: connection) else {
        throw notTracked(model)
      }
      let count = try connection.integer("SELECT count(*) FROM (\(log.netChanges()))") ?? 0
      guard count == 0 || discardingAll else {
        throw StoreFailure(
          .invalidOptions,
          "the table \"\(model.table)\" has \(count) local changes that were not acknowledged",
          advice: .discardAll)
      }
      try ChangeTriggers(log).drop()
      if try ServerLink.exists(of: model.table, in: connection) {
        try ServerLink.remove(of: model.table, in: connection)
      }
      // A later log goes on from here: no number is used twice.
      try connection.execute(
        """
        UPDATE main.poikit_table SET handed = max(coalesce(handed, 0), \(log.lastNumber()))
        WHERE name = \(literal: model.table);
        DROP TABLE \(log.quotedName)
        """)
      if TombstoneTable(model) == nil {
        try TombstoneTable.remove(for: model.table, in: connection)
      }
    }
  }

}

extension Store {
  /// What tracking a table found.
  public struct TrackingReport: Sendable, Hashable {
    /// The table.
    public let table: String

    /// Whether its local changes were not tracked before.
    public let isNew: Bool

    /// The triggers that were missing or did not fit the table. What a program changed without them is not known.
    public let lostTriggers: [String]
  }

  /// How many records of a tracked table are in which state.
  public struct TrackingStatus: Sendable, Hashable {
    /// The table.
    public let table: String

    /// The keys with local changes that were not handed out yet.
    public let notSynchronisedCount: Int

    /// The keys with local changes that were all handed out and not acknowledged.
    public let pendingCount: Int

    /// The rows without local changes.
    public let synchronisedCount: Int
  }

  /// The states of the tracked tables, by name.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  /// - Complexity: O(local changes)
  public func trackingStatus() throws(StoreError) -> [TrackingStatus] {
    try leased { (lease) in
      try lease.connection.inTransaction(.deferred) { try lease.trackingStatus() }
    }
  }

  /// Remembers the local changes of a table from now on: what programs other than the toolkit insert, update and delete.
  ///
  /// Deliveries keep them until they are acknowledged or discarded. Calling it again restores missing triggers.
  ///
  /// - Parameter table: the table; nil for the only one.
  /// - Throws: `StoreError` with `invalidOptions` if the table's key is not enforced.
  @discardableResult
  public func track(_ table: String? = nil) throws(StoreError) -> TrackingReport {
    try leased { try $0.track(table) }
  }

  /// Ends the tracking of a table.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one.
  ///   - discardingAll: whether local changes may be forgotten that were not acknowledged.
  /// - Throws: `StoreError` with `invalidOptions` if the table is not tracked, or has such changes.
  public func untrack(_ table: String? = nil, discardingAll: Bool = false) throws(StoreError) {
    try leased { try $0.untrack(table, discardingAll: discardingAll) }
  }
}
