import POIKit
import POIPlatform
import POISQLite
import POIToolSupport

enum DedupDatabase {
  case store(Store)
  /// An app's own table in the file of a store.
  case foreignTable(Store)
  case foreign(Connection)

  /// Does what the command line asks for.
  ///
  /// - Parameters:
  ///   - note: gets what the user should know before rows are removed.
  ///   - progress: asked during a plan or a deduplication.
  static func run(
    _ job: DedupCommand, note: (String) -> Void, progress: (StoreProgress) -> BatchDecision
  ) throws -> DedupOutcome {
    if case .digest = job.task {
      return .digests(try digests(job))
    }
    return try DedupDatabase(job.storePath, job).run(job, note: note, progress: progress)
  }

  private init(_ path: String, _ job: DedupCommand) throws {
    guard unsafe access(path, F_OK) == 0 else {
      throw ToolFailure(
        .noInput, "\(path): no such store; name one with --store, or import some records")
    }
    let opening: Store.Opening = job.task.isQuestion ? .readOnly : .existing
    switch try Store.Database(path: path, for: opening, trustsSchema: job.trustsSchema) {
    case .store(let store):
      try store.withConnection { try Self.prepare($0, for: job) }
      let isStores = try job.table.map { try store.table(named: $0) != nil } ?? true
      self = isStores ? .store(store) : .foreignTable(store)
    case .foreign(let connection):
      try Self.prepare(connection, for: job)
      self = .foreign(connection)
    }
  }

  private static func prepare(_ connection: Connection, for job: DedupCommand) throws {
    let milliseconds = min(job.busyTimeout / .milliseconds(1), Double(Int32.max))
    try connection.execute("PRAGMA busy_timeout = \(Int64(milliseconds))")
    try Deduplicator.name(job.references, on: connection)
  }

  /// The digest of the table in each store.
  private static func digests(_ job: DedupCommand) throws -> [DedupOutcome.StoreDigest] {
    var files: Set<[UInt64]> = []
    let digests = try job.storePaths.map { path in
      let digest = try DedupDatabase(path, job).digest(job, path: path)
      var status = stat()
      if unsafe stat(path, &status) == 0,
        !files.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted
      {
        throw UsageError("--store names the file \(path) twice; name each store once")
      }
      return digest
    }
    let tables = Set(digests.map(\.table)).sorted()
    guard tables.count == 1 else {
      throw UsageError(
        "the stores have different tables; name one of \(tables.joined(separator: ", ")) with --table"
      )
    }
    return digests
  }

  /// The digest of the table that the job names.
  private func digest(_ job: DedupCommand, path: String) throws -> DedupOutcome.StoreDigest {
    func digest(on connection: Connection) throws -> DedupOutcome.StoreDigest {
      let layout = try Self.layout(job, path: path, in: connection)
      return .init(
        store: path, table: layout.table,
        digest: try layout.digest(in: connection))
    }
    switch self {
    case .store(let store):
      let model = try store.model(ofTable: job.table)
      guard !job.namesKey else {
        throw UsageError(
          "--key cannot be used with --digest, since \(model.table) is a table of poi-import")
      }
      return .init(store: path, table: model.table, digest: try store.digest(of: model))
    case .foreignTable(let store): return try store.withConnection { try digest(on: $0) }
    case .foreign(let connection): return try digest(on: connection)
    }
  }

  private static func layout(
    _ job: DedupCommand, path: String, in connection: Connection
  ) throws -> TableLayout {
    guard let table = job.table else {
      throw ToolFailure(
        .usage,
        "\(path): the database was not made by poi-import; name the table with --table")
    }
    let whole = try TableLayout(describing: table, in: connection, key: [])
    let key = try job.key(known: whole.content.columns)
    return try job.checked(
      TableLayout(describing: table, in: connection, key: key, timestamp: job.timestamp))
  }

  private func run(
    _ job: DedupCommand, note: (String) -> Void, progress: (StoreProgress) -> BatchDecision
  ) throws -> DedupOutcome {
    if case .dangling = job.task { return .references(try danglingReferences()) }
    switch self {
    case .store(let store):
      switch job.task {
      case .undo(let run):
        return .undone(try store.undo(run: run))
      case .purge(let age):
        let model = try store.model(ofTable: job.table)
        return .purged(try store.purgeTombstones(of: model, olderThan: age), table: model.table)
      case .digest, .dangling: preconditionFailure("a question does not change the store")
      case .plan, .deduplicate:
        var model = try store.model(ofTable: job.table)
        let known = model.attributes.flatMap { [$0.name, $0.column] }
        let key = try job.key(known: known)
        var options = try job.options(known: known + model.relations.map(\.name))
        var overrides = Model.Overrides()
        overrides.ties = options.ties
        if key.isEmpty || Set(key) == Set(model.key) {
          overrides.groupsNullKeys = job.nullKey.map { $0 == .group }
          if job.nullKey == nil, model.groupsNullKeys { options.nullKey = .group }
        }
        let kept = model
        model = try model.with(overrides)
        let layout = try job.checked(TableLayout(model, key: key, timestamp: job.timestamp))
        let deduplicator = Deduplicator(layout: layout, options: options)
        guard case .plan = job.task else {
          if model != kept { try store.keep(model) }
          return try DedupOutcome(of: layout) { () throws(StoreError) in
            try store.deduplicate(deduplicator, progress: progress)
          }
        }
        return .planned(try store.plan(deduplicator, progress: progress), layout: layout)
      }
    case .foreignTable(let store):
      return try store.withConnection { try Self.run(job, on: $0, note: note, progress: progress) }
    case .foreign(let connection):
      return try Self.run(job, on: connection, note: note, progress: progress)
    }
  }

  private func danglingReferences() throws -> [DanglingReference] {
    switch self {
    case .store(let store), .foreignTable(let store):
      try store.withConnection { try Deduplicator.danglingReferences(on: $0) }
    case .foreign(let connection): try Deduplicator.danglingReferences(on: connection)
    }
  }

  private static func run(
    _ job: DedupCommand, on connection: Connection, note: (String) -> Void,
    progress: (StoreProgress) -> BatchDecision
  ) throws -> DedupOutcome {
    guard job.page == nil else {
      throw ToolFailure(
        .usage, "\(job.storePath): --html needs a table of poi-import, whose model it describes")
    }
    if case .undo(let run) = job.task {
      return .undone(try Deduplicator.undo(run: run, on: connection, clock: SystemClock.now))
    }
    if case .purge = job.task {
      throw ToolFailure(
        .usage,
        "\(job.storePath): only the tables of poi-import say which rows are removals; name one of "
          + "them with --table")
    }
    let layout = try layout(job, path: job.storePath, in: connection)
    guard !layout.keyColumns.isEmpty else {
      throw ToolFailure(
        .usage, "\(job.storePath): name what identifies a record of \(layout.table) with --key")
    }
    for column in layout.keyColumns {
      let collation = connection.collation(ofColumn: column, inTable: layout.table) ?? "BINARY"
      if collation.uppercased() != "BINARY" {
        note(
          "keys are compared byte by byte, although \(column) has the collation \(collation): \"A\" and "
            + "\"a\" are two keys")
      }
    }
    let deduplicator = Deduplicator(
      layout: layout, options: try job.options(known: layout.content.columns))
    guard case .plan = job.task else {
      return try DedupOutcome(of: layout) { () throws(StoreError) in
        try deduplicator.run(on: connection, clock: SystemClock.now, progress: progress)
      }
    }
    return .planned(try deduplicator.plan(on: connection, progress: progress), layout: layout)
  }
}
