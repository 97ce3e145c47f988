internal import JSONStreaming
internal import POIRecords
public import SQLiteKit

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
        let model = try lease.model(ofTable: table)
        return try lease.connection.inTransaction(.deferred) {
          let export = TableExport(of: model.table, options)
          return try export.run(
            model, lease.contentLayout(of: model), in: lease.connection, progress: progress,
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
          let plain = try PlainTable(table, in: connection)
          let export = TableExport(of: plain.name, options)
          return try export.run(plain, in: connection, progress: progress, to: write)
        }
      }
    }
  }
}
