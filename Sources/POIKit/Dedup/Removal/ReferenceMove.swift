internal import POIRecords
internal import POISQLite

/// The statements that find the rows that refer to losers by one reference, and move them to the winners.
///
/// In statements about a single row, `?1` is its id and `?2` the id of the winner.
struct ReferenceMove {
  enum Search {
    /// An index of the child table, for each loser.
    case index

    /// One pass over the child table.
    case scan

    /// A temporary table with this name that lists parent and child rows.
    case list(SQL)
  }

  let reference: TableReference
  let parent: TableSchema
  let child: TableSchema

  /// The changed columns, each with the column of the winner that has its new value.
  ///
  /// A row id column comes first: undo goes backwards and needs the new id until it restores this column.
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

  private var connection: Connection { child.connection }
  var childTable: SQL { "main.\(name: child.name)" }
  var childRowID: SQL { SQL(name: child.rowIDName) }
  var parentTable: SQL { "main.\(name: parent.name)" }
  var parentRowID: SQL { SQL(name: parent.rowIDName) }

  /// The winner's column with the new value of a column; nil if the column does not change.
  func source(of column: String) -> String? {
    columns.first { TableSchema.isSame($0.name, column) }?.source
  }

  /// Throws if another reference of the child table shares a column with this one: a row would refer to the winner by
  /// one of them, and elsewhere by the other.
  ///
  /// - Parameter key: columns that are equal in losers and their winner, so that they do not change.
  func checkSharedColumns(besides key: [String], by statements: PreparedStatements) throws {
    for other in try TableReference.declared(by: child.name, statements) {
      let shared = other.columns.first { column in
        source(of: column).map { !TableSchema.contains(key, $0) } ?? false
      }
      guard let shared, !movesAllColumns(other) else { continue }
      throw StoreFailure(
        .unmovableReference,
        """
        two references of '\(child.name)' share the column '\(shared)', so its rows cannot refer to another row \
        of '\(parent.name)' by only one of them: remove one of the two foreign keys, or give it a column of its own
        """)
    }
  }

  /// Whether all columns of a reference get the values of the winner in the columns that they refer to.
  private func movesAllColumns(_ reference: TableReference.Declaration) -> Bool {
    guard let parentColumns = reference.parentColumns(in: parent) else { return false }
    return zip(reference.columns, parentColumns).allSatisfy { column, parentColumn in
      TableSchema.isSame(parentColumn, source(of: column))
    }
  }

  private func match(_ parentAlias: SQL) -> SQL {
    columns.map { TableReference.refers("c", $0.name, to: parentAlias, $0.source) }
      .joined(separator: " AND ")
  }

  /// A condition that is true whenever `match` is, but can use an index of the child.
  ///
  /// It omits a text column that a column of another type refers to: `match` compares its numbers as texts.
  private func indexableMatch(_ parentAlias: SQL) -> SQL {
    columns.map { column -> SQL in
      guard !parent.isText(column.source) || child.isText(column.name) else { return "1" }
      return "\(parentAlias).\(name: column.source) = c.\(name: column.name)"
    }.joined(separator: " AND ")
  }

  /// Returns a row if some row refers to the row `?1` of the parent.
  var findReferring: SQL {
    """
    SELECT 1 FROM \(parentTable) AS l CROSS JOIN \(childTable) AS c
    WHERE l.\(parentRowID) = ?1 AND \(indexableMatch("l")) AND \(match("l"))
    """
  }

