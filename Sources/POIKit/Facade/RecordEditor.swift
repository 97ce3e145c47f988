internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Edits records of a table, one after the other, in one transaction; ``Store/edit(_:_:)`` makes it.
///
/// A record is a value of a `Codable` type, or a dictionary `[String: RowValue]`, by the names of the model's
/// attributes. It is judged by the model's rules, and related rows are found or inserted. What is edited in a tracked
/// table is a local change.
public final class RecordEditor {
  private let path: String
  private let model: Model
  private let limits = ImportOptions.RecordLimits().readingLimits
  private var intake: RecordIntake
  private var rows: RowWriter
  private var merger: MergeWriter
  private let savepoint: RecordSavepoint

  /// Reads rows by their ids, and by their keys.
  private let reader: RowReader
  private let finder: RowReader

  /// - Throws: `StoreFailure` with `invalidOptions` if the key of the model is not enforced.
  init(_ model: Model, path: String, in connection: Connection) throws {
    _ = try ChangeLog.checked(of: model, in: connection)
    finder = try RowReader(keyOf: model, in: connection)
    reader = try RowReader(
      RecordLayout(model), of: model, rest: "WHERE \(RowReader.rowID) = ?1", in: connection)
    let table = try RowWriter.Table(of: model, in: connection)
    guard
      let merger = try MergeWriter(
        .objectTrump, ties: .digest, choosePolicy: nil, table, windowBlockSize: 0,
        connection: connection)
    else { preconditionFailure("the key is enforced") }
    let values = model.ofValues(at: SystemClock.now())
    self.merger = merger
    self.merger.requirements = RecordLayout(values)
    savepoint = try RecordSavepoint(connection: connection)
    rows = try RowWriter(table, savepoint: savepoint, connection: connection)
    intake = RecordIntake(
      model: values, limits: limits, validators: [], expectedBatchSize: 1)
    self.path = path
    self.model = model
  }

  /// Changes the record with the key of a value, or inserts one.
  ///
  /// The value may lack attributes: then a stored record keeps them, and a new one gets their defaults, and the clock's
  /// time as its timestamp. An optional member of a type that is nil clears its attribute.
  ///
  /// - Returns: the stored record.
  /// - Throws: `StoreError` with `invalidRecord` if it breaks a rule of the model, or with `database` if the table
  ///   refuses it. Then nothing of it is stored, and the edits before it stay.
  @discardableResult
  public func upsert<Value: Encodable>(_ record: Value) throws(StoreError) -> Row {
    try write(record, isPartial: true) {
      _ = try merger.merge(
        record: 0, of: &intake.batch, InputNames(InputProgress()), by: &rows, target: .unknown,
        local: .none)
      return merger.rowID
    }
  }

  /// Inserts a record.
  ///
  /// - Returns: the stored record.
  /// - Throws: as `upsert`, and `StoreError` with `conflict` if a stored record has its key.
  @discardableResult
  public func insert<Value: Encodable>(_ record: Value) throws(StoreError) -> Row {
    try write(record, isPartial: false) {
      do {
        return try rows.insert(record: 0, of: intake.batch)
      } catch let error as SQLiteError where error.isUniqueViolation {
        throw StoreFailure(
          .conflict, "the record is stored, or a unique value of it: \(error.message)", cause: error
        )
      }
    }
  }

  /// The record with a key; nil if the table does not have it.
  ///
  /// - Parameter key: the values of the attributes of the key, in the order of the model.
  /// - Throws: `StoreError` with `invalidOptions` if they are no key.
  public func find(key: any RowValueConvertible...) throws(StoreError) -> Row? {
    try StoreError.converting(path: path) {
      try finder.row(withKey: key.map(\.rowValue), of: model)
    }
  }

  /// Deletes the record with a key.
  ///
  /// - Parameter key: as for `find`.
  /// - Returns: whether the table had it.
  /// - Throws: as `find`, and `StoreError` with `database` if rows of other tables refer to it.
  @discardableResult
  public func remove(key: any RowValueConvertible...) throws(StoreError) -> Bool {
    try remove(key: key)
  }

  func remove(key: [any RowValueConvertible]) throws(StoreError) -> Bool {
    try undoing {
      guard let row = try finder.row(withKey: key.map(\.rowValue), of: model) else { return false }
      try rows.delete(row.id)
      return true
    }
  }

