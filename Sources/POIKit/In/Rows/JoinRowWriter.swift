internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Writes the rows of a join table, and shared rows that are missing.
///
/// It is a class for the same reason as `RelationToManyWriter`.
final class JoinRowWriter {
  private let shared: RelationWriter
  private var insertion: RowInsertion
  private var obsoleteRows: ObsoleteRows

  init(
    _ many: RecordLayout.RelationLayout, join: String, parentColumn: String, rowColumn: String,
    _ facts: SchemaFacts, connection: Connection
  ) throws {
    let shared = try RelationWriter(
      many.relation.sharedRows, fields: 0..<many.layout.attributeCount, facts,
      connection: connection)
    let columns = [parentColumn, rowColumn].map(SQL.init(name:))
    let insertion = try RowInsertion(into: join, columns: columns, facts, connection: connection)
    let obsoleteRows = try ObsoleteRows(
      table: join, parentColumn: parentColumn, column: rowColumn, connection: connection)
    self.shared = shared
    self.insertion = insertion
    self.obsoleteRows = obsoleteRows
  }

  /// Inserts the rows of a new parent.
  func insert(_ children: ChildRecords, ofParent parent: Int, under parentRowID: Int64) throws {
    for row in children.rows(ofParent: parent) {
      try insert(try shared.rowID(record: row, batch: children.rows), under: parentRowID)
    }
  }

  /// Replaces the rows of a parent by the rows in the batch. Shared rows stay even if no parent has them.
  func replace(_ children: ChildRecords, ofParent parent: Int, under parentRowID: Int64) throws {
    var wanted: [Int64] = []
    for row in children.rows(ofParent: parent) {
      wanted.append(try shared.rowID(record: row, batch: children.rows))
    }
    let present = try obsoleteRows.remove(ofParent: parentRowID, except: Set(wanted))
    for rowID in wanted where !present.contains(rowID) { try insert(rowID, under: parentRowID) }
  }

  func forgetRows() { shared.forgetRows() }

  private func insert(_ rowID: Int64, under parentRowID: Int64) throws {
    try insertion.statement.bind(1, integer: parentRowID)
    try insertion.statement.bind(2, integer: rowID)
    _ = try insertion.run()
  }
}
