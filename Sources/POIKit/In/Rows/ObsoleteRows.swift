internal import POISQLite

/// Deletes the rows that a parent no longer has.
struct ObsoleteRows: ~Copyable {
  private var selection: Statement
  private var deletion: Statement

  /// - Parameters:
  ///   - table: the rows' table.
  ///   - parentColumn: the column that holds the parent's row id.
  ///   - column: the column that distinguishes the rows of one parent.
  init(table: String, parentColumn: String, column: String, connection: Connection) throws {
    let table = SQL(name: table)
    let parent = SQL(name: parentColumn)
    let column = SQL(name: column)
    let selection = try connection.prepare("SELECT \(column) FROM \(table) WHERE \(parent) = ?1")
    let deletion = try connection.prepare(
      "DELETE FROM \(table) WHERE \(parent) = ?1 AND \(column) = ?2")
    self.selection = selection
    self.deletion = deletion
  }

  /// Deletes all rows of a parent except those with a value of `kept` in the column.
  ///
  /// - Returns: the values of `kept` that the parent has.
  mutating func remove(ofParent parent: Int64, except kept: Set<Int64>) throws -> Set<Int64> {
    var present: Set<Int64> = []
    var others: [Int64] = []
    try selection.bind(1, integer: parent)
    while try selection.step() {
      let value = selection.integer(0)
      if kept.contains(value) { present.insert(value) } else { others.append(value) }
    }
    for value in others {
      try deletion.bind(1, integer: parent)
      try deletion.bind(2, integer: value)
      try deletion.run()
    }
    return present
  }
}
