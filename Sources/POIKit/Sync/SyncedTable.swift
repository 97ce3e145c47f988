package import POIRecords
internal import POISQLite
internal import SyncRules

/// A table of a store that is synchronised with a server.
///
/// What is sent and taken over follows from `SyncRules`. The documents of the protocol are described in
/// `Guides/TwoWay.md`.
package struct SyncedTable: Sendable {
  package let store: Store
  package let model: Model

  /// Connects a table with a server.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - model: the model of a table that may be new; nil for the model of the table.
  ///   - address: the server's address, which is kept; nil for the kept one.
  /// - Throws: `StoreError` with `invalidOptions` if the table cannot be synchronised.
  package init(
    _ store: Store, table: String? = nil, model: Model? = nil, address: String? = nil
  ) throws(StoreError) {
    self.store = store
    self.model = try store.leased { (lease) in
      let model = try model ?? lease.model(ofTable: table)
      try lease.connect(model, to: address)
      return model
    }
  }

  /// The address of the server, and where the next page begins.
  package var address: String { get throws(StoreError) { try state().address } }
  package var checkpoint: String? { get throws(StoreError) { try state().checkpoint } }

  func state() throws(StoreError) -> ServerLink.State {
    try store.leased { try $0.serverState(of: model) }
  }

  /// Notes how a cycle ended.
  package func note(error: String?, at time: Instant) throws(StoreError) {
    try store.leased {
      try ServerLink(table: model.table, connection: $0.connection).note(error: error, ended: time)
    }
  }

  /// Forgets all versions: all records and removals are offered again, and all pages are asked for.
  ///
  /// - Parameter epoch: the life of the server's records; nil if it is not known.
  package func restart(epoch: String? = nil) throws(StoreError) {
    try store.leased { try $0.restart(model, epoch: epoch) }
  }

  /// Ends the first pull: the key is enforced, and local changes are tracked from now on.
  package func endFirstPull() throws(StoreError) {
    try store.leased { try $0.endFirstPull(of: model) }
  }
}

/// What a program can show of a synchronised table.
package struct SyncStatus: Sendable {
  package let table: String
  package let address: String
  /// Whether it is only pulled. Then the counts are 0.
  package let isPulled: Bool
  /// The keys with changes that were never sent.
  package var notSynchronisedCount = 0
  /// The keys with changes that were sent and not acknowledged.
  package var pendingCount = 0
  package var synchronisedCount = 0
  /// What the server refused: the key as JSON, and the server's words.
  package var refusals: [(key: String, words: String)] = []
  package let checkpoint: String?
  /// Why the last cycle failed; nil if it did not.
  package let error: String?
  /// When the last cycle ended.
  package let ended: Instant?
}

extension Store {
  /// The tables with a server.
  package func syncedTables() throws(StoreError) -> [SyncStatus] {
    try leased { (lease) in
      try lease.connection.inTransaction(.deferred) {
        var found: [SyncStatus] = []
        for table in try lease.tables() {
          let link = ServerLink(table: table, connection: lease.connection)
          if let state = try link.state() { found.append(try lease.syncStatus(of: table, state)) }
        }
        return found
      }
    }
  }
}

extension Store.Lease {
  fileprivate func serverState(of model: Model) throws -> ServerLink.State {
    guard let state = try ServerLink(table: model.table, connection: connection).state(),
      state.pulling == nil
    else { throw hasNoServer(model) }
    return state
  }

  private func hasNoServer(_ model: Model) -> StoreFailure {
    StoreFailure(.invalidOptions, "the table \"\(model.table)\" has no server; name its address")
  }

  fileprivate func connect(_ model: Model, to address: String?) throws {
    try checkSynchronisable(model)
    try forgetDroppedTable(of: model)
    let link = ServerLink(table: model.table, connection: connection)
    let known = try link.state()
    if known?.pulling != nil {
      throw StoreFailure(
        .invalidOptions,
        "the table \"\(model.table)\" is only pulled, from \(known?.address ?? ""); synchronise another one"
      )
    }
    guard let address = address ?? known?.address else { throw hasNoServer(model) }
    try prepareTables(for: model)
    try connection.inTransaction {
      if try known == nil && hasRows(inTable: model.table) {
        // It must be tracked already.
        guard try ChangeLog.exists(of: model.table, in: connection) else {
          _ = try ChangeLog(of: model, in: connection)
          throw notTracked(model)
        }
      }
      let hasVersions = try ChangeLog.existing(of: model, in: connection)?.hasVersions ?? false
      try link.create(at: address)
      if !hasVersions { try track(model) }
    }
  }

