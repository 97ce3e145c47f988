internal import POIRecords
internal import SQLiteKit

extension LoserRemoval {
  /// How many referring rows are read at a time.
  private static let portion = 1_000

  /// A row that refers to a loser, and the winner that it is to refer to.
  struct Referring {
    /// Its number in the list.
    let number: Int64
    let row: Int64
    let winner: Int64

    /// Whether the winner has no value in a column referred to.
    let lacksTarget: Bool
  }

  /// Makes all rows that refer to a loser through one reference refer to its winner.
  ///
  /// Where a reference is made of columns that others refer to in their turn, these follow.
  mutating func move(
    _ move: ReferenceMove, _ pairTable: SQL, depth: Int, in connection: Connection
  ) throws {
    let list: SQL = "poikit_referring_\(depth)"
    let search = try search(for: move, pairTable, depth: depth, in: connection)
    try fill(list, with: move.findRows(pairTable, by: search), in: connection)
    var last: Int64 = 0
    while true {
      let referring = try read(list, after: last, in: connection)
      guard let end = referring.last else { return }
      last = end.number
      let leftovers = try moveRows(referring, move, in: connection)
      guard !leftovers.isEmpty else { continue }
      let duplicates = try findTwins(of: leftovers, move, in: connection)
      counts.removedReferenceRowCount += duplicates.count
      try fold(duplicates, of: move.child, depth: depth + 1, in: connection)
    }
  }

  /// Lists the rows that refer to a loser, in the order of the losers. The list is made once, so that
  /// moving its rows comes to an end.
  ///
  /// - Parameters:
  ///   - list: the temporary table.
  ///   - select: returns the rows; `p` is the table of the losers in it.
  ///   - connection: the database.
  mutating func fill(
    _ list: SQL, with select: SQL, in connection: Connection
  ) throws {
    try makeTemporaryTable(
      list,
      columns: """
        number INTEGER PRIMARY KEY, child INTEGER NOT NULL UNIQUE, winner INTEGER NOT NULL,
        lacks_target INTEGER NOT NULL
        """, in: connection)
    try statements.run("DELETE FROM temp.\(list)", in: connection)
    try statements.run(
      """
      INSERT OR IGNORE INTO temp.\(list) (child, winner, lacks_target)
      \(select) ORDER BY p.place, 1
      """, in: connection)
  }

  /// How the rows that refer to losers are best found.
  ///
  /// Without an index the first batch goes through all of the table, and the second one makes a
  /// list for the others.
  private mutating func search(
    for move: ReferenceMove, _ pairTable: SQL, depth: Int, in connection: Connection
  ) throws -> ReferrerSearch {
    if try move.isSearchable(pairTable, by: statements, in: connection) { return .index }
    guard depth == 0, counts.removedRowCount > 0 else { return .scan }
    if let list = lists[move.reference] { return .list(list) }
    guard try move.isListable(in: connection) else { return .scan }
    let list: SQL = "poikit_referrers_\(lists.count)"
    try connection.execute("DROP TABLE IF EXISTS temp.\(list)")
    try connection.execute(move.makeList(list))
    lists[move.reference] = list
    return .list(list)
  }

  /// Frees the room that the lists take.
  ///
  /// What cannot be freed now is freed with the connection.
  func discardLists(in connection: Connection) {
    for list in lists.values { try? connection.execute("DROP TABLE IF EXISTS temp.\(list)") }
  }

  func read(
    _ list: SQL, after last: Int64, in connection: Connection
  ) throws -> [Referring] {
    var found: [Referring] = []
    let select = try statements.statement(
      """
      SELECT number, child, winner, lacks_target FROM temp.\(list)
      WHERE number > ?1 ORDER BY number LIMIT \(Self.portion)
      """, in: connection)
    try select.statement.bind(1, integer: last)
    while try select.statement.step() {
      found.append(
        Referring(
          number: select.statement.integer(0), row: select.statement.integer(1),
          winner: select.statement.integer(2), lacksTarget: select.statement.integer(3) == 1))
    }
    return found
  }

