internal import SQLiteKit

/// References that share a column with one that moves.
extension LoserRemoval {
  /// A statement that returns a row if another reference of row `?1`, which shares a column with those
  /// that change, would not refer to the same row any more once they have the values of the winner `?2`;
  /// nothing where there is no such reference.
  ///
  /// One that goes to the winner as a whole is none of them.
  ///
  /// - Parameter followed: by what the row refers to those for whose sake its columns change.
  func findParted(
    by change: ColumnChange, besides followed: [ReferenceMove], in connection: Connection
  ) throws -> SQL? {
    let others = try TableReference.declared(by: change.child, statements, in: connection)
      .filter { other in
        other.columns.contains { change.source(of: $0) != nil }
          && !Self.goesWhole(other, with: change)
          && !followed.contains {
            $0.reference.childColumns == other.columns
              && $0.reference.parentColumns == other.parentColumns(in: $0.parent)
          }
      }
    guard !others.isEmpty else { return nil }
    let conditions = others.map { other -> SQL in
      let isReferring: [SQL] = other.columns.map { "c.\(name: $0) IS NOT NULL" }
      let isChanged = other.columns.compactMap { column -> SQL? in
        guard let source = change.source(of: column) else { return nil }
        return "+c.\(name: column) IS NOT +w.\(name: source) COLLATE BINARY"
      }
      return """
        (\(isReferring.joined(separator: " AND ")) AND (\(isChanged.joined(separator: " OR "))))
        """
    }
    return """
      SELECT 1 FROM main.\(name: change.child.name) AS c
      CROSS JOIN main.\(name: change.parent.name) AS w
      WHERE c.\(name: change.child.rowIDName) = ?1 AND w.\(name: change.parent.rowIDName) = ?2
        AND (\(conditions.joined(separator: " OR ")))
      """
  }

  /// Whether each column of a reference gets what the column that it refers to holds in the winner.
  private static func goesWhole(
    _ reference: TableReference.Declaration, with change: ColumnChange
  ) -> Bool {
    guard let parentColumns = reference.parentColumns(in: change.parent) else { return false }
    return zip(reference.columns, parentColumns).allSatisfy { column, parentColumn in
      TableSchema.isSame(parentColumn, change.source(of: column))
    }
  }

  /// Whether a statement of `findParted` returns a row.
  func isParted(
    _ row: Int64, winner: Int64, by find: SQL, in connection: Connection
  ) throws -> Bool {
    let find = try statements.statement(find, in: connection)
    try find.statement.bind(1, integer: row)
    try find.statement.bind(2, integer: winner)
    let isParted = try find.statement.step()
    try find.statement.reset()
    return isParted
  }
}
