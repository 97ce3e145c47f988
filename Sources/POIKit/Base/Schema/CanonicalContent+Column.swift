internal import POIRecords
internal import POISQLite

extension CanonicalContent {
  /// Adds the value of a column in the statement's current row; NULL adds no bytes.
  ///
  /// - Parameters:
  ///   - column: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - nameTag: the tag of the name under which the value is content.
  mutating func append(column: Int, of statement: borrowing Statement, nameTag: UInt64) {
    switch statement.value(column) {
    case .integer(let integer): append(integer: integer, nameTag: nameTag)
    case .real(let real): append(real: real, nameTag: nameTag)
    case .text(let text): append(text: text, nameTag: nameTag)
    case .blob(let blob): append(blob: blob, nameTag: nameTag)
    case .null: break
    }
  }
}
