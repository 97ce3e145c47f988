internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Writes the rows of one relation to many.
///
/// It is a class, because arrays cannot hold noncopyable values.
///
/// Page: https://sqlite.org/foreignkeys.html#fk_actions, for the rows below a deleted one
final class RelationToManyWriter {
  private enum Rows {
    case own(ChildRowWriter)
    case shared(JoinRowWriter)
  }

  private let number: Int
  private let rows: Rows

  static func writers(
    for layout: RecordLayout, _ facts: SchemaFacts, connection: Connection
  ) throws -> [RelationToManyWriter] {
    var writers: [RelationToManyWriter] = []
    for (number, many) in layout.relations.enumerated() {
      writers.append(
        try RelationToManyWriter(many, number: number, facts, connection: connection))
    }
    return writers
  }

  private init(
    _ many: RecordLayout.RelationLayout, number: Int, _ facts: SchemaFacts, connection: Connection
  ) throws {
    let rows: Rows
    switch many.relation.link {
    case .parent(let column):
      rows = .own(try ChildRowWriter(many, parentColumn: column, facts, connection: connection))
    case .join(let join, let parentColumn, let rowColumn):
      rows = .shared(
        try JoinRowWriter(
          many, join: join, parentColumn: parentColumn, rowColumn: rowColumn, facts,
          connection: connection))
    }
    self.number = number
    self.rows = rows
  }

  /// Inserts the rows of a record whose own row is new.
  ///
  /// - Parameters:
  ///   - rowID: the record's row.
  ///   - record: the record in `batch`.
  func insertRows(ofRow rowID: Int64, record: Int, of batch: borrowing RecordBatch) throws {
    let children = batch.children[number]
    switch rows {
    case .own(let writer): try writer.insert(children, ofParent: record, under: rowID)
    case .shared(let writer): try writer.insert(children, ofParent: record, under: rowID)
    }
  }

  /// Replaces the rows of a stored row by the rows of a record: rows with the same key are updated, others
  /// are inserted or deleted.
  ///
  /// - Parameters:
  ///   - rowID: the stored row.
  ///   - record: the record in `batch`.
  func replaceRows(ofRow rowID: Int64, record: Int, of batch: borrowing RecordBatch) throws {
    let children = batch.children[number]
    switch rows {
    case .own(let writer): try writer.replace(children, ofParent: record, under: rowID)
    case .shared(let writer): try writer.replace(children, ofParent: record, under: rowID)
    }
  }

  /// Forgets the remembered row ids, after a rollback.
  func forgetRows() {
    switch rows {
    case .own(let writer): writer.forgetRows()
    case .shared(let writer): writer.forgetRows()
    }
  }
}