  private func checkSynchronisable(_ model: Model) throws {
    let members = [Model.versionMember, Model.removalMemberOfServer]
    let reason: String? =
      if model.key.isEmpty {
        "has no key"
      } else if ChangeClock(model) == nil {
        "has no timestamp that is an instant outside the key, by which the newer of two changes is known"
      } else if model.attributes.contains(where: { $0.source == .memberName }) {
        "names its records by the members of an object"
      } else if let name = members.first(where: { name in
        model.attributes.contains { $0.source == .pointer([name]) }
      }) {
        "has the member \"\(name)\", which the protocol uses"
      } else {
        nil
      }
    guard let reason else { return }
    throw StoreFailure(
      .invalidOptions,
      "the table \"\(model.table)\" cannot be synchronised: its model \(reason)")
  }

  fileprivate func endFirstPull(of model: Model) throws {
    guard try EnforcedKey.read(of: model, in: connection) == nil else { return }
    let table = SQL(name: model.table)
    let key = model.key.compactMap { model.attribute(named: $0)?.column }.map { SQL(name: $0) }
    let keys = key.joined(separator: ", ")
    let hasKey: SQL = key.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    try connection.inTransaction {
      let enforcer = KeyEnforcer(
        layout: try TableLayout(model), schema: try TableSchema(of: model.table, in: connection),
        enforcement: .index, nullKey: .keep, keyHash: { $0 })
      do {
        _ = try enforcer.enforce()
      } catch let error as StoreFailure where error.code == .keyNotUnique {
        // What changed on the server during the first pull came twice. A row that a program inserted meets it when it is
        // pushed.
        try connection.writing(.unlogged) {
          try connection.execute(
            """
            DELETE FROM main.\(table) WHERE \(hasKey) AND \(StoreSchema.idColumn) NOT IN (
              SELECT coalesce(max(\(StoreSchema.idColumn)) FILTER (WHERE \(ServerLink.version) IS NULL),
                max(\(StoreSchema.idColumn)))
              FROM main.\(table) WHERE \(hasKey) GROUP BY \(keys))
            """)
        }
        try forgetDigest(of: model)
        _ = try enforcer.enforce()
      }
      // Its triggers follow the unique columns.
      try track(model)
    }
  }

  /// The rule for `SyncEvent.restarted`, for all keys.
  fileprivate func restart(_ model: Model, epoch: String?) throws {
    let link = ServerLink(table: model.table, connection: connection)
    try connection.inTransaction {
      if let log = try ChangeLog.checked(of: model, in: connection) {
        try log.expand()
        try offerAll(log)
      }
      try connection.execute(
        """
        UPDATE main.\(name: model.table) SET \(ServerLink.version) = NULL WHERE \(ServerLink.version) IS NOT NULL
        """)
      try link.keep(epoch: epoch, checkpoint: nil)
    }
  }

  private func offerAll(_ log: ChangeLog) throws {
    let (keys, tombstones) = (log.keyList, log.tombstones.quotedName)
    let time = TombstoneTable.timestampColumn
    let hasKey: SQL = log.keyColumns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let changed = ChangeLog.Kind.changed.rawValue
    try connection.execute(
      """
      INSERT INTO \(tombstones) (\(keys), \(time))
      SELECT \(keys), max(\(ChangeLog.time)) FROM \(log.quotedName) AS l
      WHERE NOT EXISTS (SELECT 1 FROM main.\(name: log.model.table) AS t WHERE \(log.isSameKey("t", "l")))
      GROUP BY \(keys) HAVING min(\(ChangeLog.kind)) > 0
      ON CONFLICT DO NOTHING;
      DELETE FROM \(log.quotedName);
      INSERT INTO \(log.quotedName) (\(keys), \(ChangeLog.kind), \(ChangeLog.time))
      SELECT \(keys), \(changed), NULL FROM main.\(name: log.model.table) WHERE \(hasKey)
      UNION ALL SELECT \(keys), \(changed), \(time) FROM \(tombstones);
      UPDATE \(tombstones) SET \(ServerLink.version) = NULL;
      UPDATE main.poikit_table SET handed = \(log.lastNumber()) WHERE name = \(literal: log.model.table)
      """)
  }

  fileprivate func syncStatus(
    of table: String, _ state: ServerLink.State
  ) throws -> SyncStatus {
    let model = try model(ofTable: table)
    var status = SyncStatus(
      table: table, address: state.address, isPulled: state.pulling != nil,
      checkpoint: state.checkpoint, error: state.error, ended: state.ended)
    guard !status.isPulled, let log = try ChangeLog.existing(of: model, in: connection) else {
      return status
    }
    if let counts = try trackingStatus().first(where: { $0.table.isExactly(table) }) {
      status.notSynchronisedCount = counts.notSynchronisedCount
      status.pendingCount = counts.pendingCount
      status.synchronisedCount = counts.synchronisedCount
    }
    let members: [SQL] = log.key.map { "\(literal: $0.name), \(name: $0.column)" }
    status.refusals = try connection.rows(
      """
      SELECT json_object(\(members.joined(separator: ", "))), \(ChangeLog.refusal) FROM \(log.quotedName)
      WHERE \(ChangeLog.refusal) IS NOT NULL ORDER BY \(ChangeLog.number)
      """
    ) { (key: $0.text(0), words: $0.text(1)) }
    return status
  }
}
