internal import POIRecords

/// Which columns of a table make a record's content, its key and its age.
///
/// For a table of the toolkit's own it follows from the model; for any other table
/// `init(describing:…)` reads it from the database.
public struct TableLayout: Sendable, Hashable {
  /// The name of the table.
  public var table: String

  /// The columns whose values are the record's content, in any order.
  public var contentColumns: [ContentColumn]

  /// The rows of other tables that belong to the record's content, in any order.
  public var relations: [ContentRelation]

  /// The columns that identify a record: rows with equal values in all of them are duplicates. At
  /// least one.
  public var keyColumns: [String]

  /// The column that says when a record was last changed.
  ///
  /// It holds numbers in any unit, or texts with a date.
  public var timestampColumn: String?

  /// Whether the numbers in the timestamp column are microseconds since 1970 UTC, so that
  /// differences can be told.
  public var isTimestampInstant: Bool

  /// The column that says whether a record is a removal: null, zero and an empty text mean that it
  /// is not.
  public var tombstoneColumn: String?

  /// The removals that are remembered in a table of their own.
  var removals: TombstoneTable?

  /// What a record of the table is, in a store of the toolkit.
  var model: Model?

  /// The columns by which others know a record, if they are not the key: a redirect is kept where
  /// they differ between a loser and its winner.
  public var identityColumns: [String]

  /// Whether the toolkit made the table, so that it may add a column of its own to it.
  public var isToolkitTable: Bool

  /// A layout with the given parts.
  public init(
    table: String, contentColumns: [ContentColumn], keyColumns: [String],
    timestampColumn: String? = nil, isTimestampInstant: Bool = false,
    tombstoneColumn: String? = nil, identityColumns: [String] = [], isToolkitTable: Bool = false,
    relations: [ContentRelation] = []
  ) {
    self.table = table
    self.contentColumns = contentColumns
    self.keyColumns = keyColumns
    self.timestampColumn = timestampColumn
    self.isTimestampInstant = isTimestampInstant
    self.tombstoneColumn = tombstoneColumn
    self.identityColumns = identityColumns
    self.isToolkitTable = isToolkitTable
    self.relations = relations
  }
}
