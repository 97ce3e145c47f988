internal import POIRecords
internal import POISQLite

/// Checks and preparations for merging imported records.
extension Store.Lease {
  /// The policy for a model's table, after a check that it fits.
  ///
  /// An empty table is prepared for the policy: its key is enforced from then on, or at the end of an import whose
  /// records are appended.
  ///
  /// - Parameters:
  ///   - asked: the requested policy, if any.
  ///   - isSnapshot: whether the records are a snapshot.
  ///   - appending: when records may be appended.
  /// - Returns: the policy, and whether records are appended and merged at the end.
  /// - Throws: `StoreFailure` with `invalidOptions` when the policy does not fit the model or the table.
  func mergePolicy(
    _ asked: MergePolicy?, isSnapshot: Bool, for model: Model, _ appending: AppendingRule
  ) throws -> (MergePolicy, appends: Bool) {
    let key = try EnforcedKey.read(of: model, in: connection)
    let isEnforced = key != nil
    if let key, asked != .append { try checkRemovals(of: model, key, isSnapshot: isSnapshot) }
    if model.groupsNullKeys, isSnapshot || key?.isHashed == true {
      throw StoreFailure(
        .invalidOptions,
        "keys that contain NULL cannot be grouped "
          + (isSnapshot ? "in a snapshot" : "by a hash: a key with a NULL has none")
          + "; with the rule keep (x-null-key) they meet no other record")
    }
    if let key, key.isHashed { try completeHashes(of: model, key) }
    guard let policy = asked else {
      guard isEnforced else {
        try checkLostKey(of: model)
        return (.append, false)
      }
      return (.newest, false)
    }
    if policy == .append {
      guard isEnforced else { return (policy, false) }
      throw StoreFailure(
        .invalidOptions,
        "the key of the table \"\(model.table)\" is enforced, so a record cannot be "
          + "added beside one with the same key", advice: .useOtherPolicy, .useOtherStore)
    }
    let keepsTimes = policy == .newestByProperty
    if keepsTimes { try checkTimes(of: model) }
    if !isEnforced, policy == .newest, try canAppend(model, appending) {
      return (policy, true)
    }
    let hasTimes = try PropertyTimes.isKept(in: model.table, of: connection)
    if !isEnforced || keepsTimes && !hasTimes { try prepareTable(of: model, for: policy) }
    return (policy, false)
  }

  /// Whether appending all records, and deduplicating at the end, gives what merging each of them does.
  private func canAppend(_ model: Model, _ rule: AppendingRule) throws -> Bool {
    guard rule != .never, !model.key.isEmpty, !model.isKeyDoubtful, !model.groupsNullKeys,
      model.relations.isEmpty, !model.tablesOfRelationsToOne.contains(model.table),
      model.tombstone?.removal != .delete
    else { return false }
    // A constraint of an app may refuse a row where merging would change one.
    let facts = try SchemaFacts(of: model, in: connection)
    guard !facts.mayRefuse, !facts.changesOtherRows else { return false }
    return try rule == .toOwnRows
      || connection.integer("SELECT 1 FROM \(name: model.table) LIMIT 1") == nil
  }

  /// Computes the key hashes of rows that another program wrote.
  private func completeHashes(of model: Model, _ key: EnforcedKey) throws {
    let enforcer = KeyEnforcer(
      layout: try TableLayout(model, key: key.columns),
      schema: try TableSchema(of: model.table, in: connection), enforcement: .hash, nullKey: .keep,
      keyHash: { $0 })
    guard try enforcer.lacksHashes() else { return }
    do {
      try connection.inTransaction { try enforcer.completeHashes() }
    } catch let error as SQLiteError where error.isUniqueViolation {
      throw StoreFailure(
        .invalidOptions,
        "another program gave rows of the table \"\(model.table)\" the key of others",
        advice: .enforce(key: key.columns, .hash))
    }
  }

