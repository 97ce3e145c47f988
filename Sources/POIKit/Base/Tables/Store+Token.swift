package import POIFiles
internal import POIRecords
internal import POISQLite

/// Tokens for the next request to a source, stored with its records.
extension Store {
  /// The token for the next request to a source; nil if no input of it was imported, or its records have no
  /// timestamps.
  ///
  /// It is the last token found at `ImportOptions.tokenPointer`, if any. Otherwise it is the latest
  /// timestamp, followed by the key values of that record, each after a tab. Instants have the form of the
  /// model's records: RFC 3339 in UTC with six digits of fraction, a date, or a number in the
  /// model's unit. A boolean in the key is `true` or `false`, or 1 or 0 if the model also allows numbers.
  ///
  /// - Parameters:
  ///   - model: the model of the table.
  ///   - source: the value of `ImportOptions.source`.
  /// - Throws: `StoreError` when the store cannot be read.
  public func token(of model: Model, source: String = "") throws(StoreError) -> String? {
    try leased { try $0.token(of: model, source: source) }
  }

  /// Forgets the token for the next request to a source, so that everything is requested again.
  ///
  /// - Parameters:
  ///   - model: the model of the table.
  ///   - source: the value of `ImportOptions.source`; nil for all sources.
  /// - Throws: `StoreError` when the store cannot be written.
  public func forgetToken(of model: Model, source: String? = "") throws(StoreError) {
    try leased { try $0.forgetTokens(ofTable: model.table, source: source) }
  }

  /// The version of an address that the model's table has; nil if it has none, or it is not known.
  package func version(
    of address: String, into model: Model, _ options: ImportOptions
  ) throws(StoreError) -> InputVersion? {
    try leased { lease in
      try RunRecord.condition(ofAddress: address, model, options, in: lease.connection).map {
        InputVersion(address: address, condition: $0)
      }
    }
  }

  /// Whether an import of a source into the model's table has finished.
  ///
  /// - Parameters:
  ///   - model: the model of the table.
  ///   - source: the value of `ImportOptions.source`.
  /// - Throws: `StoreError` when the store cannot be read.
  public func hasFinishedImport(of model: Model, source: String = "") throws(StoreError) -> Bool {
    try leased { try $0.hasFinishedImport(of: model, source: source) }
  }
}

extension Store.Lease {
  private static let tokenTable: SQL = """
    CREATE TABLE IF NOT EXISTS poikit_token (
      table_name TEXT NOT NULL,
      source TEXT NOT NULL,
      highest TEXT,
      server_token TEXT,
      PRIMARY KEY (table_name, source)
    ) STRICT, WITHOUT ROWID
    """

  func token(of model: Model, source: String) throws -> String? {
    guard let kept = try keptToken(table: model.table, source: source) else { return nil }
    return kept.serverToken ?? kept.highest.map { Self.text(of: $0, model: model) }
  }

  func hasFinishedImport(of model: Model, source: String) throws -> Bool {
    // If a snapshot was undone, its records were still imported.
    try RunRecord.latest(
      where: """
        \(RunRecord.imports(into: model.table)) AND options ->> 'source' = \(literal: source)
        AND state IN ('finished', 'undone')
        """, in: connection) != nil
  }

  /// Stores the token for the next request, as far as it is known. Runs inside the caller's transaction.
  func keep(_ token: SourceToken) throws {
    // A named source is stored even without a token, to record that the table has its rows.
    guard token.highest != nil || token.serverToken != nil || !token.source.isEmpty else { return }
    try connection.execute(Self.tokenTable)
    let kept = try keptToken(table: token.table, source: token.source)
    let highest = [token.highest, kept?.highest].compactMap { $0 }.max()
    var statement = try connection.prepare(
      "INSERT OR REPLACE INTO poikit_token VALUES (?1, ?2, ?3, ?4)")
    try statement.bind(1, text: token.table)
    try statement.bind(2, text: token.source)
    try statement.bind(3, text: highest?.json.description)
    try statement.bind(4, text: token.serverToken ?? kept?.serverToken)
    try statement.run()
  }

  /// Forgets the latest record of each source, because the model has another timestamp or key. Runs inside
  /// the caller's transaction.
  func forgetHighestRecords(ofTable table: String) throws {
    guard try hasTokens() else { return }
    try connection.execute(
      "UPDATE poikit_token SET highest = NULL WHERE table_name = \(literal: table)")
  }

  /// Deletes the tokens of a table: of one source, or of all if `source` is nil.
  func forgetTokens(ofTable table: String, source: String? = nil) throws {
    guard try hasTokens() else { return }
    let isSource: SQL = source.map { "source = \(literal: $0)" } ?? "1"
    try connection.execute(
      "DELETE FROM poikit_token WHERE table_name = \(literal: table) AND \(isSource)")
  }

  /// Whether the table of tokens exists; the first token creates it.
  private func hasTokens() throws -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'poikit_token'") != nil
  }

  /// A source other than `source` whose records were imported into the table; nil if there is no other.
  func otherSource(of table: String, than source: String) throws -> String? {
    try RunRecord.latest(
      where: """
        \(RunRecord.imports(into: table)) AND options ->> 'source' <> \(literal: source)
        AND \(RunRecord.hasStored)
        """, in: connection)?.options["source"]?.string
  }

  private func keptToken(
    table: String, source: String
  ) throws -> (highest: LatestRecord?, serverToken: String?)? {
    guard try hasTokens() else { return nil }
    var statement = try connection.prepare(
      "SELECT highest, server_token FROM poikit_token WHERE table_name = ?1 AND source = ?2")
    try statement.bind(1, text: table)
    try statement.bind(2, text: source)
    guard try statement.step() else { return nil }
    let highest =
      statement.isNull(0)
      ? nil : JSONValue.stored(statement.text(0)).flatMap(LatestRecord.init)
    return (highest, statement.isNull(1) ? nil : statement.text(1))
  }

  private static func text(of highest: LatestRecord, model: Model) -> String {
    let timestamp = text(
      of: .number(Int(highest.timestamp)), model.timestamp.flatMap(model.attribute(named:)))
    let key = highest.key.enumerated().map { index, value in
      let name = index < model.key.count ? model.key[index] : nil
      return text(of: value, name.flatMap(model.attribute(named:)))
    }
    return ([timestamp] + key).joined(separator: "\t")
  }

  /// A stored value in the form of its source.
  private static func text(of value: JSONValue, _ attribute: Attribute?) -> String {
    guard let attribute, let integer = value.integer else {
      return value.string ?? value.description
    }
    switch attribute.storage {
    case .date: return String(Instant(microseconds: Int64(integer)).description.prefix(10))
    case .instant(.sinceEpoch(let length)):
      return Instant(microseconds: Int64(integer)).text(inUnitsOf: length)
    case .instant(.rfc3339), .instant(.pattern), .text:
      return Instant(microseconds: Int64(integer)).textWithMicroseconds
    default:
      let isBoolean =
        attribute.types.contains(.boolean)
        && attribute.types.isDisjoint(with: [.integer, .number])
      return isBoolean ? "\(integer != 0)" : value.description
    }
  }
}

/// What a run found out about the next request to its source.
struct SourceToken {
  /// The table that the records went to.
  let table: String

  /// The value of `ImportOptions.source`.
  let source: String

  /// The record with the latest timestamp; nil if no record has one.
  let highest: LatestRecord?

  /// The token of the last completed input that has one.
  let serverToken: String?
}
