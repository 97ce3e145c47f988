internal import POIRecords
internal import SQLiteKit

/// What an import relies on in the table that its records go into, and other programs can change
/// while it runs.
struct ImportedTable {
  /// The version of the database before it was read: where it is still that, so is the table.
  let version: Int64

  /// The document of the model that the table was last fitted to.
  let document: String?

  /// The key that the table is unique by, if it is.
  let key: EnforcedKey?

  /// Whether rows keep when each of their attributes was changed.
  let hasTimes: Bool

  /// Whether the table may refuse a record whose rules are kept.
  let mayRefuse: Bool

  /// The table of a model as it is now.
  init(of model: Model, in connection: Connection) throws {
    version = try connection.dataVersion()
    document = try Bookkeeping.document(ofTable: model.table, in: connection)
    key = try EnforcedKey.read(of: model, in: connection)
    hasTimes = try PropertyTimes.isKept(in: model.table, of: connection)
    mayRefuse = try RecordRefusals.read(of: model, in: connection).arePossible
  }

  /// Why an import that began with the table as it was `before` cannot go on with it; nothing where
  /// it can.
  func obstacle(since before: ImportedTable) -> Obstacle? {
    if document != before.document {
      .model
    } else if key != before.key {
      .key
    } else if hasTimes != before.hasTimes {
      .times
    } else if mayRefuse, !before.mayRefuse {
      .refusals
    } else {
      nil
    }
  }

  /// What another program did to the table.
  enum Obstacle {
    case model, key, times, refusals

    var message: String {
      switch self {
      case .model: "another program changed the model of the table while the import ran"
      case .key: "another program changed which key is enforced while the import ran"
      case .times:
        "another program made the table keep the times of attributes while the import ran"
      case .refusals:
        "another program made the table refuse records, by an index, a check, a foreign key or a "
          + "trigger, while the import ran"
      }
    }

    /// What to do if batches are committed already.
    var advice: Advice {
      switch self {
      case .model, .key: .restart
      case .times, .refusals: .resume
      }
    }
  }
}