  /// Moves rows to their winners.
  ///
  /// - Returns: the rows that a unique constraint does not let move.
  private mutating func moveRows(
    _ referring: [Referring], _ move: ReferenceMove, in connection: Connection
  ) throws -> [Referring] {
    let change = move.change
    try readReferences(to: move.child, in: connection)
    let isReferredTo = (referencesByTable[ExactText(move.child.name)] ?? []).contains { reference in
      reference.parentColumns.contains { change.source(of: $0) != nil }
    }
    let statements = try changeStatements(of: change, in: connection)
    let parted = try findParted(by: change, besides: [], in: connection)
    try reserveRowIDs(of: move.child, in: connection)
    var leftovers: [Referring] = []
    for row in referring {
      guard !row.lacksTarget else {
        throw Self.unmovable(row, move, "the winner has no value there")
      }
      try refuse(row.row, of: row, move, partedBy: parted, in: connection)
      let outcome: ChangeStatements.Outcome
      var movedCount = 1
      if isReferredTo {
        (outcome, movedCount) = try moveWithFollowers(row, change, move, in: connection)
      } else {
        outcome = try Self.move(row, by: statements, in: connection)
      }
      switch outcome {
      case .changed: counts.movedReferenceCount += movedCount
      case .missing: break
      case .refused(let error) where error.isUniqueViolation && connection.isInTransaction:
        leftovers.append(row)
      case .refused(let error): throw Self.unmovable(row, move, error.message, error)
      case .ineffective: throw Self.unmovable(row, move, Self.ineffectiveReason)
      }
    }
    return leftovers
  }

  /// Moves a row that nothing follows; where a unique constraint refuses it, nothing has changed.
  ///
  /// A savepoint would do the same, but to go back to one makes SQLite read the whole schema again
  /// where the transaction has made a table.
  private static func move(
    _ row: Referring, by statements: ChangeStatements, in connection: Connection
  ) throws -> ChangeStatements.Outcome {
    let remembered = try statements.remember(row.row, winner: row.winner)
    let outcome = try statements.change(row.row, winner: row.winner)
    if case .refused(let error) = outcome, error.isUniqueViolation, connection.isInTransaction,
      let remembered
    {
      try statements.forget(remembered)
    }
    return outcome
  }

  /// Moves a row and what follows it; where a unique constraint refuses any of it, nothing has changed.
  ///
  /// - Returns: what came of it, and how many rows it is.
  private mutating func moveWithFollowers(
    _ row: Referring, _ change: ColumnChange, _ move: ReferenceMove,
    in connection: Connection
  ) throws -> (ChangeStatements.Outcome, count: Int) {
    let steps = try cascade(from: Step(change: change, row: row.row), in: connection)
    for step in steps.dropFirst() {
      let parted = try findParted(
        by: step.change, besides: step.links.map(\.move), in: connection)
      try refuse(step.row, of: row, move, partedBy: parted, in: connection)
    }
    for step in steps { try reserveRowIDs(of: step.change.child, in: connection) }
    try execute("SAVEPOINT poikit_move", in: connection)
    let outcome = try apply(steps, for: row, move, in: connection)
    if case .refused(let error) = outcome {
      guard error.isUniqueViolation, connection.isInTransaction else { return (outcome, 0) }
      try execute("ROLLBACK TO poikit_move", in: connection)
    }
    try execute("RELEASE poikit_move", in: connection)
    return (outcome, steps.count)
  }

  /// Throws where another reference of a row would not refer to the same row any more.
  ///
  /// - Parameters:
  ///   - changed: the row's id.
  ///   - row: the row itself, or the one that it follows.
  ///   - find: a statement of `findParted`.
  private func refuse(
    _ changed: Int64, of row: Referring, _ move: ReferenceMove, partedBy find: SQL?,
    in connection: Connection
  ) throws {
    guard let find else { return }
    let leadsElsewhere = try isParted(changed, winner: row.winner, by: find, in: connection)
    guard leadsElsewhere else { return }
    throw Self.unmovable(
      row, move, "another reference has a column in common with it, and would lead elsewhere")
  }

  private static let ineffectiveReason =
    "it does not keep the value: a trigger, or the type of the column, is in the way"

