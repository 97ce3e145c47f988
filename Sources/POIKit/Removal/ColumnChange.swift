internal import SQLiteKit

/// The statements that give columns of a row the values that columns of a winner have.
///
/// In all of them `?1` is the id of the row and `?2` that of the winner.
struct ColumnChange {
  /// The table of the winner.
  let parent: TableSchema

  /// The table of the row.
  let child: TableSchema

  /// The columns that change and, for each, the winner's column whose value it gets; a column that
  /// is the row id comes first.
  private(set) var columns: [(name: String, source: String)]

  /// A change of columns.
  ///
  /// - Parameters:
  ///   - columns: at least one.
  ///   - child: the table that has them.
  ///   - parent: the table of the winner.
  init(_ columns: [(name: String, source: String)], of child: TableSchema, from parent: TableSchema)
  {
    self.parent = parent
    self.child = child
    self.columns = []
    add(columns)
  }

  /// Adds the columns that are not among those that change yet.
  ///
  /// - Returns: those added.
  @discardableResult
  mutating func add(_ more: [(name: String, source: String)]) -> [(name: String, source: String)] {
    let added = more.filter { source(of: $0.name) == nil }
    for column in added {
      // Undoing goes backwards, and finds the row by the id that it has until that is undone.
      if TableSchema.isSame(column.name, child.rowIDColumn) {
        columns.insert(column, at: 0)
      } else {
        columns.append(column)
      }
    }
    return added
  }

  /// The winner's column whose value a column gets, or nil if it does not change.
  func source(of column: String) -> String? {
    columns.first { TableSchema.isSame($0.name, column) }?.source
  }

  private var childTable: SQL { "main.\(name: child.name)" }
  private var childRowID: SQL { SQL(name: child.rowIDName) }
  private var parentTable: SQL { "main.\(name: parent.name)" }
  private var parentRowID: SQL { SQL(name: parent.rowIDName) }

  private func winnerValue(_ column: String) -> SQL {
    "(SELECT \(name: column) FROM \(parentTable) WHERE \(parentRowID) = ?2)"
  }

  /// The id that the row has afterwards.
  private var laterID: SQL {
    child.rowIDColumn.flatMap(source).map(winnerValue) ?? "?1"
  }

  /// Changes the row.
  var update: SQL {
    let values: [SQL] = columns.map { "\(name: $0.name) = \(winnerValue($0.source))" }
    // Whatever a constraint says should happen on a conflict, here it has to be an error.
    return """
      UPDATE OR ABORT \(childTable) SET \(values.joined(separator: ", ")) WHERE \(childRowID) = ?1
      """
  }

  /// Returns a row if the changed one holds what a reference to the winner holds.
  var verify: SQL {
    let conditions = columns.map {
      TableReference.refers("c", $0.name, to: "w", $0.source)
    }
    return """
      SELECT 1 FROM \(childTable) AS c CROSS JOIN \(parentTable) AS w
      WHERE c.\(childRowID) = \(laterID) AND w.\(parentRowID) = ?2
        AND \(conditions.joined(separator: " AND "))
      """
  }

  /// Returns a row if there is one with the id that the changed one had before.
  var find: SQL { "SELECT 1 FROM \(childTable) WHERE \(childRowID) = ?1" }

  /// Remembers for the run `?3` what the row holds before it is changed and what it gets, by the id
  /// that it has afterwards.
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
