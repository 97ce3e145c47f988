internal import POIRecords
internal import POISQLite

/// The properties of a table that an import relies on, and that other programs can change while it runs.
struct ImportedTable {
  /// The version of the database before the table was read. If it is unchanged, so is the table.
  let version: Int64

  /// The document of the model that the table was last fitted to.
  let document: String?

  /// The log of local changes; nil if the table is not tracked.
  let log: ChangeLog?

  /// What the statements that write rows rely on.
  let rows: RowWriter.Table

  init(of model: Model, in connection: Connection) throws {
    version = try connection.dataVersion()
    document = try Bookkeeping.document(ofTable: model.table, in: connection)
    log = try ChangeLog.checked(of: model, in: connection)
    rows = try RowWriter.Table(of: model, in: connection)
  }

  /// Why an import that began with the state `before` cannot continue; nil if it can.
  func obstacle(since before: ImportedTable) -> Obstacle? {
    if document != before.document {
      .model
    } else if rows.key != before.rows.key {
      .key
    } else if rows.hasTimes != before.rows.hasTimes {
      .times
    } else if (log == nil) != (before.log == nil) {
      .tracking
    } else if rows.facts.mayRefuse, !before.rows.facts.mayRefuse {
      .refusals
    } else {
      nil
    }
  }

  enum Obstacle {
    case model, key, times, tracking, refusals

    var message: String {
      switch self {
      case .model: "another program changed the model of the table while the import ran"
      case .key: "another program changed which key is enforced while the import ran"
      case .times:
        "another program made the table keep the times of attributes while the import ran"
      case .tracking:
        "another program began or ended the tracking of the table while the import ran"
      case .refusals:
        "another program made the table refuse records, by an index, a check, a foreign key or a "
          + "trigger, while the import ran"
      }
    }

    /// The remedy if batches are committed.
    var advice: Advice {
      switch self {
      case .model, .key: .restart
      case .times, .tracking, .refusals: .resume
      }
    }
  }
}
