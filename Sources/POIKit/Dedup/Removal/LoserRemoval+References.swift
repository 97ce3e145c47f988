internal import POIRecords
internal import POISQLite

extension LoserRemoval {
  /// The number of referring rows that are read at a time.
  private static let portion = 1_000

  /// A row that refers to a loser, and the winner that it must refer to.
  struct ReferringRow {
    let number: Int64
    let row: Int64
    let winner: Int64

    /// Whether a referenced column of the winner is NULL.
    let lacksTarget: Bool
  }

  /// Makes all rows that refer to a loser by one reference refer to its winner. A row that the winner already
  /// has is removed as a duplicate.
  mutating func move(_ move: ReferenceMove, _ pairTable: SQL, depth: Int) throws {
    let list = Self.referringTable(depth: depth)
    let search = try search(for: move, pairTable, depth: depth)
    try listReferringRows(move.findRows(pairTable, by: search), into: list)
    var last: Int64 = 0
    while true {
      let referring = try read(list, after: last)
      guard let end = referring.last else { return }
      last = end.number
      let duplicates = try moveRows(referring, move)
      counts.removedReferenceRowCount += duplicates.count
      if !duplicates.isEmpty {
        try replaceByWinners(duplicates, of: move.child, depth: depth + 1)
      }
    }
  }

  /// The name of the temporary table with the rows that refer to losers at one depth.
  static func referringTable(depth: Int) -> SQL { "poikit_referring_\(depth)" }

  /// Lists the rows that refer to a loser, in the order of the losers. The list is fixed, so that moving its
  /// rows terminates.
  ///
  /// - Parameters:
  ///   - select: returns the rows; `p` is the table of the losers in it.
  ///   - list: the temporary table.
  mutating func listReferringRows(_ select: SQL, into list: SQL) throws {
    try makeTemporaryTable(
      list,
      columns: """
        number INTEGER PRIMARY KEY, child INTEGER NOT NULL UNIQUE, winner INTEGER NOT NULL,
        lacks_target INTEGER NOT NULL
        """)
    try statements.run("DELETE FROM temp.\(list)")
    try statements.run(
      """
      INSERT OR IGNORE INTO temp.\(list) (child, winner, lacks_target)
      \(select) ORDER BY p.rank, 1
      """)
  }

  /// Chooses how the rows that refer to losers are found.
  ///
  /// Without an index, the first portion scans the child table, and so does each check before it. If more portions
  /// follow, one list of all referring rows is created and reused.
  private mutating func search(
    for move: ReferenceMove, _ pairTable: SQL, depth: Int
  ) throws -> ReferenceMove.Search {
    if try move.hasIndex(pairTable, by: statements) { return .index }
    guard depth == 0, counts.removedRowCount > 0 else { return .scan }
    if let list = lists[move.reference] { return .list(list) }
    guard try move.isListable(by: statements) else { return .scan }
    let list: SQL = "poikit_reference_list_\(lists.count)"
    try connection.execute("DROP TABLE IF EXISTS temp.\(list)")
    try connection.execute(move.makeList(list))
    lists[move.reference] = list
    return .list(list)
  }

  /// Drops the lists. Those that cannot be dropped now disappear with the connection.
  func discardLists() {
    for list in lists.values { try? connection.execute("DROP TABLE IF EXISTS temp.\(list)") }
  }

  func read(_ list: SQL, after last: Int64) throws -> [ReferringRow] {
    var found: [ReferringRow] = []
    let select = try statements.statement(
      """
      SELECT number, child, winner, lacks_target FROM temp.\(list)
      WHERE number > ?1 ORDER BY number LIMIT \(Self.portion)
      """)
    try select.statement.bind(1, integer: last)
    while try select.statement.step() {
      found.append(
        ReferringRow(
          number: select.statement.integer(0), row: select.statement.integer(1),
          winner: select.statement.integer(2), lacksTarget: select.statement.integer(3) == 1))
    }
    return found
  }

  /// Moves rows to their winners.
  ///
  /// - Returns: the rows that a winner already has, each with the winner's row.
  private mutating func moveRows(
    _ referring: [ReferringRow], _ move: ReferenceMove
  ) throws -> [LoserEntry] {
    let update = try statements.statement(move.update)
    let verify = try statements.statement(move.verify)
    let find = try statements.statement(move.find)
    let remember = archives ? try statements.statement(move.remember) : nil
    let obstacles = try obstacles(to: move)
    if archives, reservedTables.insert(ExactText(move.child.name)).inserted {
      try ReservedRowIDs.reserve(allOf: move.child)
    }
    var duplicates: [LoserEntry] = []
    for row in referring {
      if let conflict = try checkedConflict(of: row, along: move, obstacles) {
        guard archives || conflict.isEqual else {
          throw Self.unmovable(
            row, move,
            "row \(conflict.row) already refers to it, and without an archive the values in which the two "
              + "rows differ would be lost")
        }
        duplicates.append(LoserEntry(loser: row.row, winner: conflict.row))
        continue
      }
      do {
        if let remember, let run { try remember.run(row.row, row.winner, run) }
        try update.run(row.row, row.winner)
      } catch let error as SQLiteError where error.isConstraint || error.isMismatch {
        let reason = error.isUniqueViolation ? Self.uniqueReason : error.message
        throw Self.unmovable(row, move, reason, error)
      }
      guard try verify.returnsRow(row.row, row.winner) else {
        // A trigger may have deleted the row.
        guard try find.returnsRow(row.row) else { continue }
        throw Self.unmovable(
          row, move,
          "it does not keep the value: a trigger or the type of the column changes it")
      }
      counts.movedReferenceCount += 1
    }
    return duplicates
  }

