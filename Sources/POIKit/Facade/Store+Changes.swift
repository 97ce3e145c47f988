internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// What changed in a store, for a program that shows it.
public struct StoreChanges: Sendable {
  /// A place in the history of a store, which a program may keep.
  public struct Position: Codable, Sendable, Hashable {
    /// The last entry of the log of each tracked table.
    var entries: [String: Int64] = [:]
    /// The last run.
    var run: Int64 = 0
    /// The runs up to it that had not ended.
    var open: Set<Int64> = []
    /// The runs that were undone.
    var undone: Set<Int64> = []

    /// The beginning.
    public init() {}
  }

  /// A local change of a tracked table.
  public struct Change: Sendable, Hashable {
    /// The table.
    public let table: String
    /// The key: attributes of the model and their values.
    public let key: [String: RowValue]
    /// The number of its last entry.
    public let edition: Int64
    /// Whether the table has no row with the key now.
    public let isRemoved: Bool
  }

  /// A run that ended, or that was undone. It may have changed any row of its table.
  public struct Run: Sendable, Hashable {
    /// Its number.
    public let number: Int64
    /// The table.
    public let table: String
    /// Whether it imported records; else it was a deduplication or a purge.
    public let isImport: Bool
    /// Whether it was undone.
    public let isUndone: Bool
  }

  /// The local changes, by table and edition.
  public internal(set) var local: [Change] = []
  /// The runs, by number.
  public internal(set) var runs: [Run] = []
  /// Where the next reading begins.
  public internal(set) var position: Position

  /// Whether nothing changed.
  public var isEmpty: Bool { local.isEmpty && runs.isEmpty }
}

extension Store {
  /// What changed since a position: local changes of tracked tables, and runs that ended.
  ///
  /// Not listed is a local change that ended since: it was acknowledged or discarded, or its row went again before it
  /// was handed out. Nothing is written, and no lock is held between two calls.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  /// - Complexity: O(local changes + runs since)
  public func changes(
    since position: StoreChanges.Position = StoreChanges.Position()
  ) throws(StoreError) -> StoreChanges {
    try leased { (lease) in
      try lease.connection.inTransaction(.deferred) { try lease.changes(since: position) }
    }
  }

  /// A number that another one follows when another connection has changed the store.
  package func version() throws(StoreError) -> Int64 {
    try leased { try $0.connection.dataVersion() }
  }
}

extension Store.Lease {
  fileprivate func changes(since position: StoreChanges.Position) throws -> StoreChanges {
    var changes = StoreChanges(position: position)
    for table in try tables() {
      let model = try model(ofTable: table)
      guard let log = try ChangeLog.existing(of: model, in: connection) else { continue }
      changes.position.entries[table] = try log.lastNumber()
      changes.local += try connection.rows(log.changes(since: position.entries[table] ?? 0)) {
        row in
        var key: [String: RowValue] = [:]
        for (place, attribute) in log.key.enumerated() {
          key[attribute.name] = attribute.value(place, of: row)
        }
        return StoreChanges.Change(
          table: table, key: key, edition: row.integer(log.key.count),
          isRemoved: row.integer(log.key.count + 1) == 0)
      }
    }
    func list(_ runs: Set<Int64>) -> SQL {
      runs.sorted().map { "\($0)" as SQL }.joined(separator: ", ")
    }
    let isNew: SQL = """
      id > \(position.run) OR id IN (\(list(position.open)))
      OR state = 'undone' AND id NOT IN (\(list(position.undone)))
      """
    for run in try RunRecord.list(where: isNew, in: connection).reversed() {
      changes.position.run = max(changes.position.run, run.id)
      changes.position.open.remove(run.id)
      switch run.state {
      case .running, .failed: changes.position.open.insert(run.id)
      case .undone: changes.position.undone.insert(run.id)
      default: break
      }
      guard run.state == .finished || run.state == .undone else { continue }
      changes.runs.append(
        StoreChanges.Run(
          number: run.id, table: run.table, isImport: run.isImport, isUndone: run.state == .undone))
    }
    return changes
  }
}
