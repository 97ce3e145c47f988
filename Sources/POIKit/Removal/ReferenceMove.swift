internal import POIRecords
internal import SQLiteKit

/// The statements that find the rows which refer to losers through one reference, and that make them
/// refer to the winners.
///
/// In those about a single row `?1` is its id and `?2` that of the winner.
struct ReferenceMove {
  /// How the rows that refer to losers are found.
  enum Search {
    /// By an index of the table that refers, for each row referred to.
    case index

    /// In one pass over the table that refers.
    case scan

    /// By a temporary table with this name, which holds who refers to whom.
    case list(SQL)
  }

  let reference: TableReference
  let parent: TableSchema
  let child: TableSchema

  /// The columns that change, each with the column of the winner whose value it gets.
  ///
  /// One that is the row id comes first: undoing goes backwards, and finds the row by the id that it
  /// has until that is undone.
  private let columns: [(name: String, source: String)]

  init(reference: TableReference, parent: TableSchema, child: TableSchema) {
    self.reference = reference
    self.parent = parent
    self.child = child
    var columns = zip(reference.childColumns, reference.parentColumns).map {
      (name: $0, source: $1)
    }
    if let place = columns.firstIndex(where: { TableSchema.isSame($0.name, child.rowIDColumn) }) {
      columns.insert(columns.remove(at: place), at: 0)
    }
    self.columns = columns
  }

  var childTable: SQL { "main.\(name: child.name)" }
  var childRowID: SQL { SQL(name: child.rowIDName) }
  var parentTable: SQL { "main.\(name: parent.name)" }
  var parentRowID: SQL { SQL(name: parent.rowIDName) }

  /// The winner's column whose value a column gets, or nil if it does not change.
  func source(of column: String) -> String? {
    columns.first { TableSchema.isSame($0.name, column) }?.source
  }

  private func match(_ parentAlias: SQL) -> SQL {
    columns.map { TableReference.refers("c", $0.name, to: parentAlias, $0.source) }
      .joined(separator: " AND ")
  }

  /// The same with the affinity of both columns, which is true wherever `match` is, and served by an
  /// index of the child. For a column of texts that another type refers to it asks nothing: to
  /// `match` the numbers of that are texts.
  private func roughMatch(_ parentAlias: SQL) -> SQL {
    columns.map { column -> SQL in
      guard !parent.isText(column.source) || child.isText(column.name) else { return "1" }
      return "\(parentAlias).\(name: column.source) = c.\(name: column.name)"
    }.joined(separator: " AND ")
  }

  /// Returns a row if some row refers to the row `?1` of the parent.
  var findReferring: SQL {
    """
    SELECT 1 FROM \(parentTable) AS l CROSS JOIN \(childTable) AS c
    WHERE l.\(parentRowID) = ?1 AND \(roughMatch("l")) AND \(match("l"))
    """
  }

