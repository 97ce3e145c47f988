package import POIRecords
internal import POISQLite

/// A table of a store that is pulled from a server, and not sent to it. Its pages are deliveries.
package struct PulledTable: Sendable {
  package let store: Store
  package let model: Model
  /// How it is pulled.
  package let settings: JSONValue

  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - model: the model of a table that may be new; nil for the model of the table.
  ///   - settings: how it is pulled, which is kept, with the member `address`; nil for what is kept.
  /// - Throws: `StoreError` with `invalidOptions` if the model has no key, the table is synchronised, or nothing is kept.
  package init(
    _ store: Store, table: String? = nil, model: Model? = nil, settings: JSONValue? = nil
  ) throws(StoreError) {
    self.store = store
    (self.model, self.settings) = try store.leased { (lease) in
      let model = try model ?? lease.model(ofTable: table)
      return (model, try lease.pull(model, settings))
    }
  }

  /// Whether a table is pulled, as far as the store knows.
  package static func exists(
    in store: Store, table: String?, model: Model?
  ) throws(StoreError) -> Bool {
    try store.leased { (lease) in
      let name = try model?.table ?? lease.model(ofTable: table).table
      return try ServerLink(table: name, connection: lease.connection).state()?.pulling != nil
    }
  }

  /// Notes how a pull ended.
  package func note(error: String?, at time: Instant) throws(StoreError) {
    try store.leased {
      try ServerLink(table: model.table, connection: $0.connection).note(error: error, ended: time)
    }
  }

  /// Removes the rows whose keys are not in a list, like a snapshot that lacks them.
  ///
  /// - Parameters:
  ///   - list: a JSON array of keys, or of objects that have them, or an object whose only array is that.
  ///   - name: the name of the list in errors.
  ///   - limit: how many rows may be removed.
  /// - Throws: `StoreError` with `unreadable` if the list has something else, with `snapshotRefused` if it lacks too many
  ///   rows.
  package func removeOthers(
    than list: [UInt8], named name: String, limit: ImportOptions.Limit?
  ) throws(StoreError) -> ImportReport {
    var options = ImportOptions()
    options.isSnapshot = true
    options.isListOfKeys = true
    options.isRestarting = true
    options.jobCount = 1
    options.pointer = ""
    options.removalLimit = limit
    let keys = try keys(in: list, named: name)
    var session = try ImportSession(into: store, model: model, options)
    session.presentKeys = keys
    try session.beginInput(named: name)
    try session.append([UInt8(ascii: "["), UInt8(ascii: "]")].span)
    return try session.finish()
  }

  private func keys(in list: [UInt8], named name: String) throws(StoreError) -> KeyList {
    let lines = try Store.temporary()
    let form: Model
    do { form = try model.ofKeys(table: "listed") } catch {
      throw StoreError(.invalidOptions, "\(store.path): \(error)")
    }
    var session = try ImportSession(into: lines, model: form, ImportOptions())
    try session.beginInput(named: name)
    let unreadable = StoreError(
      .unreadable, "\(name): the answer is no list of keys, or an empty one; nothing was removed")
    do {
      // It parses the list, and makes objects of plain keys.
      let connection = try Connection.temporary()
      let member = model.key.count == 1 ? form.attribute(named: model.key[0])?.source.notation : nil
      var query = try connection.prepare(
        """
        SELECT CASE type WHEN 'object' THEN value ELSE json_object(\(literal: String((member ?? "/").dropFirst())), value) END
        FROM json_each((
          SELECT CASE json_type(?1) WHEN 'array' THEN ?1 ELSE (
            SELECT CASE count(*) WHEN 1 THEN max(value) END FROM json_each(?1) WHERE type = 'array') END))
        """)
      try query.bind(1, text: String(decoding: list, as: UTF8.self))
      while try query.step() {
        var line: [UInt8] = []
        for index in query.bytes(0).indices { line.append(query.bytes(0)[index]) }
        line.append(UInt8(ascii: "\n"))
        try session.append(line.span)
      }
    } catch let error as SQLiteError {
      throw error.primaryCode == 1 ? unreadable : StoreError(converting: error, path: store.path)
    } catch {
      throw StoreError(converting: error, path: store.path)
    }
    let counters = try session.finish().counters
    guard counters.read > 0, counters.rejected == 0 else {
      throw counters.read == 0
        ? unreadable
        : StoreError(
          .unreadable,
          "\(name): \(counters.rejected) entries of the list are no keys of \(model.table), so nothing was removed"
        )
    }
    return KeyList(lines, form)
  }
}

extension Store.Lease {
  /// - Returns: how a table is pulled.
  fileprivate func pull(_ model: Model, _ settings: JSONValue?) throws -> JSONValue {
    guard !model.key.isEmpty else {
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(model.name)\" names no key, so records that come again would be stored twice"
      )
    }
    try forgetDroppedTable(of: model)
    let link = ServerLink(table: model.table, connection: connection)
    let known = try link.state()
    if let known, known.pulling == nil {
      throw StoreFailure(
        .invalidOptions,
        "the table \"\(model.table)\" is synchronised with \(known.address); pull into another one")
    }
    guard let settings = settings ?? known?.pulling.flatMap(JSONValue.stored) else {
      throw StoreFailure(
        .invalidOptions, "the table \"\(model.table)\" is not pulled; name an address")
    }
    try prepareTables(for: model)
    if known?.pulling?.isExactly(settings.description) == true { return settings }
    let address = settings["address"]?.string ?? ""
    try connection.inTransaction {
      // A token means nothing elsewhere. The latest timestamp of a table that was filled otherwise may.
      if known.map({ !$0.address.isExactly(address) }) ?? (settings["token"]?.string != nil) {
        try forgetTokens(ofTable: model.table, source: "")
      }
      try link.create(at: address, pulling: settings.description)
    }
    return settings
  }
}

extension ImportSession {
  /// A session for what a server sends, which brings no lost rows back and is no first import by key.
  init(into store: Store, model: Model, _ options: ImportOptions) throws(StoreError) {
    try self.init(
      into: store, model: model, options: options, validators: [], onProgress: nil,
      foldingBy: { _, _, _, _ in FoldedRows() },
      deduplicatingBy: { _, _, _, _, _, _ in preconditionFailure("this is no first import") })
  }
}