  private func write<Value: Encodable>(
    _ record: Value, isPartial: Bool, _ body: () throws -> Int64?
  ) throws(StoreError) -> Row {
    try undoing {
      intake.batch.removeAll()
      intake.acceptsPartialRecords = isPartial
      try decode(RowEncoder.encode(record, encodingNil: true))
      try check(intake.batch.rejects.first?.issues)
      let row = try body()
      try check(intake.batch.rejects.first?.issues)
      if let row { try reader.restart(atRowsOf: row) }
      guard row != nil, let row = try reader.next() else {
        throw StoreFailure(.interferingTrigger, "a trigger removed the record")
      }
      try reader.statement.reset()
      return row
    }
  }

  /// Fills the batch with a record.
  private func decode(_ record: RowValue) throws {
    var record = record
    if case .object(var members) = record, let time = model.timestamp, members[time] == .null,
      model.attribute(named: time)?.isColumnNotNull == true
    {
      members[time] = nil
      record = .object(members)
    }
    let text = record.json.description
    var element = ElementReader(shape: .sequence, limits: limits)
    element.append(text.utf8Span.span)
    element.finish()
    switch try element.next() {
    case .element: intake.addElement(of: &element)
    case .malformed(let malformation): intake.addReject(malformation, of: &element)
    case .needsInput, .end: throw StoreFailure(.invalidRecord, "the record is empty")
    }
    intake.completeCounts()
    let unknown = intake.batch.unmappedMembers.keys.map(\.text).sorted()
    guard unknown.isEmpty else {
      throw StoreFailure(
        .invalidRecord,
        "the model \(model.name) has no attribute \(unknown.joined(separator: ", "))")
    }
  }

  private func check(_ issues: [Issue]?) throws {
    guard let issues else { return }
    throw StoreFailure(
      .invalidRecord,
      "the record breaks rules of \(model.name): "
        + issues.map { ($0.attribute.map { "\($0): " } ?? "") + $0.message }
        .joined(separator: "; "))
  }

  /// Does what `body` does, or nothing.
  private func undoing<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
      try savepoint.open()
      let result = try body()
      try savepoint.close()
      return result
    } catch {
      rows.forgetRows()
      try? savepoint.cancel()
      if error is EncodingError {
        throw StoreError(.invalidRecord, "\(path): \(RowDecoder.message(of: error))")
      }
      throw StoreError(converting: error, path: path)
    }
  }
}

extension Store {
  /// Edits records of a table in one transaction.
  ///
  /// ```swift
  /// try store.edit { records in
  ///   for place in places { try records.upsert(place) }
  ///   try records.remove(key: "1975DB51-5A45-4FD6-AC54-46CA6042C710")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - table: the table; nil for the only one of the store that is not empty.
  ///   - body: edits. If it throws, nothing is changed. The editor is valid only inside it.
  /// - Throws: `StoreError` with `noSuchTable`, with `invalidOptions` if the key of the model is not enforced or
  ///   triggers of a tracked table are missing, or when the store cannot be written; what `body` throws.
  public func edit<Result>(
    _ table: String? = nil, _ body: (RecordEditor) throws -> Result
  ) throws -> Result {
    let lease = try lease()
    do {
      return try RowRemoval.enforcingReferences(on: lease.connection) {
        try lease.connection.inTransaction {
          let model = try lease.model(ofTable: table)
          return try body(RecordEditor(model, path: path, in: lease.connection))
        }
      }
    } catch {
      guard error is StoreFailure || error is SQLiteError else { throw error }
      throw StoreError(converting: error, path: path)
    }
  }

  /// Changes or inserts one record; see ``RecordEditor/upsert(_:)``. For many, ``edit(_:_:)`` is faster.
  @discardableResult
  public func upsert<Value: Encodable>(_ record: Value, in table: String? = nil) throws -> Row {
    try edit(table) { try $0.upsert(record) }
  }

  /// Inserts one record; see ``RecordEditor/insert(_:)``.
  @discardableResult
  public func insert<Value: Encodable>(_ record: Value, in table: String? = nil) throws -> Row {
    try edit(table) { try $0.insert(record) }
  }

  /// The record with a key; nil if the table does not have it. See ``RecordEditor/find(key:)``.
  public func find(
    key: any RowValueConvertible..., in table: String? = nil
  ) throws(StoreError) -> Row? {
    try reading { (lease) in
      try lease.connection.inTransaction(.deferred) {
        guard let model = try lease.modelToRead(table) else { return nil }
        return try RowReader(keyOf: model, in: lease.connection)
          .row(withKey: key.map(\.rowValue), of: model)
      }
    }
  }

  /// Deletes the record with a key; see ``RecordEditor/remove(key:)``.
  @discardableResult
  public func remove(key: any RowValueConvertible..., in table: String? = nil) throws -> Bool {
    try edit(table) { try $0.remove(key: key) }
  }
}
