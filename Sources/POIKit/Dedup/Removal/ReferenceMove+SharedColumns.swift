internal import POISQLite

extension ReferenceMove {
  /// A statement that finds a conflict between two references of row `?1` that share a column.
  ///
  /// It returns a row if the other reference would lead elsewhere after this one moves to the winner `?2`. It
  /// is nil if there is no such reference.
  func findDivergingReference(
    by statements: PreparedStatements, in connection: Connection
  ) throws -> SQL? {
    let others = try TableReference.declared(by: child.name, statements, in: connection)
      .filter { other in
        other.columns.contains { source(of: $0) != nil } && !movesAllColumns(other)
      }
    guard !others.isEmpty else { return nil }
    let conditions = others.map { other -> SQL in
      let isReferring: [SQL] = other.columns.map { "c.\(name: $0) IS NOT NULL" }
      // `+` removes the affinity of a column, so the stored values are compared.
      let isChanged = other.columns.compactMap { column -> SQL? in
        source(of: column).map { "+c.\(name: column) IS NOT +w.\(name: $0) COLLATE BINARY" }
      }
      return """
        (\(isReferring.joined(separator: " AND ")) AND (\(isChanged.joined(separator: " OR "))))
        """
    }
    return """
      SELECT 1 FROM \(childTable) AS c CROSS JOIN \(parentTable) AS w
      WHERE c.\(childRowID) = ?1 AND w.\(parentRowID) = ?2
        AND (\(conditions.joined(separator: " OR ")))
      """
  }

  /// Whether all columns of a reference get the values of the winner in the columns that they refer to.
  private func movesAllColumns(_ reference: TableReference.Declaration) -> Bool {
    guard let parentColumns = reference.parentColumns(in: parent) else { return false }
    return zip(reference.columns, parentColumns).allSatisfy { column, parentColumn in
      TableSchema.isSame(parentColumn, source(of: column))
    }
  }
}
