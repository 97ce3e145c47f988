public import POISQLite

extension Deduplicator {
  /// Names references that the database does not declare as foreign keys.
  ///
  /// Deduplications on this connection treat them like foreign keys: rows that refer to a loser refer to its
  /// winner afterwards. A deduplication that changes rows keeps them in the database.
  ///
  /// - Throws: `StoreError` when a table or column does not exist, or cannot refer or be referred to.
  public static func name(
    _ references: [NamedReference], on connection: Connection
  ) throws(StoreError) {
    try StoreError.converting(path: connection.path) {
      try NamedReference.name(references, in: connection)
    }
  }

  /// The references of a database, declared or named, with the values that refer to missing rows.
  ///
  /// - Throws: `StoreError` when the database cannot be read.
  /// - Complexity: O(rows), if the columns referred to have indexes.
  public static func danglingReferences(
    on connection: Connection
  ) throws(StoreError) -> [DanglingReference] {
    try StoreError.converting(path: connection.path) { try DanglingReference.all(in: connection) }
  }
}