  /// Reserves the ids of a table's rows before the first of them is remembered.
  private mutating func reserveRowIDs(
    of table: TableSchema, in connection: Connection
  ) throws {
    guard archives, reservedTables.insert(ExactText(table.name)).inserted else { return }
    try ReservedRowIDs.reserve(allOf: table, in: connection)
  }

  private func changeStatements(
    of change: ColumnChange, in connection: Connection
  ) throws -> ChangeStatements {
    let run = archives ? run : nil
    return try ChangeStatements(change, rememberingUnder: run, from: statements, in: connection)
  }

  private func execute(
    _ sql: SQL, in connection: Connection
  ) throws {
    try statements.run(sql, in: connection)
  }

  private static func unmovable(
    _ row: Referring, _ move: ReferenceMove, _ reason: String, _ cause: SQLiteError? = nil
  ) -> StoreFailure {
    StoreFailure(
      .unmovableReference,
      """
      row \(row.row) of '\(move.child.name)' refers to a loser of '\(move.parent.name)' and cannot \
      refer to its winner, row \(row.winner), because \(reason): change or remove that row first
      """, cause: cause)
  }

  /// The rows that stand in the way of moving others, by the ids of these, and whether the two are
  /// equal outside of the constraint that keeps them apart.
  func twins(
    of rows: [Referring], _ move: ReferenceMove, in connection: Connection
  ) throws -> [Int64: (row: Int64, isEqual: Bool)] {
    var twins: [Int64: (row: Int64, isEqual: Bool)] = [:]
    for sql in try move.findTwins(in: connection) {
      let find = try statements.statement(sql, in: connection)
      for row in rows where twins[row.row] == nil {
        try find.statement.bind(1, integer: row.row)
        try find.statement.bind(2, integer: row.winner)
        if try find.statement.step() {
          twins[row.row] = (find.statement.integer(0), find.statement.integer(1) == 1)
        }
        try find.statement.reset()
      }
    }
    return twins
  }

  /// Finds for every row that could not be moved the one that stands in its way.
  private func findTwins(
    of leftovers: [Referring], _ move: ReferenceMove, in connection: Connection
  ) throws -> [LoserEntry] {
    let twins = try twins(of: leftovers, move, in: connection)
    var pairs: [LoserEntry] = []
    for row in leftovers {
      guard let twin = twins[row.row], move.child.name != root.name else {
        throw Self.unmovable(row, move, "a unique constraint does not allow it")
      }
      guard archives || twin.isEqual else {
        throw Self.unmovable(
          row, move,
          "row \(twin.row) does so already, and without an archive what differs would be lost")
      }
      pairs.append(LoserEntry(loser: row.row, winner: twin.row))
    }
    return pairs
  }
}

/// What follows a row that moves, because it refers to columns that change with the move.
extension LoserRemoval {
  /// A row of some table.
  private struct Place: Hashable {
    let table: String
    let row: Int64
  }

  /// A row that changes.
  private struct Step {
    var change: ColumnChange
    /// Its id before.
    let row: Int64
    /// By what it refers to other rows that change, and the places of these among the steps.
    var links: [(move: ReferenceMove, cause: Int)] = []
  }

  /// The change of a row and those of all rows that refer to what changes, each after one that it
  /// refers to.
  ///
  /// - Complexity: a search for every row, which goes through all of a table that has no index for
  ///   it.
  private mutating func cascade(
    from top: Step, in connection: Connection
  ) throws -> [Step] {
    var steps = [top]
    var indices = [Place(table: top.change.child.name, row: top.row): 0]
    var open = [(index: 0, columns: top.change.columns)]
    while let (index, columns) = open.popLast() {
      let (change, row) = (steps[index].change, steps[index].row)
      try readReferences(to: change.child, in: connection)
      for reference in referencesByTable[ExactText(change.child.name)] ?? [] {
        let following = zip(reference.childColumns, reference.parentColumns).compactMap {
          childColumn, parentColumn in
          columns.first { TableSchema.isSame($0.name, parentColumn) }.map {
            (name: childColumn, source: $0.source)
          }
        }
        guard !following.isEmpty,
          let child = try child(
            of: reference, to: "SELECT \(row)", of: change.child, in: connection)
        else { continue }
        let link = ReferenceMove(reference: reference, parent: change.child, child: child)
        for follower in try followers(of: row, link, in: connection) {
          let place = Place(table: child.name, row: follower)
          if let known = indices[place] {
            let added = steps[known].change.add(following)
            steps[known].links.append((link, index))
            if !added.isEmpty { open.append((known, added)) }
          } else {
            let change = ColumnChange(following, of: child, from: top.change.parent)
            indices[place] = steps.count
            open.append((steps.count, change.columns))
            steps.append(Step(change: change, row: follower, links: [(link, index)]))
          }
        }
      }
    }
    return steps
  }

