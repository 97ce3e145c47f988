internal import POIRecords
internal import POISQLite

/// The rows of relations to many, which are removed with their losers.
extension LoserRemoval {
  /// A column that refers to the row that owns this one.
  struct Ownership: Hashable {
    let table: String
    let column: String

    /// The columns of the given relations, and of the relations inside them.
    static func all(in relations: [RelationToMany]) -> Set<Ownership> {
      var found: Set<Ownership> = []
      for relation in relations {
        switch relation.link {
        case .parent(let column):
          found.insert(Ownership(table: relation.element.table, column: column))
        case .join(let join, let parentColumn, _):
          found.insert(Ownership(table: join, column: parentColumn))
        }
        found.formUnion(all(in: relation.element.relations))
      }
      return found
    }
  }

  /// Whether the referring rows are removed with the row that they refer to.
  func isOwning(_ reference: TableReference) -> Bool {
    reference.childColumns.count == 1
      && ownerships.contains(
        Ownership(table: reference.childTable, column: reference.childColumns[0]))
  }

  /// Removes the rows that belong to losers.
  ///
  /// The archive names as winner the winner's row with the same unique key. If there is no such row, it
  /// names the removed row itself.
  mutating func removeRows(of move: ReferenceMove, _ pairTable: SQL, depth: Int) throws {
    let list = Self.referringTable(depth: depth)
    try listReferringRows(move.findOwnedRows(pairTable), into: list)
    let conflicts = try conflictStatements(of: move)
    var last: Int64 = 0
    while true {
      let rows = try read(list, after: last)
      guard let end = rows.last else { return }
      last = end.number
      var pairs: [LoserEntry] = []
      for row in rows {
        let winner = try Self.conflictingRow(of: row, using: conflicts)
        if winner != nil { counts.removedReferenceRowCount += 1 }
        pairs.append(LoserEntry(loser: row.row, winner: winner?.row ?? row.row))
      }
      try replaceByWinners(pairs, of: move.child, depth: depth + 1)
    }
  }

  /// Throws if other rows refer to rows that are removed without a winner.
  func refuseReferences(through move: ReferenceMove, _ pairTable: SQL) throws {
    let rows: SQL = "SELECT loser FROM temp.\(pairTable) WHERE winner = loser"
    let isReferredTo =
      try connection.integer(move.reference.findAny(to: rows, of: move.parent)) != nil
    guard isReferredTo else { return }
    throw StoreFailure(
      .unmovableReference,
      """
      a row of '\(move.child.name)' refers to a row of '\(move.parent.name)' that is removed with a \
      loser, and the winner has no row like it: change or remove that row first, or let the rows of \
      arrays move to the winner
      """)
  }
}

extension ReferenceMove {
  /// Returns the id of every row that refers to a loser by row id, the id of the winner, and 0.
  func findOwnedRows(_ pairs: SQL) -> SQL {
    """
    SELECT c.\(name: child.rowIDName), p.winner, 0
    FROM temp.\(pairs) AS p CROSS JOIN main.\(name: child.name) AS c
    WHERE c.\(name: reference.childColumns[0]) = p.loser
    """
  }
}
