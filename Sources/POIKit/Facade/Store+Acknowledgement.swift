internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// What a server answered to the local changes that it got.
extension Store {
  /// What acknowledging changed.
  public struct AcknowledgementReport: Sendable {
    /// The keys whose changes ended. A key that has changed again since stays a local change.
    public internal(set) var endedCount = 0

    /// The keys without changes up to the edition.
    public internal(set) var unknownCount = 0

    /// The lines, and those that were rejected, with their rules.
    public internal(set) var lines: ImportReport

    /// The records that the server changed, as they were imported; nil if it changed none.
    public internal(set) var records: ImportReport?
  }

  /// Ends the local changes that a server acknowledges: lines such as `{"key":{"id":7},"edition":17}`.
  ///
  /// The key has the form that ``exportUnsent(_:progress:to:)`` gives it in `removed`. Changes after the edition stay.
  /// With a member `record`, the line also has the record as the server has it now; it replaces the row, whatever
  /// its time, unless the row has changed since. A line is rejected whose edition was never handed out.
  ///
  /// - Parameters:
  ///   - sources: the lines.
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - options: limits and reject file.
  ///   - progress: called after each batch of lines; returns whether to continue. If not, nothing is changed.
  /// - Throws: `StoreError` with `invalidOptions` if the table is not tracked or triggers are missing, or when the input
  ///   cannot be read or the store cannot be written.
  /// - Complexity: O(lines + local changes)
  @discardableResult
  public func acknowledge(
    from sources: [ImportSource], of table: String? = nil, options: ImportOptions = ImportOptions(),
    progress: @escaping (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> AcknowledgementReport {
    let (model, handed) = try leased { try $0.handedOut(of: table) }
    let form = try StoreError.converting(path: path) {
      try AcknowledgementForm(of: model, upTo: handed)
    }
    let lines = try Store.temporary()
    var report = AcknowledgementReport(
      lines: try lines.importRecords(
        from: sources, model: form.model, options: options, progress: progress))
    guard report.lines.ending == .finished else { return report }
    (report.endedCount, report.unknownCount) = try leased { (lease) in
      try lines.withConnection { try lease.endChanges(of: model, acknowledgedBy: form, in: $0) }
    }
    report.records = try importRecords(acknowledgedBy: form, in: lines, model)
    return report
  }

  /// Imports the records of an acknowledgement; nil if it has none.
  private func importRecords(
    acknowledgedBy form: AcknowledgementForm, in lines: Store, _ model: Model
  ) throws(StoreError) -> ImportReport? {
    var options = ImportOptions()
    options.mergePolicy = .overwrite
    options.maximumSkew = nil
    options.isRestarting = true
    var session: ImportSession?
    do {
      try lines.withConnection { connection in
        var rows = try connection.prepare(form.records)
        while try rows.step() {
          if session == nil {
            session = try ImportSession(into: self, model: model, options: options)
            try session?.beginInput(named: "acknowledgement")
          }
          var line: [UInt8] = []
          for index in rows.bytes(0).indices { line.append(rows.bytes(0)[index]) }
          line.append(UInt8(ascii: "\n"))
          try session?.append(line.span)
        }
      }
      return try session?.finish()
    } catch {
      throw StoreError(converting: error, path: path)
    }
  }
}

extension Store {
  /// Discards the local changes of a key, or all: they are handed out no more, and the next delivery replaces the rows,
  /// whatever the times. Until then the rows stay as they are.
  ///
  /// - Parameters:
  ///   - key: the key as JSON, in the form that ``exportUnsent(_:progress:to:)`` gives it; nil for all keys.
  ///   - table: the table; nil for the only one of the store that is not empty.
  /// - Returns: the number of keys that had local changes.
  /// - Throws: `StoreError` with `invalidOptions` if the table is not tracked or the text is no key, or when the store
  ///   cannot be written.
  @discardableResult
  public func discardChanges(of key: String? = nil, in table: String? = nil) throws(StoreError)
    -> Int
  {
    let (model, _) = try leased { try $0.handedOut(of: table) }
    let lines = try Store.temporary()
    var form: AcknowledgementForm?
    if let key {
      let all = try StoreError.converting(path: path) {
        try AcknowledgementForm(of: model, upTo: .max)
      }
      let report = try lines.importRecords(
        from: .text("{\"key\":\(key),\"edition\":\(Int64.max)}", named: "key"), model: all.model)
      guard report.counters.inserted == 1, report.counters.read == 1 else {
        let names = model.key.map { "\"\($0)\":…" }.joined(separator: ",")
        throw StoreError(
          .invalidOptions, "\(path): '\(key)' is no key of \(model.table); one is {\(names)}")
      }
      form = all
    }
    return try leased { (lease) in
      try lines.withConnection {
        try lease.endChanges(of: model, acknowledgedBy: form, in: $0, discards: true).ended
      }
    }
  }
}

/// The lines of an acknowledgement, as a model and its rows.
private struct AcknowledgementForm {
  let model: Model

  private let names: (edition: String, record: String)
  private let keyColumns: [SQL]

  /// - Parameter last: the greatest edition that was handed out.
  init(of records: Model, upTo last: Int64) throws {
    func free(_ name: String) -> String {
      records.key.containsExactly(name) ? free(name + "_") : name
    }
    names = (free("edition"), free("record"))
    model = try records.ofKeys(
      at: "/key", table: "acknowledged",
      members: [
        (
          names.edition,
          .object([
            "type": .string("integer"), "minimum": .number(1), "maximum": .number(last),
            "x-source": .string("/edition"),
          ])
        ),
        (
          names.record,
          .object([
            "type": .array([.string("object"), .string("null")]), "x-source": .string("/record"),
          ])
        ),
      ], required: [names.edition])
    keyColumns = records.key.compactMap(model.attribute(named:)).map { SQL(name: $0.column) }
  }

  private var table: SQL { SQL(name: model.table) }

  /// A query of the keys and their greatest editions.
  var editions: SQL {
    let keys = keyColumns.joined(separator: ", ")
    return "SELECT \(keys), max(\(name: names.edition)) FROM \(table) GROUP BY \(keys)"
  }

  /// A query of the records that the server changed, the later ones last. One beside a later edition of its key is old.
  var records: SQL {
    """
    SELECT \(name: names.record) FROM \(table) AS a
    WHERE \(name: names.record) IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM \(table) AS b WHERE b.\(name: names.edition) > a.\(name: names.edition)
        AND \(keyColumns.map { "a.\($0) = b.\($0)" }.joined(separator: " AND ")))
    ORDER BY \(StoreSchema.idColumn)
    """
  }
}

extension Store.Lease {
  /// The model of a tracked table, and the greatest edition that was handed out.
  fileprivate func handedOut(of table: String?) throws -> (Model, Int64) {
    let model = try model(ofTable: table)
    guard try ChangeLog.checked(of: model, in: connection) != nil else { throw notTracked(model) }
    guard try !ServerLink.exists(of: model.table, in: connection) else {
      throw StoreFailure(
        .invalidOptions,
        "the table \"\(model.table)\" is synchronised with a server, which alone ends its changes (poi-sync)"
      )
    }
    return (model, try connection.integer("SELECT \(ChangeLog.handed(of: model.table))") ?? 0)
  }

  /// Ends the changes up to the acknowledged editions, in one transaction.
  ///
  /// - Parameters:
  ///   - form: the form of the lines; nil to end all changes.
  ///   - discards: whether they end because they are discarded: then removals are forgotten, too.
  /// - Returns: the number of keys that had such changes, and of those that had none.
  fileprivate func endChanges(
    of model: Model, acknowledgedBy form: AcknowledgementForm?, in lines: Connection,
    discards: Bool = false
  ) throws -> (ended: Int, unknown: Int) {
    try connection.inTransaction {
      guard let log = try ChangeLog.checked(of: model, in: connection) else {
        throw notTracked(model)
      }
      try log.expand()
      let list: SQL = "temp.poikit_acknowledged"
      try connection.execute(
        """
        DROP TABLE IF EXISTS \(list);
        CREATE TABLE \(list) (\(log.keyList), poikit_edition INTEGER, PRIMARY KEY (\(log.keyList))) WITHOUT ROWID
        """)
      let columnCount = log.keyColumns.count + 1
      let parameters = (1...columnCount).map { "?\($0)" as SQL }.joined(separator: ", ")
      var insertion = try connection.prepare("INSERT INTO \(list) VALUES (\(parameters))")
      var editions =
        try form.map { try lines.prepare($0.editions) } ?? connection.prepare(log.editions)
      var keyCount = 0
      while try editions.step() {
        for place in 0..<columnCount {
          try StoredValue(place, of: editions)?.bind(to: &insertion, at: place + 1)
        }
        try insertion.run()
        keyCount += 1
      }
      let ended = try log.end(upTo: list, discards: discards)
      try editions.reset()
      try connection.execute("DROP TABLE \(list)")
      return (ended, keyCount - ended)
    }
  }
}