  private func followers(
    of row: Int64, _ link: ReferenceMove, in connection: Connection
  ) throws -> [Int64] {
    var found: [Int64] = []
    let find = try statements.statement(link.findFollowers, in: connection)
    try find.statement.bind(1, integer: row)
    while try find.statement.step() { found.append(find.statement.integer(0)) }
    return found
  }

  /// Makes the changes of a cascade, those that follow before those that they follow, so that
  /// SQLite's own cascades find nothing to do. They are remembered the other way round, because
  /// undoing goes backwards.
  ///
  /// - Returns: what came of changing the row that the others follow, or the conflict of one of
  ///   these.
  private func apply(
    _ steps: [Step], for row: Referring, _ move: ReferenceMove,
    in connection: Connection
  ) throws -> ChangeStatements.Outcome {
    for step in steps where archives {
      let statements = try changeStatements(of: step.change, in: connection)
      try statements.remember(step.row, winner: row.winner)
    }
    for (index, step) in steps.enumerated().reversed() {
      let statements = try changeStatements(of: step.change, in: connection)
      let outcome = try statements.change(step.row, winner: row.winner)
      if index == 0 {
        if case .changed = outcome { try checkLinks(of: steps, row, move, in: connection) }
        return outcome
      }
      let follower = Self.follower(step)
      switch outcome {
      case .changed: break
      // Most likely the row that is followed has a twin, and so has this one.
      case .refused(let error) where error.isUniqueViolation: return outcome
      case .refused(let error):
        throw Self.unmovable(row, move, "\(follower): \(error.message)", error)
      case .ineffective, .missing:
        throw Self.unmovable(row, move, "\(follower): \(Self.ineffectiveReason)")
      }
    }
    return .missing
  }

  private static func follower(_ step: Step) -> String {
    "row \(step.row) of '\(step.change.child.name)', which refers to it, cannot follow"
  }

  /// Throws where a row that followed does not refer to the row that it followed: two columns may hold
  /// what refers to the winner, and not be equal to each other.
  private func checkLinks(
    of steps: [Step], _ row: Referring, _ move: ReferenceMove, in connection: Connection
  ) throws {
    for step in steps {
      for (link, cause) in step.links {
        let parent = try laterID(of: steps[cause], winner: row.winner, in: connection)
        let child = try laterID(of: step, winner: row.winner, in: connection)
        let find = try statements.statement(link.findFollower, in: connection)
        try find.statement.bind(1, integer: parent)
        try find.statement.bind(2, integer: child)
        let isLinked = try find.statement.step()
        try find.statement.reset()
        guard isLinked else {
          throw Self.unmovable(row, move, "\(Self.follower(step)): \(Self.ineffectiveReason)")
        }
      }
    }
  }

  /// The id that a row has after it was changed.
  private func laterID(
    of step: Step, winner: Int64, in connection: Connection
  ) throws -> Int64 {
    let (change, column) = (step.change, step.change.child.rowIDColumn)
    guard let source = column.flatMap(change.source) else { return step.row }
    let find = try statements.statement(
      """
      SELECT \(name: source) FROM main.\(name: change.parent.name)
      WHERE \(name: change.parent.rowIDName) = ?1
      """, in: connection)
    try find.statement.bind(1, integer: winner)
    defer { try? find.statement.reset() }
    return try find.statement.step() ? find.statement.integer(0) : step.row
  }
}
