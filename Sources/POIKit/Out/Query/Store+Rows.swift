internal import JSONStreaming
public import POIRecords
internal import POISQLite

/// Stored records and rejects as values.
extension Store {
  /// Returns rows of a table of records. Rows that are marked as removed are omitted.
  ///
  /// ```swift
  /// let newest = try store.rows(
  ///   where: [.equal("city", "Berlin")], orderedBy: [.descending("updatedAt")], limit: 10)
  /// ```
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty. A store without tables has no rows.
  ///   - filters: conditions that all have to be met.
  ///   - orders: the order, the first attribute first; rows that are equal in it come by row id.
  ///   - limit: the largest number of rows; nil for all.
  ///   - offset: how many rows of the result are omitted at its beginning.
  /// - Throws: `StoreError` with `noSuchTable` or `noSuchColumn`, or when the store cannot be read.
  /// - Complexity: what SQLite needs for the query. All rows returned are in memory; see `forEachRow`.
  public func rows(
    of table: String? = nil, where filters: [RowFilter] = [], orderedBy orders: [RowOrder] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws(StoreError) -> [Row] {
    var rows: [Row] = []
    try read(table, filters, orders, limit, offset) { rows.append($0) }
    return rows
  }

  /// Returns rows of a table of records as values of a type of the program.
  ///
  /// The members of the type have the names of the model's attributes, or name them by `CodingKeys`. A
  /// related row is a member of a type of its own, the rows of a relation to many are an array. An
  /// instant is an `Instant`, a `Date` or a `String`. An optional member that the model does not have is nil.
  ///
  /// - Parameters: as for `rows(of:where:orderedBy:limit:offset:)`.
  /// - Throws: `StoreError` with `undecodable` if a row does not fit the type, and as that one does.
  public func rows<Value: Decodable>(
    of table: String? = nil, as type: Value.Type, where filters: [RowFilter] = [],
    orderedBy orders: [RowOrder] = [], limit: Int? = nil, offset: Int = 0
  ) throws(StoreError) -> [Value] {
    var values: [Value] = []
    try read(table, filters, orders, limit, offset) { values.append(try $0.decode(type)) }
    return values
  }

  /// Calls `body` with each row of a table of records, one after the other, so that memory does not grow
  /// with their number.
  ///
  /// - Parameters: as for `rows(of:where:orderedBy:limit:offset:)`. `body` may read a store in a file, and write to it in WAL mode;
  ///   what it writes is not read.
  /// - Throws: as that one does, or the error of `body`, which ends the reading.
  public func forEachRow(
    of table: String? = nil, where filters: [RowFilter] = [], orderedBy orders: [RowOrder] = [],
    limit: Int? = nil, offset: Int = 0, _ body: (Row) throws -> Void
  ) throws {
    try Store.throwingErrors(of: body) { (body) throws(StoreError) in
      try read(table, filters, orders, limit, offset, body)
    }
  }

  private func read(
    _ table: String?, _ filters: [RowFilter], _ orders: [RowOrder], _ limit: Int?, _ offset: Int,
    _ body: (Row) throws -> Void
  ) throws(StoreError) {
    try reading { (lease) in
      let connection = lease.connection
      try connection.inTransaction(.deferred) {
        guard let model = try lease.modelToRead(table) else { return }
        let reader = try RowReader(
          model, where: filters, orderedBy: orders, limit: limit, offset: offset, in: connection)
        while let row = try reader.next() { try body(row) }
      }
    }
  }

  /// Returns the number of rows of a table of records. Rows that are marked as removed do not count.
  ///
  /// - Parameters: as for `rows(of:where:orderedBy:limit:offset:)`.
  /// - Throws: as that one does.
  public func count(
    of table: String? = nil, where filters: [RowFilter] = []
  ) throws(StoreError) -> Int {
    try reading { (lease) in
      try lease.connection.inTransaction(.deferred) {
        guard let model = try lease.modelToRead(table) else { return 0 }
        return try RowReader.count(of: model, where: filters, in: lease.connection)
      }
    }
  }

  /// Calls `body` with each reject, in the order in which they were found.
  ///
  /// - Parameters:
  ///   - run: the run that refused them; nil for all runs.
  ///   - body: called with one reject after the other. It may use the store.
  /// - Throws: `StoreError` when the store cannot be read, or the error of `body`, which ends the reading.
  public func forEachReject(ofRun run: Int64? = nil, _ body: (Reject) throws -> Void) throws {
    try Store.throwingErrors(of: body) { (body) throws(StoreError) in
      try readRejects(ofRun: run, body)
    }
  }

  private func readRejects(ofRun run: Int64?, _ body: (Reject) throws -> Void) throws(StoreError) {
    try reading { (lease) in
      var statement = try lease.connection.prepare(
        """
        SELECT run, input, record, byte_offset, line, "column", issues, raw FROM poikit_reject
        WHERE ?1 IS NULL OR run = ?1 ORDER BY id
        """, isPersistent: false)
      if let run { try statement.bind(1, integer: run) }
      while try statement.step() { try body(Reject(statement)) }
    }
  }

  /// Returns the rejects; see `forEachReject`.
  public func rejects(ofRun run: Int64? = nil) throws(StoreError) -> [Reject] {
    var rejects: [Reject] = []
    try readRejects(ofRun: run) { rejects.append($0) }
    return rejects
  }
}

extension Store {
  /// The names of a table's attributes, also in related rows; none for a store without tables.
  package func attributeNames(of table: String? = nil) throws(StoreError) -> [String] {
    try reading { (lease) in
      guard let model = try lease.modelToRead(table) else { return [] }
      return RecordLayout(model).fields.map(\.path)
    }
  }
}

extension Store.Lease {
  /// The model of a table to read; nil if none is named and the store has none.
  func modelToRead(_ table: String?) throws -> Model? {
    try table == nil && tables().isEmpty ? nil : model(ofTable: table)
  }
}

extension Store {
  /// Calls `operation` with `body`, whose error is thrown as it is, not as an error of the store.
  static func throwingErrors<Value: ~Escapable, Result>(
    of body: (Value) throws -> Void,
    _ operation: ((Value) throws -> Void) throws(StoreError) -> Result
  ) throws -> Result {
    var failure: (any Error)?
    do {
      return try withoutActuallyEscaping(body) { body in
        try operation { value in
          do { try body(value) } catch {
            failure = error
            throw error
          }
        }
      }
    } catch {
      throw failure ?? error
    }
  }
}

extension Reject {
  /// The reject in the current row of a statement.
  fileprivate init(_ statement: borrowing Statement) {
    run = statement.integer(0)
    input = statement.text(1)
    record = Int(statement.integer(2))
    byteOffset = Int(statement.integer(3))
    line = Int(statement.integer(4))
    column = Int(statement.integer(5))
    issues = (JSONValue.stored(statement.text(6))?.elements ?? []).map { issue in
      Issue(
        rule: issue["rule"]?.string ?? "", attribute: issue["attribute"]?.string,
        message: issue["message"]?.string ?? "")
    }
    let raw = statement.bytes(7)
    bytes = raw.indices.map { raw[$0] }
  }
}

/// A record that an import refused, as the store keeps it.
public struct Reject: Sendable, Hashable {
  /// The run that refused it.
  public let run: Int64

  /// The name of the input that it is in.
  public let input: String

  /// Its number in the input, from 1.
  public let record: Int

  /// The offset of its first byte in the decompressed input.
  public let byteOffset: Int

  /// The line that it begins in, from 1.
  public let line: Int

  /// The column that it begins in, from 1.
  public let column: Int

  /// What the rules found, at least one issue.
  public let issues: [Issue]

  /// The record as it was in the input; of one beyond the size limits, its beginning.
  public let bytes: [UInt8]
}
