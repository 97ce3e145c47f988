internal import POIRecords
internal import POISQLite

/// Digests of the tables of records.
extension Store {
  /// The digest of a table: the same on every device that holds the same records.
  ///
  /// - Parameter table: the table; nil for the only one of the store that is not empty.
  /// - Throws: `StoreError` when the store has no such table, or cannot be read.
  /// - Complexity: O(bytes of the table)
  public func digest(ofTable table: String? = nil) throws(StoreError) -> TableDigest {
    try digest(of: model(ofTable: table))
  }

  /// The digest of a model's table: the same on every device that holds the same records.
  ///
  /// - Throws: `StoreError` with `noSuchTable` when the store does not have the table, and when it is not
  ///   as the model says, or cannot be read.
  /// - Complexity: O(bytes of the table)
  package func digest(of model: Model) throws(StoreError) -> TableDigest {
    try reading { try $0.digest(of: model) }
  }
}

extension Store.Lease {
  /// See `Store.digest(of:)`.
  func digest(of model: Model) throws -> TableDigest {
    try checkTable(of: model)
    let layout = TableLayout(contentOf: model)
    func read() throws -> TableDigest {
      // An empty table needs no prepared statements.
      let isEmpty = try connection.integer("SELECT 1 FROM \(name: model.table) LIMIT 1") == nil
      let digest = try isEmpty ? .empty : layout.digest(in: connection)
      try RememberedDigest(layout, in: connection).check(digest.digest)
      return digest
    }
    return connection.isInTransaction ? try read() : try connection.inTransaction(.deferred, read)
  }

  /// The digest of a model's table at the beginning of an import: the remembered one, or else a computed
  /// one.
  func digestBeforeImport(of model: Model) throws -> Digest {
    let remembered = RememberedDigest(TableLayout(contentOf: model), in: connection)
    if let digest = try remembered.read() { return digest }
    return try digest(of: model).digest
  }

  /// The digest of a model's table after an import. It is remembered for the next import unless another
  /// program has changed the table's model.
  ///
  /// - Parameters:
  ///   - sum: the digest that the import counted. It is used only if no other connection has committed, and
  ///     no triggers or foreign keys of an app may have changed rows. Otherwise the table is read.
  ///   - version: the version of the database at the beginning of the import; nil if it is unknown because
  ///     the import continued an earlier one.
  func digestAfterImport(
    countedAs sum: Digest, of model: Model, since version: Int64?
  ) throws -> Digest {
    let layout = TableLayout(contentOf: model)
    return try connection.withoutWaitingForDisk {
      try connection.inTransaction(.immediate) {
        let isAlone = try connection.dataVersion() == version
        let isCounted = try isAlone && !SchemaFacts(of: model, in: connection).changesOtherRows
        let digest =
          isCounted ? sum : try layout.digest(in: connection).digest
        if try Bookkeeping.document(ofTable: model.table, in: connection) == model.document {
          try RememberedDigest(layout, in: connection).remember(digest)
        }
        return digest
      }
    }
  }

  /// Forgets the digest of a model's table, inside the caller's transaction. Its triggers are removed.
  func forgetDigest(of model: Model) throws {
    try RememberedDigest(TableLayout(contentOf: model), in: connection).forget()
  }
}