  /// Returns the id of every row that refers to a loser, the id of the winner, and whether a referenced
  /// column of the winner is NULL.
  ///
  /// - Parameters:
  ///   - pairs: the temporary table with the losers and winners.
  ///   - search: how the rows are found.
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
      conditions.append(indexableMatch("l"))
    case .scan where reference.parentColumns == [parent.rowIDColumn]:
      // The losers are few, so they are looked up before the parents.
      order = [children, losers, parents]
      // `+` removes the affinity of the column, so that the affinity of the id applies.
      conditions.append("p.loser = +c.\(name: reference.childColumns[0])")
    case .scan:
      order = [children, parents, losers]
    case .list(let list):
      order = [losers, "temp.\(list) AS r", parents, children]
      conditions.append("r.parent = p.loser AND c.\(childRowID) = r.child")
    }
    if child.name.isExactly(parent.name) {
      // A row that is a loser itself need not move first.
      conditions.append("c.\(childRowID) NOT IN (SELECT loser FROM temp.\(pairs))")
    }
    return """
      SELECT c.\(childRowID), p.winner, \(hasNull.joined(separator: " OR "))
      FROM \(order.joined(separator: " CROSS JOIN ")) CROSS JOIN \(parentTable) AS w
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  /// Whether an index finds the rows that refer to a given one.
  ///
  /// SQLite's query plan decides, because types and collations must match too. If the words of a plan change,
  /// this only costs time.
  func hasIndex(_ pairs: SQL, by statements: PreparedStatements) throws -> Bool {
    let plan = try statements.statement("EXPLAIN QUERY PLAN \(findRows(pairs, by: .index))")
    var isSearched = false
    while try plan.statement.step() {
      let detail = plan.statement.text(3)
      if detail.hasPrefix("SEARCH c "), !detail.contains("AUTOMATIC") { isSearched = true }
    }
    return isSearched
  }

  func makeList(_ list: SQL) -> SQL {
    """
    CREATE TEMP TABLE \(list) (
      parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
    INSERT INTO temp.\(list) SELECT l.\(parentRowID), c.\(childRowID)
    FROM \(childTable) AS c CROSS JOIN \(parentTable) AS l WHERE \(match("l")) ORDER BY 1, 2
    """
  }

  /// Whether a list of parent and child rows stays valid while losers are removed: moved rows keep their ids,
  /// and there are no triggers except the toolkit's.
  func isListable(by statements: PreparedStatements) throws -> Bool {
    guard try Trigger.ofApp(in: connection).isEmpty else { return false }
    return try !TableReference.declared(by: child.name, statements).contains {
      TableSchema.contains($0.columns, child.rowIDColumn ?? "")
    }
  }

  /// For every unique constraint that a move could violate, a statement that finds the conflicting row.
  ///
  /// It returns the id of the row that already refers to the winner `?2` and prevents moving row `?1`, and
  /// whether the two are equal except in the columns of the constraint.
  func conflictQueries() throws -> [SQL] {
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
      // One comparison of row values: hundreds of conditions would exceed SQLite's limit of expression depth.
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

  private var idAfterMove: SQL { child.rowIDColumn.flatMap(source).map(winnerValue) ?? "?1" }

  var update: SQL {
    let values: [SQL] = columns.map { "\(name: $0.name) = \(winnerValue($0.source))" }
    // A conflict must be an error here, whatever the constraint's own conflict clause is.
    return """
      UPDATE OR ABORT \(childTable) SET \(values.joined(separator: ", ")) WHERE \(childRowID) = ?1
      """
  }

  /// Returns a row if the moved row refers to the winner.
  var verify: SQL {
    """
    SELECT 1 FROM \(childTable) AS c CROSS JOIN \(parentTable) AS w
    WHERE c.\(childRowID) = \(idAfterMove) AND w.\(parentRowID) = ?2 AND \(match("w"))
    """
  }

  var find: SQL { "SELECT 1 FROM \(childTable) WHERE \(childRowID) = ?1" }

  /// Logs the old and new values of the row for the run `?3`, under the id after the move.
  var remember: SQL {
    let rows: [SQL] = columns.map { column in
      """
      SELECT ?3, \(literal: child.name), \(idAfterMove), \(literal: column.name), \
      \(literal: Journal.Kind.reference.rawValue), c.\(name: column.name), \
      \(winnerValue(column.source))
      FROM \(childTable) AS c WHERE c.\(childRowID) = ?1
      """
    }
    return "\(Journal.insertion) \(rows.joined(separator: " UNION ALL "))"
  }
}
