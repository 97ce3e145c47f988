internal import CPOISQLite

/// The storage class of a value in a result row.
package enum ColumnType: Sendable, Hashable {
  case integer, real, text, blob, null

  /// The class of one of the `SQLITE_INTEGER`… codes.
  init(code: Int32) {
    switch code {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
