import POIKit
import POIPlatform
import POIToolSupport

extension ImportCommand {
  /// The model with a name: the built-in one, else a file, else the one of a table of the store.
  static func model(named name: String, storePath: String, trustsSchema: Bool) throws -> Model {
    if name == "poi" { return .poi }
    if name != "-", unsafe access(name, F_OK) != 0,
      let store = try store(at: storePath, trustsSchema: trustsSchema),
      try store.tables().contains(name)
    {
      return try store.model(ofTable: name)
    }
    return try Model(contentsOf: name)
  }

  /// The model if none is named: the one of the table that is named, else of the table `poi`, else of the only
  /// table of records. Empty tables do not count beside others. A store without them gets the built-in model.
  ///
  /// - Returns: the model, and whether its table is missing or empty.
  static func defaultModel(
    ofTable name: String?, storePath: String, trustsSchema: Bool
  ) throws -> (model: Model, isUntried: Bool) {
    guard let store = try store(at: storePath, trustsSchema: trustsSchema) else {
      return (.poi, true)
    }
    if let name {
      guard let table = try store.table(named: name) else { return (.poi, true) }
      return (try store.model(ofTable: table), try !store.hasRows(inTable: table))
    }
    let tables = try store.defaultTables()
    guard let table = tables.first(where: { $0 == "poi" }) ?? tables.first else {
      return (.poi, true)
    }
    guard table == "poi" || tables.count == 1 else {
      throw severalTables(tables, storePath: storePath)
    }
    return (try store.model(ofTable: table), try !store.hasRows(inTable: table))
  }

  /// The model of the store's table; nil if the store or the table is missing.
  func storedModel(ofTable table: String) throws -> Model? {
    guard let store = try Self.store(at: storePath, trustsSchema: trustsSchema),
      let stored = try store.table(named: table)
    else { return nil }
    return try store.model(ofTable: stored)
  }

  /// Refuses a table whose records came from other places than the one that `--at` names: they are probably of
  /// another kind.
  func checkPlace(ofTable table: String) throws {
    guard let pointer = options.pointer,
      let store = try Self.store(at: storePath, trustsSchema: trustsSchema)
    else { return }
    let places = try store.places(ofInputsInto: table)
    guard !places.isEmpty, !places.contains(pointer) else { return }
    let list = places.sorted().map { $0.isEmpty ? "the top level" : $0 }.joined(separator: ", ")
    throw ToolFailure(
      .usage,
      "\(storePath): the table \(table) has records from \(list); name a table for those at "
        + "\(pointer.isEmpty ? "the top level" : pointer) with --table")
  }

  /// The model of the store's only table with rows, if its key is not enforced.
  func onlyAppendedModel() throws -> Model? {
    guard let store = try Self.store(at: storePath, trustsSchema: trustsSchema) else { return nil }
    let tables = try store.defaultTables()
    guard tables.count == 1, try store.hasRows(inTable: tables[0]),
      try !store.enforcesKey(ofTable: tables[0])
    else { return nil }
    return try store.model(ofTable: tables[0])
  }

  static func severalTables(_ tables: [String], storePath: String) -> ToolFailure {
    ToolFailure(
      .usage,
      "\(storePath): the store holds several tables, \(tables.joined(separator: ", ")); name the "
        + "model of one with --model")
  }

  /// The store, opened read-only; nil if there is no store yet.
  static func store(at path: String, trustsSchema: Bool) throws -> Store? {
    guard case .store(let store) = try database(at: path, trustsSchema: trustsSchema) else {
      return nil
    }
    return store
  }

  /// The database, opened read-only; nil if there is no file yet.
  static func database(at path: String, trustsSchema: Bool) throws -> Store.Database? {
    guard unsafe access(path, F_OK) == 0 else { return nil }
    return try Store.Database(path: path, for: .readOnly, trustsSchema: trustsSchema)
  }
}
