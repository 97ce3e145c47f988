internal import POIRecords
internal import SQLiteKit

/// What SQLite does to other rows where the listed ones are deleted, as foreign keys declare it.
extension RowRemoval {
  /// Rows of one table that are deleted, or that get another value in one column.
  private struct Change {
    let table: String

    /// The column, or nil where rows are deleted.
    let column: String?

    /// The table, or why its rows can neither be archived nor remembered.
    let schema: Result<TableSchema, DeduplicationError>
  }

  /// The temporary table that lists the rows of every change, by its place among them.
  private static let dependents: SQL = "temp.poikit_going"

  /// Lists the rows that go or change with the listed ones, those of the same table that go with them
  /// among these.
  ///
  /// - Returns: how many of the same table there are.
  func listDependents(in connection: Connection) throws(DeduplicationError) -> Int {
    let (_, steps) = try reach(in: connection)
    guard !steps.isEmpty else { return 0 }
    return try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS poikit_going (
          place INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (place, row)) WITHOUT ROWID;
        DELETE FROM \(RowRemoval.dependents);
        INSERT INTO \(RowRemoval.dependents)
        WITH RECURSIVE going (place, row) AS (
          SELECT 0, row FROM \(RowRemoval.list) UNION \(steps.joined(separator: " UNION ")))
        SELECT place, row FROM going;
        INSERT OR IGNORE INTO \(RowRemoval.list)
        SELECT row FROM \(RowRemoval.dependents) WHERE place = 0
        """)
      return connection.changeCount
    }
  }

  /// Puts the listed rows and their dependents, which are listed too, into the archive of a run, and
  /// keeps what other rows hold that SQLite changes with them.
  ///
  /// - Returns: how many rows were put into archives.
  /// - Throws: `DeduplicationError` when a table whose rows go or change has no row ids.
  func archive(
    under run: Int64, in connection: Connection
  ) throws(DeduplicationError) -> Int {
    let (changes, steps) = try reach(in: connection)
    guard !steps.isEmpty else { return try archive(RowRemoval.list, under: run, in: connection) }
    var archivedCount = 0
    for (place, change) in changes.enumerated() {
      var rows: SQL = "SELECT row FROM \(RowRemoval.dependents) WHERE place = \(place)"
      let isAny = try DeduplicationError.converting { () throws(SQLiteError) in
        try connection.integer(rows) != nil
      }
      guard isAny else { continue }
      let removal = RowRemoval(schema: try change.schema.get())
      guard let column = change.column else {
        archivedCount += try removal.archive("(\(rows))", under: run, in: connection)
        continue
      }
      // A row that goes is archived as it was before it changed.
      if let going = changes.firstIndex(where: {
        $0.table.isExactly(change.table) && $0.column == nil
      }) {
        rows += " EXCEPT SELECT row FROM \(RowRemoval.dependents) WHERE place = \(going)"
      }
      do { try removal.remember(column, of: "(\(rows))", under: run, in: connection) } catch {
        throw DeduplicationError(error)
      }
    }
    return archivedCount
  }

  private func archive(
    _ list: SQL, under run: Int64, in connection: Connection
  ) throws(DeduplicationError) -> Int {
    let archive = ArchiveTable(source: schema)
    try archive.prepare(in: connection)
    let columns = schema.storedColumns.map(SQL.init(name:))
    let targets = ArchiveTable.ownColumns.map(SQL.init(name:)) + columns
    let values: [SQL] = ["\(run)", "t.\(rowID)", "NULL"] + columns.map { "t.\($0)" }
    return try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.execute(
        """
        INSERT INTO \(archive.quotedName) (\(targets.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", "))
        FROM \(list) AS g CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row
        """)
      return connection.changeCount
    }
  }

  /// The changes that deleting rows of this table can make, itself the first, and for every way from
  /// one to another the statement that finds the rows of the other.
  private func reach(
    in connection: Connection
  ) throws(DeduplicationError) -> (changes: [Change], steps: [SQL]) {
    var changes = [Change(table: schema.name, column: nil, schema: .success(schema))]
    var steps: [SQL] = []
    var cause = 0
    while cause < changes.count {
      let column = changes[cause].column
      // Where rows cannot be archived one is enough to stop the removal.
      if case .success(let parent) = changes[cause].schema {
        for reference in try TableReference.all(to: parent, in: connection) {
          let table = reference.childTable
          let child = Result { () throws(DeduplicationError) in
            try TableSchema(of: table, in: connection)
          }
          if case .failure(let error) = child, error.code == .database { throw error }
          // The first is true wherever the second is, and an index of the child serves it.
          let conditions = zip(reference.childColumns, reference.parentColumns).map {
            let mayRefer = ReferenceMove.mayRefer(
              "c", $0, of: try? child.get(), to: "t", $1, of: parent)
            return "\(mayRefer) AND \(TableReference.refers("c", $0, to: "t", $1))" as SQL
          }
          for changed in reference.columnsChanged(byChanging: column) {
            let effect =
              changes.firstIndex {
                $0.table.isExactly(table)
                  && $0.column.map(ExactText.init) == changed.map(ExactText.init)
              } ?? changes.count
            if effect == changes.count {
              changes.append(Change(table: table, column: changed, schema: child))
            }
            let row = (try? changes[effect].schema.get().rowIDName).map { "c.\(name: $0)" as SQL }
            steps.append(
              """
              SELECT \(effect), \(row ?? "1") FROM going AS g
              CROSS JOIN main.\(name: parent.name) AS t CROSS JOIN main.\(name: table) AS c
              WHERE g.place = \(cause) AND t.\(name: parent.rowIDName) = g.row
                AND \(conditions.joined(separator: " AND "))
              """)
          }
        }
      }
      cause += 1
    }
    return (changes, steps)
  }
}