  /// Refuses to append if the key was enforced and its index is missing, because an app recreated the
  /// table. The user did not ask for duplicates.
  private func checkLostKey(of model: Model) throws {
    let key = try EnforcedKey.columns(ofTable: model.table, in: connection)
    guard !key.isEmpty,
      try KeyEnforcer.indexedColumns(of: model.table, in: connection).isEmpty
    else { return }
    throw StoreFailure(
      .invalidOptions,
      "the key \(key.joined(separator: ", ")) of the table \"\(model.table)\" was enforced, "
        + "and its index is gone, so records would be added beside those with the same key",
      advice: .enforce(key: key, .index), .use(.append))
  }

  /// Enforces the key, and adds the column of times if the policy needs it. Another program may have
  /// done so meanwhile. A table whose key is not enforced must be empty.
  private func prepareTable(of model: Model, for policy: MergePolicy) throws {
    try connection.begin(.immediate)
    do {
      if try EnforcedKey.read(of: model, in: connection) == nil {
        try enforceKey(of: model, for: policy)
      }
      if policy == .newestByProperty { try PropertyTimes.keep(in: model.table, of: connection) }
      try connection.commit()
    } catch {
      connection.rollback()
      throw error
    }
  }

  /// Enforces the key of an empty table. Runs inside the caller's transaction.
  private func enforceKey(of model: Model, for policy: MergePolicy) throws {
    guard !model.key.isEmpty else {
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(model.name)\" names no key, so \(policy.rawValue) cannot tell which records "
          + "belong together", advice: .nameKey)
    }
    let table = SQL(name: model.table)
    guard try connection.integer("SELECT 1 FROM \(table) LIMIT 1") == nil else {
      throw StoreFailure(
        .invalidOptions,
        "the key of the table \"\(model.table)\" is not enforced, so merging by "
          + "\(policy.rawValue) could meet several rows with one key",
        advice: .enforce(key: model.key, .index))
    }
    let enforcer = KeyEnforcer(
      layout: try TableLayout(model), schema: try TableSchema(of: model.table, in: connection),
      enforcement: .index, nullKey: .keep, keyHash: { $0 })
    _ = try enforcer.enforce()
  }

  /// Refuses snapshots, and models whose removals delete, if the table is unique by another key. A record
  /// may then occupy another one's row, and the deleted rows would depend on the order.
  private func checkRemovals(of model: Model, _ key: EnforcedKey, isSnapshot: Bool) throws {
    let named = model.key.compactMap { model.attribute(named: $0)?.column }
    guard Set(named) != Set(key.columns) else { return }
    guard !isSnapshot else {
      throw StoreFailure(
        .invalidOptions,
        "the table \"\(model.table)\" is unique by \(key.columns.joined(separator: ", ")), and "
          + "a snapshot finds missing rows by \(named.joined(separator: ", ")), so it would remove "
          + "rows that it holds", advice: .undoEnforcement, .snapshot(false))
    }
    guard model.tombstone?.removal == .delete else { return }
    throw StoreFailure(
      .invalidOptions,
      "the table \"\(model.table)\" is unique by \(key.columns.joined(separator: ", ")), and "
        + "the removals of the model \"\(model.name)\" name \(named.joined(separator: ", ")), so what "
        + "they delete would depend on the order of the records, unless \"x-tombstone\" marks removals",
      advice: .undoEnforcement)
  }

  /// Refuses models that cannot have a time for each attribute.
  private func checkTimes(of model: Model) throws {
    guard model.timestamp != nil else {
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(model.name)\" names no timestamp, so newest-by-property cannot tell "
          + "which value is newer; add \"x-timestamp\" to it")
    }
    guard model.tombstone?.removal != .delete else {
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(model.name)\" deletes removed rows, and the times of their values with them, so "
          + "what newest-by-property makes of records would depend on their order; let "
          + "\"x-tombstone\" mark removals, or merge by newest")
    }
  }
}

/// When an import may append its records, and merge them at the end.
enum AppendingRule {
  case never
  /// If the table has no rows.
  case toNoRows
  /// Also to the rows of an unfinished import that appended.
  case toOwnRows
}
