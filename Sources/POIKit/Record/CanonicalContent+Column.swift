internal import SQLiteKit

extension CanonicalContent {
  /// Adds the value that a column of the statement's current row holds, or nothing if it is null.
  ///
  /// - Parameters:
  ///   - column: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - name: the tag of the name under which the value is content.
  mutating func append(column: Int, of statement: borrowing Statement, name: UInt64) {
    switch statement.columnType(column) {
    case .integer: append(integer: statement.integer(column), name: name)
    case .real: append(real: statement.real(column), name: name)
    case .text: append(text: statement.bytes(column, of: .text), name: name)
    case .blob: append(blob: statement.bytes(column, of: .blob), name: name)
    case .null: break
    }
  }
}