  /// Returns the id of every row that refers to a loser, that of the winner, and whether the winner
  /// has no value to refer to.
  ///
  /// - Parameters:
  ///   - pairs: the temporary table with the losers and winners in question.
  ///   - search: how they are found.
  func findRows(_ pairs: SQL, by search: Search) -> SQL {
    let losers: SQL = "temp.\(pairs) AS p"
    let parents: SQL = "\(parentTable) AS l"
    let children: SQL = "\(childTable) AS c"
    let winnerValues: [SQL] = reference.parentColumns.map { "w.\(name: $0)" }
    let hasNull: [SQL] = winnerValues.map { "\($0) IS NULL" }
    let isSame: [SQL] = reference.parentColumns.map {
      "l.\(name: $0) IS w.\(name: $0)"
    }
    var conditions: [SQL] = [
      "l.\(parentRowID) = p.loser", match("l"), "w.\(parentRowID) = p.winner",
      "NOT (\(isSame.joined(separator: " AND ")))",
    ]
    let order: [SQL]
    switch search {
    case .index:
      order = [losers, parents, children]
      conditions.append(roughMatch("l"))
    case .scan where reference.parentColumns == [parent.rowIDColumn]:
      // The few losers are looked at before the parents.
      order = [children, losers, parents]
      conditions.append("p.loser = +c.\(name: reference.childColumns[0])")
    case .scan:
      order = [children, parents, losers]
    case .list(let list):
      order = [losers, "temp.\(list) AS r", parents, children]
      conditions.append("r.parent = p.loser AND c.\(childRowID) = r.child")
    }
    if child.name.isExactly(parent.name) {
      // A row that goes itself need not refer to anything else before.
      conditions.append("c.\(childRowID) NOT IN (SELECT loser FROM temp.\(pairs))")
    }
    return """
      SELECT c.\(childRowID), p.winner, \(hasNull.joined(separator: " OR "))
      FROM \(order.joined(separator: " CROSS JOIN ")) CROSS JOIN \(parentTable) AS w
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  /// Whether an index serves to find the rows that refer to a given one.
  ///
  /// What SQLite plans decides, because types and collations have to fit too. A plan in other words
  /// than expected costs time and nothing else.
  func isSearchable(
    _ pairs: SQL, by statements: PreparedStatements, in connection: Connection
  ) throws -> Bool {
    let plan = try statements.statement(
      "EXPLAIN QUERY PLAN \(findRows(pairs, by: .index))", in: connection)
    var isSearched = false
    while try plan.statement.step() {
      let detail = plan.statement.text(3)
      if detail.hasPrefix("SEARCH c "), !detail.contains("AUTOMATIC") { isSearched = true }
    }
    return isSearched
  }

  /// Makes the temporary table `list` of who refers to whom.
  func makeList(_ list: SQL) -> SQL {
    """
    CREATE TEMP TABLE \(list) (
      parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
    INSERT INTO temp.\(list) SELECT l.\(parentRowID), c.\(childRowID)
    FROM \(childTable) AS c CROSS JOIN \(parentTable) AS l WHERE \(match("l")) ORDER BY 1, 2
    """
  }

  /// Whether a list of who refers to whom stays true while losers are removed: rows that are moved
  /// keep their ids, and no trigger but the toolkit's adds others.
  func isListable(in connection: Connection) throws -> Bool {
    var statement = try connection.prepare(
      """
      SELECT NOT EXISTS (
          SELECT 1 FROM main.sqlite_schema
          WHERE type = 'trigger' AND name NOT GLOB \(literal: Bookkeeping.prefix + "*"))
        AND NOT EXISTS (
          SELECT 1 FROM pragma_foreign_key_list(?1, 'main') WHERE "from" = ?2 COLLATE NOCASE)
      """, isPersistent: false)
    try statement.bind(1, text: child.name)
    if let column = child.rowIDColumn { try statement.bind(2, text: column) }
    return try statement.step() && statement.integer(0) == 1
  }

  /// For every unique constraint that a move could violate, a statement that returns the id of the
  /// row that stands in the way of moving row `?1` to the winner `?2` because it refers to that winner
  /// already, and whether the two are equal outside of the constraint.
  func findTwins(in connection: Connection) throws -> [SQL] {
    var constraints: [[(column: String, collation: String)]] = []
    var statement = try connection.prepare(
      """
      SELECT i.seq, x.name, x.coll, x.cid
      FROM pragma_index_list(?1, 'main') AS i JOIN pragma_index_xinfo(i.name, 'main') AS x
      WHERE i."unique" = 1 AND i.partial = 0 AND x.key = 1 ORDER BY i.seq, x.seqno
      """, isPersistent: false)
    try statement.bind(1, text: child.name)
    var latest: Int64 = -1
    while try statement.step() {
      if statement.integer(0) != latest { constraints.append([]) }
      latest = statement.integer(0)
      constraints[constraints.count - 1].append((statement.text(1), statement.text(2)))
    }
    if let rowIDColumn = child.rowIDColumn { constraints.append([(rowIDColumn, "BINARY")]) }

    let references: [SQL] = columns.map { TableReference.refers("x", $0.name, to: "w", $0.source) }
    return constraints.compactMap { constraint in
      var isTouched = false
      let conditions: [SQL] = constraint.map { part in
        let column = SQL(name: part.column)
        let collation = SQL(name: part.collation)
        var value: SQL = "c.\(column)"
        if let source = source(of: part.column) {
          isTouched = true
          value = "w.\(name: source)"
        }
        return "x.\(column) = \(value) COLLATE \(collation)"
      }
      // A part without a name is an expression, whose value is not known here.
      guard isTouched, !constraint.contains(where: { $0.column.isEmpty }) else { return nil }
      let others = child.storedColumns.filter { column in
        source(of: column) == nil && !TableSchema.isSame(column, child.rowIDColumn)
          && !constraint.contains { TableSchema.isSame(column, $0.column) }
      }
      func values(_ row: SQL) -> SQL {
        others.map { "\(row).\(name: $0) COLLATE BINARY" }.joined(separator: ", ")
      }
      // A condition for each column would be too deep where there are hundreds of them.
      let isEqual: SQL = others.isEmpty ? "1" : "(\(values("c"))) IS (\(values("x")))"
      return """
        SELECT x.\(childRowID), \(isEqual)
        FROM \(childTable) AS c CROSS JOIN \(parentTable) AS w CROSS JOIN \(childTable) AS x
        WHERE c.\(childRowID) = ?1 AND w.\(parentRowID) = ?2 AND x.\(childRowID) <> ?1
          AND \(conditions.joined(separator: " AND ")) AND \(references.joined(separator: " AND "))
        """
    }
  }

  private func winnerValue(_ column: String) -> SQL {
    "(SELECT \(name: column) FROM \(parentTable) WHERE \(parentRowID) = ?2)"
  }

  /// The id that the row has after the move.
  private var laterID: SQL { child.rowIDColumn.flatMap(source).map(winnerValue) ?? "?1" }

  /// Moves the row.
  var update: SQL {
    let values: [SQL] = columns.map { "\(name: $0.name) = \(winnerValue($0.source))" }
    // Whatever a constraint says should happen on a conflict, here it has to be an error.
    return """
      UPDATE OR ABORT \(childTable) SET \(values.joined(separator: ", ")) WHERE \(childRowID) = ?1
      """
  }

  /// Returns a row if the moved row refers to the winner.
  var verify: SQL {
    """
    SELECT 1 FROM \(childTable) AS c CROSS JOIN \(parentTable) AS l
    WHERE c.\(childRowID) = \(laterID) AND l.\(parentRowID) = ?2 AND \(match("l"))
    """
  }

  /// Returns a row if the row is there.
  var find: SQL { "SELECT 1 FROM \(childTable) WHERE \(childRowID) = ?1" }

  /// Remembers for the run `?3` what the row holds and what it gets, by the id that it has afterwards.
  var remember: SQL {
    let rows: [SQL] = columns.map { column in
      """
      SELECT ?3, \(literal: child.name), \(laterID), \(literal: column.name), \
      \(literal: Journal.Kind.reference.rawValue), c.\(name: column.name), \
      \(winnerValue(column.source))
      FROM \(childTable) AS c WHERE c.\(childRowID) = ?1
      """
    }
    return "\(Journal.insertion) \(rows.joined(separator: " UNION ALL "))"
  }
}
