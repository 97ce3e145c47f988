internal import POIRecords
internal import SQLiteKit

/// The fields of a row's canonical content, as a statement returns them.
struct ContentFields {
  /// The place of a field's value in the result.
  private struct Field {
    let nameTag: UInt64
    let column: Int

    /// The fields of the related row if the value is a reference.
    let related: [(nameTag: UInt64, column: Int)]?

    /// Whether the value is content if the related row is missing or has no values.
    let isValueContent: Bool
  }

  private let fields: [Field]

  /// The result columns of the statement, at least one; the table has the alias `t`.
  let results: [SQL]

  /// The joins with the rows that these columns refer to.
  let joins: SQL

  /// - Parameters:
  ///   - columns: the columns of the table that are content.
  ///   - leading: the result columns before them.
  init(_ columns: [ContentColumn], leading: [SQL] = []) {
    var fields: [Field] = []
    var results = leading
    var joins: SQL = ""
    func result(_ table: SQL, _ column: String) -> Int {
      results.append("\(table).\(name: column)")
      return results.count - 1
    }
    for content in columns.sorted(by: { CanonicalContent.precedes($0.name, $1.name) }) {
      let column = result("t", content.name)
      var related: [(nameTag: UInt64, column: Int)]?
      if let relation = content.relation {
        let alias: SQL = "r\(column)"
        // A foreign key compares without the affinity and the collation of the child column.
        let value: SQL =
          relation.idCollation.map { "+t.\(name: content.name) COLLATE \(name: $0)" }
          ?? "t.\(name: content.name)"
        joins += """
           LEFT JOIN main.\(name: relation.table) AS \(alias) \
          ON \(alias).\(name: relation.idColumn) = \(value)
          """
        related = relation.uniqueColumns.sorted(by: CanonicalContent.precedes).map { name in
          (CanonicalContent.nameTag(name), result(alias, name))
        }
      }
      fields.append(
        Field(
          nameTag: CanonicalContent.nameTag(content.name), column: column, related: related,
          isValueContent: content.relation?.idCollation != nil))
    }
    if results.isEmpty { results.append("1") }
    self.fields = fields
    self.results = results
    self.joins = joins
  }

  /// The fields of rows that a `RowReader` reads: the row id, the fields of a layout, and the unmapped members.
  init(_ columns: [ContentColumn], readAs layout: RecordLayout) {
    fields = columns.sorted(by: { CanonicalContent.precedes($0.name, $1.name) }).map { content in
      let place = layout.fields.firstIndex {
        $0.relationField == nil && $0.attribute.column.isExactly(content.name)
      }
      let related = content.relation.map { relation in
        relation.uniqueColumns.sorted(by: CanonicalContent.precedes).map { name in
          let inner = layout.fields.firstIndex {
            $0.relationField == place && $0.attribute.column.isExactly(name)
          }
          return (CanonicalContent.nameTag(name), (inner ?? 0) + 1)
        }
      }
      return Field(
        nameTag: CanonicalContent.nameTag(content.name),
        column: (place ?? layout.fields.count) + 1, related: related, isValueContent: false)
    }
    results = []
    joins = ""
  }

  /// Appends the fields of a statement's current row.
  func append(_ statement: borrowing Statement, to content: inout CanonicalContent) {
    for field in fields {
      if let related = field.related,
        !field.isValueContent || related.contains(where: { !statement.isNull($0.column) })
      {
        if statement.isNull(field.column) { continue }
        let start = content.beginRelated(nameTag: field.nameTag)
        for part in related {
          content.append(column: part.column, of: statement, nameTag: part.nameTag)
        }
        content.endRelated(at: start)
      } else {
        content.append(column: field.column, of: statement, nameTag: field.nameTag)
      }
    }
  }
}
