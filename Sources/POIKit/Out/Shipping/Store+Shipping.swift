internal import POIPlatform
internal import POIRecords
internal import POISQLite

/// A store for an app's bundle.
extension Store {
  /// Writes a compact copy that an app opens in a folder that it cannot write, without what only this machine
  /// needs: rejects, archives, and the runs with the names of their inputs.
  ///
  /// The copy keeps the models, the enforced keys, the tokens of the sources, remembered removals and digests. It
  /// is a store, so it takes later deliveries. Triggers keep its spatial index and its search up to date.
  ///
  /// - Parameters:
  ///   - path: the path, where no file may exist.
  ///   - options: the indexes that it gets.
  ///   - progress: called now and then; returns whether to continue.
  /// - Throws: `StoreError` with `unfinishedRun` if an import waits to be resumed, with `noSuchTable`,
  ///   `noSuchColumn` or `invalidOptions`, with `interrupted` if `progress` stops it, or if the file exists or cannot
  ///   be written. No file is left.
  @discardableResult
  public func ship(
    to path: String, options: ShippingOptions = ShippingOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> ShippingReport {
    try leased { lease in
      let indexes = try lease.indexes(options)
      let mode = StorePermissions.forFile(besideStoreAt: self.path)
      return try NewDatabase.write(path, mode: mode) { path in
        try lease.copy(to: path)
        try NewDatabase.writing { try Store.checkCompleteness(ofCopyAt: path) }
        // Another program may change the store meanwhile, but not its copy.
        let digests = try Store(path, for: .readOnly).leased { try $0.rememberedDigests() }
        try NewDatabase.writing { try Store.finishCopy(at: path, indexes, progress) }
        let report = try Store(path, for: .readOnly).leased { try $0.shippingReport() }
        for (table, digest) in digests {
          let copied = report.tables.first { $0.name.isExactly(table) }?.digest
          guard digest != copied else { continue }
          throw StoreFailure(
            .database,
            "nothing was written: the store or its copy is damaged; the digest of \(table) is \(digest) in the "
              + "store, \(copied?.description ?? "none") in the copy")
        }
        try Store.proceed(progress)
        return report
      }
    }
  }

  /// - Throws: `StoreFailure` with `interrupted` if `progress` stops the work.
  static func proceed(_ progress: (StoreProgress) -> BatchDecision, rowCount: Int = 0) throws {
    if progress(StoreProgress(.reading, completedCount: rowCount)) == .stop {
      throw StoreFailure(.interrupted, "interrupted; the file was not written")
    }
  }

  private static func checkCompleteness(ofCopyAt path: String) throws {
    let connection = try Connection(path: path, access: .readOnly)
    for table in try connection.rows("SELECT name FROM main.poikit_table", { $0.text(0) }) {
      let unfinished = RunRecord.unfinishedImports(into: table)
      guard try RunRecord.latest(where: unfinished, in: connection) == nil else {
        throw StoreFailure(
          .unfinishedRun,
          "an import into \(table) is not finished: wait until it ends; if it was stopped, resume or restart it"
        )
      }
    }
  }

  private static func finishCopy(
    at path: String, _ indexes: ShippedIndexes?, _ progress: (StoreProgress) -> BatchDecision
  ) throws {
    let connection = try Connection(path: path, access: .readWrite)
    connection.trustOwnFile()
    // Nothing of what is deleted stays in the file.
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
      PRAGMA cache_size = -32000; PRAGMA foreign_keys = ON
      """)
    for table in try ownTables(in: connection) {
      try connection.execute("DROP TABLE main.\(name: table)")
    }
    try connection.inTransaction {
      try connection.execute("DELETE FROM main.poikit_run")
      try indexes?.make(in: connection, progress)
    }
    if try connection.integer("PRAGMA freelist_count") != 0 { try connection.execute("VACUUM") }
    try connection.execute("PRAGMA journal_mode = DELETE")
  }

  /// The archives, and what stopped runs left.
  private static func ownTables(in connection: Connection) throws -> [String] {
    let prefixes = [ArchiveTable.prefix, LandingTable.prefix, SnapshotTable.prefix]
    return try connection.rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name"
    ) { $0.text(0) }.filter { prefixes.contains(where: $0.hasPrefix) }
  }
}

extension Store.Lease {
  /// What the copy gets; nil for no indexes.
  fileprivate func indexes(_ options: ShippingOptions) throws -> ShippedIndexes? {
    let hasIndexes =
      options.table != nil || options.hasSpatialIndex
      || !options.indexes.isEmpty || !options.fullText.isEmpty
    return hasIndexes
      ? try ShippedIndexes(of: model(ofTable: options.table), options, in: connection) : nil
  }

  /// The digest of each table of records: the remembered one, or else a computed one.
  fileprivate func rememberedDigests() throws -> [(table: String, digest: Digest)] {
    try tables().map { table in (table, try digestBeforeImport(of: model(ofTable: table))) }
  }

  fileprivate func shippingReport() throws -> ShippingReport {
    let tables = try tables().map { table in
      let digest = try digest(of: model(ofTable: table))
      return ShippingReport.Table(
        name: table, rowCount: digest.rowCount, digest: digest.digest)
    }
    return ShippingReport(tables: tables, byteCount: try connection.byteCount())
  }
}
