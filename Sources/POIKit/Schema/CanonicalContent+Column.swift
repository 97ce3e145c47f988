internal import POIRecords
internal import SQLiteKit

extension CanonicalContent {
  /// Adds the value of a column in the statement's current row; NULL adds no bytes.
  ///
  /// - Parameters:
  ///   - column: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - name: the tag of the name under which the value is content.
  mutating func append(column: Int, of statement: borrowing Statement, name: UInt64) {
    switch statement.value(column) {
    case .integer(let integer): append(integer: integer, name: name)
    case .real(let real): append(real: real, name: name)
    case .text(let text): append(text: text, name: name)
    case .blob(let blob): append(blob: blob, name: name)
    case .null: break
    }
  }
}