  private static let uniqueReason = "a unique constraint does not allow it"

  private static func unmovable(
    _ row: ReferringRow, _ move: ReferenceMove, _ reason: String, _ cause: SQLiteError? = nil
  ) -> StoreFailure {
    StoreFailure(
      .unmovableReference,
      """
      row \(row.row) of '\(move.child.name)' refers to a loser of '\(move.parent.name)' and cannot \
      refer to its winner, row \(row.winner), because \(reason): change or remove that row first
      """, cause: cause)
  }

  /// The statements that find rows that conflict with moved ones.
  func conflictStatements(of move: ReferenceMove) throws -> [PreparedStatements.Box] {
    try move.conflictQueries().map { try statements.statement($0) }
  }

  /// The row that conflicts with moving another row, and whether the two are equal except in the columns of
  /// the unique constraint.
  static func conflictingRow(
    of row: ReferringRow, using finders: [PreparedStatements.Box]
  ) throws -> (row: Int64, isEqual: Bool)? {
    for finder in finders {
      try finder.statement.bind(1, integer: row.row)
      try finder.statement.bind(2, integer: row.winner)
      let isFound = try finder.statement.step()
      let found = isFound ? (finder.statement.integer(0), finder.statement.integer(1) == 1) : nil
      try finder.statement.reset()
      if let found { return found }
    }
    return nil
  }

  /// The tables that refer to columns changed by a move, each with a statement that returns a row if one of
  /// its rows refers to row `?1`.
  private mutating func findFollowers(
    of move: ReferenceMove
  ) throws -> [(table: String, find: PreparedStatements.Box)] {
    var found: [(table: String, find: PreparedStatements.Box)] = []
    for reference in try references(to: move.child)
    where reference.parentColumns.contains(where: { move.source(of: $0) != nil }) {
      let child = try? child(of: reference, to: move.child)
      let find =
        child.map {
          ReferenceMove(reference: reference, parent: move.child, child: $0).findReferring
        }
        ?? reference.findAny(to: "SELECT ?1", of: move.child)
      found.append((reference.childTable, try statements.statement(find)))
    }
    return found
  }
}

extension LoserRemoval {
  /// The statements that find obstacles to moving a row along one reference.
  private struct Obstacles {
    /// Find the rows that conflict with a moved one.
    let conflicts: [PreparedStatements.Box]

    /// Find the rows that refer to a column that would change.
    let followers: [(table: String, find: PreparedStatements.Box)]
  }

  private mutating func obstacles(to move: ReferenceMove) throws -> Obstacles {
    Obstacles(
      conflicts: try conflictStatements(of: move),
      followers: try findFollowers(of: move))
  }

  /// The references to the table of the losers whose move other references may prevent.
  mutating func obstructedMoves() throws -> [ReferenceMove] {
    var found: [ReferenceMove] = []
    for move in try movesOfOtherTables()
    where try !findFollowers(of: move).isEmpty {
      found.append(move)
    }
    return found
  }

  /// Throws if another reference prevents moving a row that refers to a loser. Changes nothing.
  ///
  /// - Parameter moves: the result of `obstructedMoves`.
  mutating func check(_ pairs: [LoserEntry], _ moves: [ReferenceMove]) throws {
    let pairTable = Self.pairTable(depth: 0)
    let list = Self.referringTable(depth: 0)
    try writePairs(pairs, to: pairTable)
    for move in moves {
      let search = try search(for: move, pairTable, depth: 0)
      try listReferringRows(move.findRows(pairTable, by: search), into: list)
      let obstacles = try obstacles(to: move)
      var last: Int64 = 0
      while true {
        let referring = try read(list, after: last)
        guard let end = referring.last else { break }
        last = end.number
        for row in referring { _ = try checkedConflict(of: row, along: move, obstacles) }
      }
    }
  }

  /// The conflicting row that already refers to the winner.
  ///
  /// - Throws: `StoreFailure` if another obstacle prevents the move.
  private func checkedConflict(
    of row: ReferringRow, along move: ReferenceMove, _ obstacles: Obstacles
  ) throws -> (row: Int64, isEqual: Bool)? {
    guard !row.lacksTarget else {
      throw Self.unmovable(row, move, "a referenced column of the winner is NULL")
    }
    if let conflict = try Self.conflictingRow(of: row, using: obstacles.conflicts) {
      guard !move.child.name.isExactly(root.name) else {
        throw Self.unmovable(row, move, Self.uniqueReason)
      }
      return conflict
    }
    for follower in obstacles.followers where try follower.find.returnsRow(row.row) {
      throw Self.unmovable(
        row, move, "a row of '\(follower.table)' refers to a column that would change")
    }
    return nil
  }
}

extension PreparedStatements.Box {
  fileprivate func run(_ values: Int64...) throws {
    try bind(values)
    try statement.run()
  }

  func returnsRow(_ values: Int64...) throws -> Bool {
    try bind(values)
    let isFound = try statement.step()
    try statement.reset()
    return isFound
  }
}
