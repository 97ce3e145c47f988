internal import JSONStreaming
internal import POIRecords
public import POISQLite

/// Records out of a store.
extension Store {
  /// Writes the records of a table as JSON, in the form that its model reads.
  ///
  /// All rows are of one state of the store. Meanwhile other connections can write to it. Rows that are marked as
  /// removed are written, too.
  ///
  /// An import of the export into a new store, with the same model, gives a table with the same digest, if all
  /// columns are written and no record is refused.
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - options: what is written.
  ///   - progress: called after each piece; returns whether to continue.
  ///   - write: receives the export, piece by piece, as UTF-8. During it the store is in use.
  /// - Throws: `StoreError` with `noSuchTable`, `noSuchColumn` or `invalidOptions`, or when the store cannot be
  ///   read; or the error of `write`, which ends the export.
  /// - Complexity: O(rows) in time, and in memory O(1); with an order, what SQLite needs to sort.
  @discardableResult
  public func export(
    _ table: String? = nil, options: ExportOptions = ExportOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed },
    to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    try Store.throwingErrors(of: write) { (write) throws(StoreError) in
      try leased { (lease) in
        try lease.connection.inTransaction(.deferred) {
          let model = try lease.model(ofTable: table)
          return try TableExport(of: model, options).run(
            model, TableLayout(contentOf: model), in: lease.connection, progress: progress,
            to: write)
        }
      }
    }
  }

  /// Writes the rows of a table or view that has no model: columns become members, and blobs base64.
  ///
  /// - Parameters:
  ///   - table: the table or view.
  ///   - connection: a connection to the database, without a transaction.
  ///   - options: what is written.
  ///   - progress: called after each piece; returns whether to continue.
  ///   - write: receives the export, piece by piece, as UTF-8.
  /// - Throws: as the form for stores does.
  @discardableResult
  public static func export(
    table: String, of connection: Connection, options: ExportOptions = ExportOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed },
    to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    try throwingErrors(of: write) { (write) throws(StoreError) in
      try StoreError.converting(path: connection.path) {
        try connection.inTransaction(.deferred) {
          let plain = try PlainTable(table, options, in: connection)
          return try TableExport(of: plain.model, plain.options).run(
            plain.model, nil, rowID: plain.rowID, in: connection, progress: progress, to: write)
        }
      }
    }
  }
}

/// Records out of a store, for maps.
extension Store {
  /// Writes the records of a table as the features of a GeoPackage, with a spatial index.
  ///
  /// Attributes of related records are columns of the record, as in CSV. Instants are texts to the millisecond. Rows that
  /// are marked as removed are left out. A record without a geometry is a feature without one.
  ///
  /// - Parameters:
  ///   - path: the path, where no file may exist.
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - options: what is written; the format does not matter.
  ///   - progress: called now and then; returns whether to continue.
  /// - Throws: `StoreError` with `noSuchTable`, `noSuchColumn` or `invalidOptions`, with `interrupted` if `progress`
  ///   stops it, or when the store cannot be read or the file cannot be written. No file is left.
  @discardableResult
  public func exportGeoPackage(
    to path: String, _ table: String? = nil, options: ExportOptions = ExportOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> ExportReport {
    try leased { (lease) in
      try lease.connection.inTransaction(.deferred) {
        guard !options.isChecked else { throw ExportOptions.uncheckable }
        let model = try lease.model(ofTable: table)
        var rows = try ExportedRows(model, options, includesRemoved: false, in: lease.connection)
        let writer = try RecordWriter(
          model, columns: [], reader: rows.reader, in: lease.connection)
        let mode = StorePermissions.forFile(besideStoreAt: self.path)
        return try NewDatabase.write(path, mode: mode) { path in
          var package = try NewDatabase.writing {
            try GeoPackage(path, of: model, columns: options.columns)
          }
          var report = ExportReport(table: model.table)
          while try rows.step() {
            try NewDatabase.writing { try package.add(writer) }
            report.recordCount += 1
            guard report.recordCount.isMultiple(of: 4_096) else { continue }
            let now = StoreProgress(.reading, completedCount: report.recordCount)
            if progress(now) == .stop { throw StoreFailure(.interrupted, "interrupted") }
          }
          do { report.byteCount = try package.finish() } catch let error as SQLiteError {
            throw NewDatabase.failure(error)
          }
          return report
        }
      }
    }
  }
}
